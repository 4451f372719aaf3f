"""A text by lines and positions; what a change does not name stays byte by byte. Pure."""

from __future__ import annotations

import ast
import io
from functools import cached_property

Placed = ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg
"""Nodes of Python's syntax tree that have places."""


def newline_of(text: str) -> str:
    """Return the newline that most lines of a text end with."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf > text.count("\n") - crlf else "\n"


class SourceText:
    """A text whose parts are named by lines, from 1, and columns.

    Attributes:
        text: As it is, line ends included.
    """

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines with their ends, as Python and tools count them: no other of Unicode's counts."""
        return list(io.StringIO(self.text, newline=""))

    @cached_property
    def newline(self) -> str:
        """How most of its lines end."""
        return newline_of(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line))
        return starts

    def has(self, line: int) -> bool:
        """Whether there is such a line."""
        return 1 <= line <= len(self.lines)

    def line(self, number: int) -> str:
        """Return a line without its end; "" where there is none."""
        return self.lines[number - 1].rstrip("\r\n") if self.has(number) else ""

    def indent(self, number: int) -> str:
        """Return the space in front of a line."""
        line = self.line(number)
        return line[: len(line) - len(line.lstrip())]

    def at(self, line: int, column: int = 0) -> int:
        """Return the offset of a place, whose column is in characters from 0."""
        return self._starts[min(line - 1, len(self.lines))] + column

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place, whose column is in bytes of UTF-8 from 0, as `ast` has it."""
        text = self.lines[line - 1] if self.has(line) else ""
        if not text.isascii():
            column = len(text.encode()[:column].decode("utf-8", "replace"))
        return self.at(line, column)

    def span(self, node: Placed) -> tuple[int, int]:
        """Return the offsets from and to which a node stands, decorators left out."""
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return self.offset(node.lineno, node.col_offset), end

    def part(self, node: Placed) -> str:
        """Return a node's own text."""
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, start: int, end: int, text: str) -> str:
        """Return the text with a part of it replaced."""
        return self.text[:start] + text + self.text[end:]
