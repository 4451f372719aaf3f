"""What a rule may know of the other files: how they import a name, and which files there are."""

from __future__ import annotations

import ast
import posixpath
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, order=True)
class Import:
    """How a name is imported.

    Attributes:
        module: Without dots in front; "" for `from . import name`.
        name: What is taken from the module, "" for the module itself.
        bound: The name in the file.
        folder: Of a relative import: the folder that the module is looked up in. None if absolute.
    """

    module: str
    name: str
    bound: str
    folder: str | None = None

    def origin(self, path: str) -> str | None:
        """Return the module as a file has to write it, None where it can't reach it."""
        if self.folder is None:
            return self.module
        above = posixpath.dirname(path)
        dots = "."
        while above != self.folder and not self.folder.startswith(f"{above}/" if above else ""):
            above, dots = posixpath.dirname(above), f"{dots}."
        below = posixpath.relpath(self.folder, above or ".").replace("/", ".")
        if not above and self.folder != posixpath.dirname(path):
            return None  # another top-level package
        inner = "" if below == "." else below
        return dots + ".".join(part for part in (inner, self.module) if part)


@dataclass(frozen=True)
class ProjectNames:
    """Other files of the project that name what a tool does not know, and the paths of all.

    Attributes:
        files: Python files by path.
        paths: Of every file.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()

    @cached_property
    def imports(self) -> Mapping[str, Counter[Import]]:
        """How the files import each name, with the number of files that do it so."""
        found: dict[str, Counter[Import]] = {}
        for path, text in self.files.items():
            for item in set(_imports(path, text)):
                found.setdefault(item.bound, Counter())[item] += 1
        return found

    def defining(self, name: str) -> tuple[str, ...]:
        """Return the files that define a name for others: as function, class or variable."""
        return tuple(path for path, text in self.files.items() if name in _defined(text))

    def usual_import(self, name: str, path: str) -> Import | None:
        """Return how other files than `path` usually import a name, if most agree."""
        counted = self.imports.get(name, Counter())
        ranked = sorted(
            counted.items(), key=lambda pair: (-pair[1], pair[0].folder or "", pair[0].module)
        )
        if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            return None
        usual = ranked[0][0]
        own = path.removesuffix(".py").replace("/", ".")
        return (
            None if usual.module and own.endswith(usual.module) and usual.folder is None else usual
        )


def _statements(text: str) -> Sequence[ast.stmt]:
    """Return the statements at the top of a file; none where it can't be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _defined(text: str) -> frozenset[str]:
    """Return the names that a file defines at its top; what it imports is another file's."""
    names: set[str] = set()
    for node in _statements(text):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return frozenset(names)


def _imports(path: str, text: str) -> Iterator[Import]:
    """Yield the imports at the top of a file, and those for its annotations."""
    for node in _statements(text):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.asname or "." not in alias.name:
                        yield Import(alias.name, "", alias.asname or alias.name)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                folder = _folder(path, level) if level else None
                for alias in aliases:
                    yield Import(module or "", alias.name, alias.asname or alias.name, folder)


def _folder(path: str, level: int) -> str:
    for _ in range(level):
        path = posixpath.dirname(path)
    return path
