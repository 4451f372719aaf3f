"""Parse an expression into a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.ci.workflow.expressions.values import to_number

MOST_CHARACTERS = 21_000
MOST_DEPTH = 50
"""Limits of GitHub's own parser."""


class ExpressionError(Exception):
    """The text is not an expression; the message is a sentence that names the place."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant."""

    value: str | float | bool | None


@dataclass(frozen=True, slots=True)
class Name:
    """A context: `github`, `matrix`."""

    name: str


@dataclass(frozen=True, slots=True)
class MemberAccess:
    """`of.key` or `of[key]`."""

    of: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Each:
    """`of.*` or `of[*]`."""

    of: Node


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function with its arguments; the name is in lower case."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """`!of`."""

    of: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands; the operator is one of `_LEVELS`."""

    operator: str
    left: Node
    right: Node


Node = Literal | Name | MemberAccess | Each | FunctionCall | Not | Binary

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>'(?:[^']|'')*')
    | (?P<number>[+-]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?))(?![\w-])
    | (?P<name>[A-Za-z_][\w-]*)
    | (?P<sign>&&|\|\||==|!=|<=|>=|[<>!.,()\[\]*])
    )""",
    re.VERBOSE,
)
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="))
"""Binary operators, the loosest first."""

_CONSTANTS: dict[str, str | float | bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "nan": float("nan"),
    "infinity": float("inf"),
}


def parse(text: str) -> Node:
    """Return the tree of an expression, given without its `${{ }}`.

    Raises:
        ExpressionError: When it is not one.
    """
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"An expression is longer than {MOST_CHARACTERS} characters.")
    return _Parser(text, tuple(_tokens(text))).whole()


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()[:20]
            raise ExpressionError(
                f"The expression `{text.strip()[:200]}` has a syntax error at `{rest}`."
            )
        position = match.end()
        yield match.lastgroup, match[match.lastgroup]


class _Parser:
    """Recursive descent; each method takes its tokens and returns a node."""

    def __init__(self, text: str, tokens: tuple[tuple[str, str], ...]) -> None:
        self._text = text.strip()
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._binary(0)
        if self._at < len(self._tokens):
            raise self._unexpected()
        return node

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while (sign := self._peek()) in {("sign", operator) for operator in _LEVELS[level]}:
            self._at += 1
            node = Binary(sign[1], node, self._binary(level + 1))
        return node

    def _unary(self) -> Node:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ExpressionError(f"The expression `{self._text[:80]}` is nested too deeply.")
        node: Node = Not(self._unary()) if self._took("!") else self._postfix()
        self._depth -= 1
        return node

    def _postfix(self) -> Node:
        node = self._primary()
        while True:
            if self._took("."):
                node = Each(node) if self._took("*") else MemberAccess(node, Literal(self._name()))
            elif self._took("["):
                node = Each(node) if self._took("*") else MemberAccess(node, self._binary(0))
                self._expect("]")
            else:
                return node

    def _primary(self) -> Node:
        kind, text = self._next()
        match kind:
            case "text":
                return Literal(text[1:-1].replace("''", "'"))
            case "number":
                return Literal(to_number(text))
            case "name" if text.lower() in _CONSTANTS and self._peek() != ("sign", "("):
                return Literal(_CONSTANTS[text.lower()])
            case "name":
                return self._call(text) if self._took("(") else Name(text.lower())
        if text == "(":
            node = self._binary(0)
            self._expect(")")
            return node
        self._at -= 1
        raise self._unexpected()

    def _call(self, name: str) -> FunctionCall:
        arguments: list[Node] = []
        while not self._took(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._binary(0))
        return FunctionCall(name.lower(), tuple(arguments))

    def _name(self) -> str:
        kind, text = self._next()
        if kind not in {"name", "number"}:
            self._at -= 1
            raise self._unexpected()
        return text

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        if token[0] == "end":
            raise self._unexpected()
        self._at += 1
        return token

    def _took(self, sign: str) -> bool:
        if self._peek() != ("sign", sign):
            return False
        self._at += 1
        return True

    def _expect(self, sign: str) -> None:
        if not self._took(sign):
            raise self._unexpected()

    def _unexpected(self) -> ExpressionError:
        kind, text = self._peek()
        place = "its end" if kind == "end" else f"`{text[:40]}`"
        return ExpressionError(
            f"The expression `{self._text[:200]}` has a syntax error at {place}."
        )
