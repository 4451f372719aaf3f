"""Syntax trees of the languages that guards read, and walks over the parts that a patch touches.

tree-sitter reads any bytes: what it does not understand becomes an error node.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from posixpath import splitext

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from bot.code.languages import TRAITS, Language

_GRAMMARS = {
    suffix: (language, *grammar)
    for language, traits in TRAITS.items()
    for suffix, grammar in traits.grammars.items()
}

LITERALS = frozenset({
    "string", "integer", "float", "true", "false", "none", "concatenated_string",
    "number", "null", "template_string", "regex",
    "interpreted_string_literal", "raw_string_literal", "int_literal", "float_literal",
    "rune_literal", "nil",
    "string_literal", "integer_literal", "boolean_literal", "char_literal",
})  # fmt: skip
"""Kinds of nodes that are values as they stand, in all the languages."""


class Lines:
    """Numbers of lines, from 1, that can be asked whether a range holds one of them."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.numbers = sorted(set(numbers))

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def touch(self, node: Node) -> bool:
        """Whether one of the lines belongs to the node."""
        first, last = node.start_point.row + 1, node.end_point.row + 1
        at = bisect_left(self.numbers, first)
        return at < len(self.numbers) and self.numbers[at] <= last

    def hold(self, line: int) -> bool:
        """Whether a line is one of them."""
        at = bisect_left(self.numbers, line)
        return at < len(self.numbers) and self.numbers[at] == line


class Syntax:
    """A file's syntax tree."""

    def __init__(self, language: Language, root: Node) -> None:
        self.language = language
        self.root = root
        self._seen: tuple[Lines, list[Node]] | None = None

    def added(self, lines: Lines, *kinds: str) -> Iterator[Node]:
        """Yield nodes of these kinds that begin on one of the lines, in the text's order."""
        return (
            node for node in self._on(lines) if node.type in kinds and lines.hold(line_of(node))
        )

    def touched(self, lines: Lines, *kinds: str) -> Iterator[Node]:
        """Yield nodes of these kinds that have one of the lines."""
        return (node for node in self._on(lines) if node.type in kinds)

    def _on(self, lines: Lines) -> list[Node]:
        """Return the nodes that have one of the lines; every guard asks for the same ones."""
        if self._seen is None or self._seen[0] is not lines:
            self._seen = lines, list(walk(self.root, into=lines.touch))
        return self._seen[1]


def language_of(path: str) -> Language | None:
    """Return the language of a file by its name, or None."""
    grammar = _GRAMMARS.get(splitext(path)[1].lower())
    return grammar[0] if grammar else None


def is_compiled(path: str) -> bool:
    """Whether a file is of a language whose programs are compiled as a whole before they run."""
    language = language_of(path)
    return language is not None and TRAITS[language].is_compiled


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar that reads a file, by its name, or None."""
    grammar = _GRAMMARS.get(splitext(path)[1].lower())
    return _language(*grammar[1:]) if grammar else None


def parse(path: str, data: bytes) -> Syntax | None:
    """Return a file's syntax tree, or None where no grammar reads it."""
    grammar = _GRAMMARS.get(splitext(path)[1].lower())
    if grammar is None:
        return None
    language, package, name = grammar
    return Syntax(language, Parser(_language(package, name)).parse(data).root_node)


@cache
def _language(package: str, name: str) -> Grammar:
    return Grammar(getattr(import_module(package), name)())


def walk(node: Node, *, into: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """Yield a node and those below it, in the text's order, without branches that `into` refuses."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if into(current):
            yield current
            waiting.extend(reversed(current.children))


def line_of(node: Node) -> int:
    """Return the number of a node's first line, from 1."""
    return node.start_point.row + 1


def text_of(node: Node | None) -> str:
    """Return a node's text; nothing for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def compact(node: Node | None) -> str:
    """Return a node's text without any space."""
    return "".join(text_of(node).split())


def field(node: Node, name: str) -> Node | None:
    """Return a named part of a node."""
    return node.child_by_field_name(name)


def parents(node: Node) -> Iterator[Node]:
    """Yield what a node stands in, from the inside out."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def content(node: Node) -> str:
    """Return what a literal of text says, without its quotes; other nodes as they stand."""
    text = text_of(node)
    for quote in ('"""', "'''", '"', "'", "`"):
        _, mark, rest = text.partition(quote)
        if mark and node.type in LITERALS:
            return rest.removesuffix(quote)
    return text


def statements(block: Node | None) -> list[Node]:
    """Return the statements of a block, without comments and a docstring."""
    inside = [child for child in (block.named_children if block else []) if child.type != "comment"]
    if len(inside) == 1 and inside[0].type == "statement_list":  # Go
        inside = [child for child in inside[0].named_children if child.type != "comment"]
    if inside and inside[0].type == "expression_statement":
        only = inside[0].named_children
        if len(only) == 1 and only[0].type == "string":
            return inside[1:]
    return inside


def parsed(data: bytes | None) -> ast.Module | None:
    """Return the syntax of a program, None where there is none."""
    try:
        return ast.parse(data) if data is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
