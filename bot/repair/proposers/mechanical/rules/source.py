"""A file's text by lines, positions and syntax, and changes of it that keep the rest byte by byte."""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bot.code.source import Placed, SourceText

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's parser raises for text that is no Python, or nested for fun."""


@dataclass(frozen=True, slots=True)
class TextLiteral:
    """A literal of text as it stands, with its places: lines from 1, characters from 0."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True)
class RuleSource(SourceText):
    """A file of the work tree.

    Attributes:
        path: From the work tree's root.
        text: Its text; line ends as they are.
    """

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module | None:
        """Its syntax tree, None when it is no Python."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text)
        except _UNREADABLE:
            return None

    @cached_property
    def tokens(self) -> tuple[tokenize.TokenInfo, ...]:
        """Its tokens, as far as it can be read."""
        return tuple(self._tokens())

    def _tokens(self) -> Iterator[tokenize.TokenInfo]:
        try:
            yield from tokenize.generate_tokens(io.StringIO(self.text).readline)
        except (tokenize.TokenError, *_UNREADABLE):
            return

    @cached_property
    def literals(self) -> tuple[TextLiteral, ...]:
        """Its literals of text; from Python 3.12 on, formatted ones come in several tokens."""
        found: list[TextLiteral] = []
        opened: list[tokenize.TokenInfo] = []
        for token in self.tokens:
            name = tokenize.tok_name[token.type]
            if name == "STRING" and not opened:
                found.append(TextLiteral(token.start, token.end, token.string))
            elif name == "FSTRING_START":
                opened.append(token)
            elif name == "FSTRING_END" and opened:
                first = opened.pop()
                if not opened:
                    text = self.text[self.at(*first.start) : self.at(*token.end)]
                    found.append(TextLiteral(first.start, token.end, text))
        return tuple(found)

    def start(self, node: Placed) -> int:
        """Return where a node of the syntax tree begins."""
        return self.span(node)[0]

    def end(self, node: Placed) -> int:
        """Return where a node of the syntax tree ends."""
        return self.span(node)[1]

    def with_line(self, number: int, text: str) -> str:
        """Return the text with a line replaced; its end stays."""
        start = self.at(number)
        return self.replaced(start, start + len(self.line(number)), text)

    def with_inserted(self, number: int, *lines: str) -> str:
        """Return the text with lines inserted in front of one."""
        at = self.at(number)
        before = (
            self.newline if self.text and at == len(self.text) and self.text[-1] != "\n" else ""
        )
        return self.replaced(at, at, before + "".join(line + self.newline for line in lines))

    def without_lines(self, first: int, last: int) -> str:
        """Return the text without some lines, both ends included."""
        return self.replaced(self.at(first), self.at(last + 1), "")

    def word_at(self, line: int, column: int | None, word: str) -> int | None:
        """Return the offset of a word on a line.

        It is looked for at the column (from 1) first, then on the line, where it must not stand
        twice in different surroundings.
        """
        text = self.line(line)
        if column is not None and re.match(rf"{re.escape(word)}(?!\w)", text[column - 1 :]):
            return self.at(line, column - 1)
        found = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
        return self.at(line, found[0]) if found else None

    def means_the_same(self, text: str) -> bool:
        """Whether another text of the file is the same program, its docstrings aside."""
        other = RuleSource(self.path, text)
        if self.tree is None or other.tree is None:
            return False
        return _program(self.tree) == _program(other.tree)


def _program(tree: ast.Module) -> str:
    """Return a program without its places and docstrings."""
    return ast.dump(_WithoutDocstrings().visit(copy.deepcopy(tree)))


class _WithoutDocstrings(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value = ast.Constant("")
        return node
