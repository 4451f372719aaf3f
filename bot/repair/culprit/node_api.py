"""What a version of an npm package offers, read from its `.d.ts` files or its scripts; nothing of it runs.

Entry points are those of `package.json`: `exports` (https://nodejs.org/api/packages.html), else `types`
and `main`, and any file.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import griffe

from bot.code.syntax import parse
from bot.repair.culprit.package_api import OF_SCRIPTS, OPEN, Item, PackageApi, member
from bot.repair.culprit.script_exports import ES_MODULE, ExportReader, copied, members_of, put

MANIFEST = "package.json"

_TYPES = (".d.ts", ".d.mts", ".d.cts")
_SCRIPTS = (".js", ".cjs", ".mjs")
_CONDITIONS = ("types", "node", "require", "import", "default")
"""Of `exports`, in the order in which they are read."""

_DEEPEST = 24
"""Files that export what another one exports, one behind the other."""


def entry_points(name: str, files: Mapping[str, str], ends: Sequence[str]) -> dict[str, str]:
    """Return the files of a package by the names under which programs import them.

    Args:
        name: Of the package.
        files: Of it, by path.
        ends: Of the names of files that count, the preferred first.
    """
    try:
        manifest = json.loads(files.get(MANIFEST, ""))
    except ValueError:
        return {}
    if not isinstance(manifest, dict):
        return {}
    exports = manifest.get("exports")
    found: dict[str, str] = {}
    if exports is None:
        mains = [manifest.get(key) for key in ("types", "typings", "main", "module")]
        found[name] = _first([*mains, "index"], files, ends)
        for path in files:
            bare = next(
                (path.removesuffix(end) for end in (*_TYPES, *_SCRIPTS) if path.endswith(end)), ""
            )
            if bare and not bare.endswith(".d"):
                for said in (
                    bare,
                    f"{bare}.js",
                    *([posixpath.dirname(bare)] if bare.endswith("/index") else []),
                ):
                    found.setdefault(f"{name}/{said}", _first([path], files, ends))
    else:
        is_map = isinstance(exports, dict) and all(key.startswith(".") for key in exports)
        for key, target in (exports if is_map else {".": exports}).items():
            targets = [manifest.get("types")] if key == "." else []
            targets += list(_targets(target))
            for said, path in _expanded(key, targets, files, ends):
                found[name + said] = path
    return {said: path for said, path in found.items() if path}


def _targets(target: Any) -> Iterator[Any]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, list):
        for each in target:
            yield from _targets(each)
    elif isinstance(target, dict):
        for condition in _CONDITIONS:
            if condition in target:
                yield from _targets(target[condition])


def _expanded(
    key: str, targets: Sequence[Any], files: Mapping[str, str], ends: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Return what one key of `exports` stands for: one file, or all that fit a `*`."""
    if "*" not in key:
        yield key[1:], _first(targets, files, ends)
        return
    for target in targets:
        if not isinstance(target, str) or target.count("*") != 1:
            continue
        front, _, back = target.removeprefix("./").partition("*")
        for path in files:
            if path.startswith(front) and path.endswith(back) and len(path) > len(front + back):
                inner = path[len(front) : len(path) - len(back)]
                yield key[1:].replace("*", inner), _first([path], files, ends)


def _first(paths: Sequence[Any], files: Mapping[str, str], ends: Sequence[str]) -> str:
    """Return the first file that a path may mean; "" for none."""
    for path in paths:
        if isinstance(path, str) and (found := _file(path, files, ends)):
            return found
    return ""


def _file(path: str, files: Mapping[str, str], ends: Sequence[str]) -> str:
    plain = posixpath.normpath(path)
    bare = next(
        (plain.removesuffix(end) for end in (*_TYPES, *_SCRIPTS) if plain.endswith(end)), plain
    )
    names = [front + end for front in (bare, plain, f"{plain}/index") for end in ends]
    return next(
        (each for each in (plain, *names) if each in files and each.endswith(tuple(ends))), ""
    )


class NodeApi(PackageApi):
    """One version's entry points, each a module under the name by which it is imported."""

    def __init__(self, name: str, files: Mapping[str, str], *, typed: bool) -> None:
        """Read entry points.

        Args:
            name: Of the package.
            files: Of it, by path.
            typed: Whether its `.d.ts` files are read, and not its scripts.
        """
        self._name = name
        self._files = files
        self._ends = _TYPES if typed else _SCRIPTS
        self._read: dict[str, griffe.Module] = {}
        self._loaded: dict[str, Item] = {}
        modules: dict[str, griffe.Module] = {}
        entries = entry_points(name, files, self._ends)
        for said, path in sorted(entries.items(), key=lambda entry: len(entry[0])):
            self._loaded[said] = modules.setdefault(path, griffe.Module(said))
        for path, module in modules.items():
            exported = self._module(path)
            module.labels |= exported.labels
            for key, item in members_of(exported).items():
                put(module, key, copied(item, key))

    @property
    def is_known(self) -> bool:
        """Whether its main entry point says what it offers."""
        module = self._loaded.get(self._name)
        return module is not None and bool(module.members)

    def object(self, dotted: str) -> Item | None:
        """Return what a dotted name means; of a CommonJS module, its default is itself."""
        said, names = self._parted(dotted)
        at = self._loaded.get(said)
        for name in names:
            if at is None:
                return None
            is_itself = name == "default" and at.is_module and ES_MODULE not in at.labels
            at = at if is_itself and name not in at.members else member(at, name)
        return at

    def functions(self, parent: str) -> dict[str, griffe.Function]:
        """Return the functions of a module; of one that is gone, those of the main entry point."""
        return super().functions(parent if self.object(parent) is not None else self._name)

    def may_have(self, dotted: str) -> bool:
        """Whether a name may be there although it was not read."""
        said, names = self._parted(dotted)
        at: Item | None = self._loaded.get(said)
        for name in names:
            if at is None or OPEN in at.labels:
                break
            at = member(at, name) or (at if name == "default" and at.is_module else None)
        return at is not None and OPEN in at.labels

    def names_for(self, dotted: str, item: Item) -> tuple[str, ...]:
        """Return what may stand for something elsewhere: for a default, its own name and the package's."""
        last = dotted.rpartition(".")[2]
        if last != "default":
            return (last,)
        own, base = (
            item.extra[OF_SCRIPTS].get("own", ""),
            dotted.removesuffix(".default").rpartition("/")[2],
        )
        words = re.findall(r"[A-Za-z0-9]+", base)
        pascal = "".join(word[:1].upper() + word[1:] for word in words)
        camel = pascal[:1].lower() + pascal[1:]
        return tuple(dict.fromkeys(each for each in (own, camel, pascal, *words) if each))

    def _parted(self, dotted: str) -> tuple[str, list[str]]:
        """Return the entry point of a dotted name, which may have dots itself, and the names below it."""
        parts = dotted.split(".")
        for n in range(len(parts), 0, -1):
            if (said := ".".join(parts[:n])) in self._loaded:
                return said, parts[n:]
        return parts[0], parts[1:]

    def _module(self, path: str, deep: int = 0) -> griffe.Module:
        """Return what a file exports."""
        if path in self._read:
            return self._read[path]
        self._read[path] = module = griffe.Module(path)
        syntax = parse(path, self._files.get(path, "").encode("utf-8", "replace"))
        if syntax is None or deep > _DEEPEST:
            module.labels.add(OPEN)
            return module
        reader = ExportReader(
            module,
            lambda said: self._reached(path, said, deep),
            is_typed=path.endswith(_TYPES),
        )
        reader.read(syntax.root)
        return module

    def _reached(self, path: str, said: str, deep: int) -> griffe.Module | None:
        """Return the module that a file names; None for another package's."""
        if not said.startswith("."):
            return None
        found = _file(posixpath.join(posixpath.dirname(path), said), self._files, self._ends)
        return self._module(found, deep + 1) if found else None
