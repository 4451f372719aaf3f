"""What the tests of a Node package read that its build makes of the sources.

A patch to the sources shows in such tests only after another build: https://nodejs.org/api/packages.html
has where a package's entry points are named, and how a package finds itself by its own name.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.ecosystems import rebuild_commands
from bot.ecosystems.commands.invocations import Invocation, expanded
from bot.ecosystems.node.detect import manager
from bot.ecosystems.node.package_json import package_json, package_scripts
from bot.ecosystems.node.programs import PROGRAMS
from bot.ecosystems.remedy import Remedy
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_ENTRIES = ("main", "module", "bin", "exports")
_SCRIPTS = ("build", "compile", "bundle", "dist", "transpile")
_OUTPUT = frozenset({"dist", "build", "out", "umd", "cjs", "esm", "es"})
"""Folders whose files are made, even where the repository has them."""

_PROGRAM = re.compile(r".*\.[cm]?[jt]sx?")
_TESTS = ("test", "tests", "spec", "__tests__")
_MOST_FILES = 300
_NAMED = re.compile(r"""['"`](?P<name>\.{1,2}(?:/[\w./@-]*)?|@?[a-zA-Z][\w.@/-]*)['"`]""")
"""What a program names in quotes: a path from where it is, or a package."""

_ALIASES = ("vitest.config.*", "vite.config.*", "jest.config.*", "tsconfig*.json")
"""Files that may lead a package's own name to its sources."""


@dataclass(frozen=True, slots=True)
class NodeProduct:
    """What is built, and how.

    Attributes:
        path: The entry point that the tests read.
        command: Builds it, in the package's folder.
        folders: Where the build writes, as far as that is known.
    """

    path: str
    command: str
    folders: tuple[str, ...]


def node_product(tree: Tree, test: str) -> NodeProduct | None:
    """Return what has to be built again for a patch, None where the tests read the sources.

    Args:
        tree: Of the package, untouched.
        test: The command that tests it; it may build by itself.
    """
    scripts = package_scripts(tree.read)
    script = next((name for name in _SCRIPTS if name in scripts), None)
    if script is None:
        return None
    command = f"{manager(tree)[0]} run {script}"
    if _started(command, tree) & _started(test, tree):
        return None
    package = package_json(tree.read)
    made = {path for path in _entry_points(package) if _is_made(path, tree)}
    folders = tuple(sorted({_top(path) for path in made} - {""}))
    read = next(
        (path for path in _read(tree, package) if path in made or _top(path) in folders), None
    )
    return NodeProduct(read, command, folders) if read else None


def _started(command: str, tree: Tree) -> set[Invocation]:
    return {found for found, is_last in expanded(command, tree.read, (PROGRAMS,)) if is_last}


def _entry_points(package: dict[str, Any]) -> Iterator[str]:
    for key in _ENTRIES:
        for path in _leaves(package.get(key)):
            if _PROGRAM.fullmatch(path) and not re.search(r"\.d\.[cm]?ts$", path):
                yield posixpath.normpath(path)


def _leaves(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)


def _is_made(path: str, tree: Tree) -> bool:
    """Whether a build makes a file: the repository lacks it, or keeps it with what is made."""
    if "*" in path:
        return _top(path) in _OUTPUT
    return not tree.exists(path) or bool(_OUTPUT & {*path.split("/")[:-1]})


def _top(path: str) -> str:
    return posixpath.dirname(path).split("/")[0]


def _read(tree: Tree, package: dict[str, Any]) -> Iterator[str]:
    """Yield the files of the package that its tests name, as far as they are not tests themselves."""
    main = posixpath.normpath(next(_entry_points(package), "index.js"))
    name = _own_name(tree, package)
    for file in _test_files(tree):
        for match in _NAMED.finditer(tree.read(file) or ""):
            named = match["name"]
            if named.startswith("."):
                for folder in (posixpath.dirname(file), ""):
                    path = posixpath.normpath(posixpath.join(folder, named))
                    yield main if path == "." else path
            elif name and (named == name or named.startswith(f"{name}/")):
                yield main


def _own_name(tree: Tree, package: dict[str, Any]) -> str:
    """Return the name under which tests find what is built, "" where it may lead to the sources."""
    name = package.get("name")
    if not isinstance(name, str) or not name:
        return ""
    configured = [path for pattern in _ALIASES for path in tree.glob(pattern)]
    texts = [*(tree.read(path) or "" for path in configured), json.dumps(package.get("jest", ""))]
    return "" if any(name in text for text in texts) else name


def _test_files(tree: Tree) -> tuple[str, ...]:
    found = [path for folder in _TESTS for path in tree.glob(f"{folder}/**/*.*")]
    found += [*tree.glob("*.test.*"), *tree.glob("test.*")]
    programs = [path for path in found if _PROGRAM.fullmatch(path) and "node_modules" not in path]
    return tuple(sorted(programs, key=lambda path: (path.count("/"), path)))[:_MOST_FILES]


def stale_build(test: str, tree: Tree) -> Iterator[Remedy]:
    """Yield the build that the tests need anew whenever a patch changes its sources."""
    if (made := node_product(tree, test)) is not None:
        yield rebuild_commands.built_again(
            tree,
            "build",
            setup_repair.built_again(made.path, made.command),
            setup=made.command,
            build=made.command,
            sources=rebuild_commands.PROGRAMS,
            products=tuple(folder for folder in made.folders if folder != "src"),
        )
