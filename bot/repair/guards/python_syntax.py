"""Read Python programs that may be none. Pure."""

from __future__ import annotations

import ast


def parsed(data: bytes | None) -> ast.Module | None:
    """Return the syntax of a program, None where there is none."""
    try:
        return ast.parse(data) if data is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
