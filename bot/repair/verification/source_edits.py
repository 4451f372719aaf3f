"""Change a Python program at places of its syntax tree; every other byte stays as it is. Pure."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass

from bot.code.source import SourceText

MOST_BYTES = 2**20
"""Of a program; a longer one is not parsed."""


@dataclass(frozen=True, slots=True, order=True)
class SourceEdit:
    """New text in the place of some text.

    Attributes:
        line: Where it begins, from 1.
        column: In bytes of UTF-8, from 0.
        end_line: Where it ends.
        end_column: The first byte that stays.
        text: What stands there instead.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def insertion(line: int, column: int, text: str) -> SourceEdit:
    """Return an edit that replaces nothing."""
    return SourceEdit(line, column, line, column, text)


def instead_of(node: ast.expr | ast.stmt, text: str) -> SourceEdit:
    """Return an edit that replaces a node by an expression or statement of as many lines.

    The text ends with a bracket where the node has several lines: there they fit in.
    """
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    missing = "\n" * (end_line - node.lineno)
    text = f"{text[:-1]}{missing}{text[-1]}" if missing else text
    return SourceEdit(node.lineno, node.col_offset, end_line, end_column, text)


def wrapped(node: ast.expr, before: str, after: str) -> tuple[SourceEdit, SourceEdit]:
    """Return edits that put text around an expression."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return insertion(node.lineno, node.col_offset, before), insertion(end_line, end_column, after)


class PythonProgram(SourceText):
    """A Python program with its syntax tree.

    Raises:
        ValueError: When it can't be read or parsed here: too long, too deep, or of a newer Python.
    """

    def __init__(self, source: bytes) -> None:
        if len(source) > MOST_BYTES:
            raise ValueError("The program is too long.")
        try:
            self._encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
            self.text = source.decode(self._encoding)
            self.module = _parsed(source)
        except (SyntaxError, UnicodeError, LookupError, RecursionError, MemoryError) as error:
            raise ValueError("The program can't be parsed.") from error

    def is_blank(self, line: int) -> bool:
        """Whether there is nothing but white space in a line."""
        return not self.line(line).strip()

    def edited(self, edits: Iterable[SourceEdit]) -> bytes | None:
        """Return the program with edits that don't overlap, None if it is none any more."""
        text = self.text
        for edit in sorted(edits, reverse=True):
            start = self.offset(edit.line, edit.column)
            text = text[:start] + edit.text + text[self.offset(edit.end_line, edit.end_column) :]
        try:
            source = text.encode(self._encoding)
            _parsed(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return source


def _parsed(source: bytes) -> ast.Module:
    """Parse; twice, as two threads that do so at once may disturb each other.

    Python 3.11 has mended that in 3.11.8 (https://github.com/python/cpython/issues/106905).
    """
    try:
        return ast.parse(source)
    except SystemError:
        return ast.parse(source)
