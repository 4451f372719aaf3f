"""Say what an edit breaks before anything runs: the syntax of its file, or a name that nothing defines."""

from __future__ import annotations

import builtins
import re
import symtable
import warnings
from collections.abc import Iterator

from bot.code.syntax import line_of, parse, walk

_MOST_BYTES = 400_000
_OPENS = (b":", b"(", b"[", b"{", b",", b"\\", b'"""', b"'''")
"""Ends of lines behind which the next one may be indented more."""


def newly_broken(path: str, before: bytes, after: bytes) -> str:
    """Return a sentence for the model where an edit broke a file's syntax, or "".

    A file may have errors that the edit did not make, such as the syntax of a newer language: only
    more of them count.

    Args:
        path: Of the file; its name says the language.
        before: Its content; b"" for a new file.
        after: Its content with the edit.
    """
    if max(len(before), len(after)) > _MOST_BYTES:
        return ""
    for look in (_errors, _indentation, _steps_in):
        had, has = look(path, before), look(path, after)
        if len(has) > len(had):
            return _said(path, had, has, after.count(b"\n") - before.count(b"\n"))
    return ""


def _said(path: str, had: list[int], has: list[int], moved: int) -> str:
    """Name the first line with an error that was not there before; lines behind the edit moved."""
    known = {*had, *(line + moved for line in had)}
    line = next((line for line in has if line not in known), has[0])
    return f"Note: {path} does not parse any more, from about line {line} on. Is that meant?"


def _errors(path: str, data: bytes) -> list[int]:
    """Return the lines of the syntax errors that a grammar sees; none where none reads it."""
    syntax = parse(path, data)
    if syntax is None or not syntax.root.has_error:
        return []
    nodes = walk(syntax.root, into=lambda node: node.has_error or node.is_missing)
    return [line_of(node) for node in nodes if node.type == "ERROR" or node.is_missing]


def _indentation(path: str, data: bytes) -> list[int]:
    """Return the line that Python itself refuses for its indentation: a grammar forgives some.

    What else it refuses may be the syntax of a newer Python than this one.
    """
    if not path.endswith((".py", ".pyi")):
        return []
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(data, path, "exec", dont_inherit=True)
    except IndentationError as error:
        return [error.lineno or 1]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return []


def _steps_in(path: str, data: bytes) -> list[int]:
    """Return the lines of Python that are indented more than the one before without a reason.

    Lines inside of brackets have reasons of their own, before an edit and after it.
    """
    if not path.endswith((".py", ".pyi")):
        return []
    found, before = [], b""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        deeper = len(line) - len(line.lstrip()) > len(before) - len(before.lstrip())
        if deeper and before and not before.rstrip().endswith(_OPENS):
            found.append(number)
        before = line
    return found


_MOST_SOURCE_BYTES = 400_000
_MOST_NAMES = 3
_KNOWN = frozenset(dir(builtins)) | {"__file__", "__path__", "__annotations__", "WindowsError"}
_DEFINES_ANYTHING = re.compile(rb"\bimport[ \t]*\*|\bglobals\(\)|\bexec\(|\bvars\(\)")
"""What names such a file has, only running it shows."""


def newly_unknown(path: str, before: bytes, after: bytes) -> str:
    """Return a sentence for the model about names that only the edited file uses undefined, or "".

    Args:
        path: Of the file; only Python is read.
        before: Its content; b"" for a new file.
        after: Its content with the edit.
    """
    if not path.endswith((".py", ".pyi")) or max(len(before), len(after)) > _MOST_SOURCE_BYTES:
        return ""
    had, has = _unknown(before), _unknown(after)
    names = sorted(has - had) if had is not None and has is not None else []
    if not names:
        return ""
    listed = ", ".join(f"`{name}`" for name in names[:_MOST_NAMES])
    return f"Note: {path} uses {listed}, which it neither imports nor defines. Is that meant?"


def _unknown(data: bytes) -> frozenset[str] | None:
    """Return the names that a module uses and does not have; None where that can't be known."""
    if _DEFINES_ANYTHING.search(data):
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            module = symtable.symtable(data.decode("utf-8-sig"), "<edited>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    scopes = tuple(_scopes(module))
    defined = {symbol.get_name() for symbol in module.get_symbols() if _is_defined(symbol)}
    for scope in scopes:
        defined |= {
            symbol.get_name()
            for symbol in scope.get_symbols()
            if symbol.is_declared_global() and _is_defined(symbol)
        }
    used = {
        symbol.get_name()
        for scope in scopes
        for symbol in scope.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or scope is module)
    }
    return frozenset(used - defined - _KNOWN)


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    waiting = [table]
    while waiting:
        scope = waiting.pop()
        yield scope
        waiting += scope.get_children()


def _is_defined(symbol: symtable.Symbol) -> bool:
    return (
        symbol.is_assigned()
        or symbol.is_imported()
        or symbol.is_namespace()
        or symbol.is_annotated()
    )
