"""Say when an edit makes a Python file use a name that nothing there defines: often an import lacks."""

from __future__ import annotations

import builtins
import re
import symtable
import warnings
from collections.abc import Iterator

_MOST_BYTES = 400_000
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
    if not path.endswith((".py", ".pyi")) or max(len(before), len(after)) > _MOST_BYTES:
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
