"""Put changed code into live functions, so that a candidate costs no import.

A change inside functions is compiled by itself, compared with the code that it replaces, and given
to the functions that exist already, wherever they were imported to. What can't be done that way
(decorators, defaults, class bodies, module level) is `Cold`: it takes a process that imports anew.
"""

from __future__ import annotations

import ast
import hashlib
import types
from typing import Any, Iterator, NamedTuple, Tuple

from .live_code import key, live_functions
from .suite import UNCOMPILABLE

Path = Tuple[Any, ...]
_OPTIMIZED = 0x1  # CO_OPTIMIZED: functions have it, modules and class bodies have not
_FUTURE = 0x1FF0000  # CO_FUTURE_* flags


class Invalid(Exception):
    """It does not compile."""


class Unchanged(Exception):
    """It compiles to the very same code."""


class Cold(Exception):
    """It changes what runs at import."""


class MutantEdit(NamedTuple):
    """Replace the characters from `start` to `end` of a file."""

    start: int
    end: int
    text: str


class Patched(NamedTuple):
    """Changed code, ready to be put into functions.

    Attributes:
        replacements: Functions, their new code and their old one.
        digest: Equal for candidates that behave the same.
    """

    replacements: list[tuple[Any, Any, Any]]
    digest: str

    def apply(self) -> None:
        """Put it in."""
        for function, code, _ in self.replacements:
            function.__code__ = code

    def revert(self) -> None:
        """Take it out again."""
        for function, _, code in self.replacements:
            function.__code__ = code


def edited(text: str, edits: list[MutantEdit]) -> str:
    """Return a text with the edits made."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


class Module:
    """A source file and the functions that were made from it."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._offsets = [0]
        for line in text.splitlines(keepends=True):
            self._offsets.append(self._offsets[-1] + len(line))
        tree = ast.parse(text)
        self._units = list(_units(tree))
        self._imports = ast.parse(f"import {', '.join(sorted(_imported(tree)) or ['sys'])}").body
        self._flags = _future_flags(tree, text)
        self._codes: dict[Any, dict[Path, Any]] = {}
        self._functions = live_functions(path)

    def patched(self, edits: list[MutantEdit]) -> Patched:
        """Return the changed code.

        Raises:
            Invalid: When it does not compile.
            Unchanged: When it compiles to the same.
            Cold: When live functions can't take it.
        """
        parts: dict[Any, list[MutantEdit]] = {}
        for edit in edits:
            parts.setdefault(self._unit(edit), []).append(edit)
        digest = hashlib.sha1(self._path.encode())  # noqa: S324 - it names, nothing hangs on it
        replacements: list[tuple[Any, Any]] = []
        for unit in sorted(parts):
            replacements += self._changed(unit, parts[unit], digest)
        if not replacements:
            raise Unchanged
        return Patched([(f, code, f.__code__) for f, code in replacements], digest.hexdigest())

    def _changed(self, unit: Any, edits: list[MutantEdit], digest: Any) -> list[tuple[Any, Any]]:
        old = self._codes.get(unit)
        if old is None:
            old = self._codes[unit] = self._compiled(unit, [])
        new = self._compiled(unit, edits)
        if set(old) != set(new):
            return self._reshaped(unit, old, new, digest)
        replacements: list[tuple[Any, Any]] = []
        for path in new:
            surface = _surface(new[path])
            if surface != _surface(old[path]):
                digest.update(repr((unit, path, surface)).encode())
                replacements += self._replacements(path, old, new)
        return replacements

    def _reshaped(
        self, unit: Any, old: dict[Path, Any], new: dict[Path, Any], digest: Any
    ) -> list[tuple[Any, Any]]:
        """Return the whole function with its inner ones, some of which came or went."""
        homes = [path for path in old if path in new and _is_home(path, old)]
        for path in [*old, *new]:
            alike = path in old and path in new and _surface(old[path]) == _surface(new[path])
            if not alike and not any(path[: len(home)] == home for home in homes):
                raise Cold
        replacements: list[tuple[Any, Any]] = []
        for path in homes:
            for place, code in new.items():
                if place[: len(path)] == path:
                    digest.update(repr((unit, place, _surface(code))).encode())
            replacements += self._replacements(path, old, new)
        return replacements

    def _replacements(
        self, path: Path, old: dict[Path, Any], new: dict[Path, Any]
    ) -> list[tuple[Any, Any]]:
        """Return the functions that run or make the code at `path`, each with its new code."""
        around = [path[:n] for n in range(1, len(path) + 1)]
        found = [
            (function, new[place])
            for place in around
            if old[place].co_flags & _OPTIMIZED
            for function in self._functions.get(key(old[place]), ())
        ]
        if not found:
            raise Cold
        for function, code in found:
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                raise Cold
        return found

    def extent(self, edit: MutantEdit) -> tuple[int, int]:
        """Return the first and the last line of what is compiled anew for an edit.

        Raises:
            Cold: When there is no such part.
        """
        start, end, _ = self._unit(edit)
        return start, end

    def _unit(self, edit: MutantEdit) -> Any:
        for unit in self._units:
            start, end, _ = unit
            if self._offsets[start - 1] <= edit.start and edit.end <= self._offsets[end]:
                return unit
        raise Cold

    def _compiled(self, unit: Any, edits: list[MutantEdit]) -> dict[Path, Any]:
        """Return the code objects of a unit by their place in it."""
        start, end, header = unit
        at = self._offsets[start - 1]
        moved = [MutantEdit(edit.start - at, edit.end - at, edit.text) for edit in edits]
        text = header + edited(self._text[at : self._offsets[end]], moved)
        try:
            tree = ast.parse(text)
            ast.increment_lineno(tree, start - 1 - header.count("\n"))
            tree.body[:0] = self._imports
            code = compile(tree, self._path, "exec", flags=self._flags, dont_inherit=True)
        except UNCOMPILABLE as error:
            raise Invalid from error
        return dict(_tree(code, ()))


def _units(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    """Yield what can be compiled alone: first line, last line, header; small ones first."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield (*_span(part), f"class {node.name}:\n")
    for node in tree.body:
        yield (*_span(node), "")


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield the names that a module imports.

    A function's code depends on them: attributes of imported names are called in another way.
    """
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for name in node.names:
            if name.name != "*":
                yield name.asname or name.name.partition(".")[0]
    elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        for part in ast.iter_child_nodes(node):
            yield from _imported(part)


def _span(node: Any) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]), node.end_lineno


def _future_flags(tree: ast.Module, text: str) -> int:
    if not any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
    ):
        return 0
    return compile(text, "x", "exec", dont_inherit=True).co_flags & _FUTURE


def _tree(code: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, code
    counts: dict[str, int] = {}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            number = counts[constant.co_name] = counts.get(constant.co_name, 0) + 1
            yield from _tree(constant, (*path, (constant.co_name, number)))


def _is_home(path: Path, codes: dict[Path, Any]) -> bool:
    """Whether code is that of a function which was made at import: it runs whatever is inside."""
    outer = [path[:n] for n in range(1, len(path))]
    return bool(codes[path].co_flags & _OPTIMIZED) and not any(
        codes[place].co_flags & _OPTIMIZED for place in outer
    )


def _surface(code: Any) -> tuple[Any, ...]:
    """Return what makes code behave as it does, line numbers and inner functions left out."""
    constants = tuple(
        "code" if isinstance(constant, types.CodeType) else repr(constant)
        for constant in code.co_consts
    )
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        getattr(code, "co_exceptiontable", b""),
    )
