"""Parse an expression into a tree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

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


def walk(node: Node) -> Iterator[Node]:
    """Yield a tree's nodes, each before what is in it."""
    yield node
    match node:
        case Literal() | Name():
            inside: tuple[Node, ...] = ()
        case MemberAccess(of, key):
            inside = (of, key)
        case Each(of) | Not(of):
            inside = (of,)
        case Binary(_, left, right):
            inside = (left, right)
        case FunctionCall(_, arguments):
            inside = arguments
        case _:
            assert_never(node)
    for each in inside:
        yield from walk(each)


_BOUNDARY = r"()\[\],.!<>=&|\s"
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<text>'(?:[^']|'')*')
    | (?P<number>[-+0-9](?:[^{_BOUNDARY}]|\.)*)
    | (?P<name>[A-Za-z_][A-Za-z0-9_-]*(?![^{_BOUNDARY}]))
    | (?P<sign>&&|\|\||==|!=|<=|>=|[<>!.,()\[\]*])
    )""",
    re.VERBOSE,
)
_FRACTION = re.compile(rf"\s*(?P<number>\.(?:[^{_BOUNDARY}]|\.)*)")
"""A number that begins with its point, where a property's name can't be meant."""

_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="))
"""Binary operators, the loosest first."""

_CONSTANTS: dict[str, str | float | bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
}

_CONTEXTS = frozenset(
    {
        *("env", "github", "inputs", "job", "jobs", "matrix", "needs", "runner"),
        *("secrets", "steps", "strategy", "vars"),
    }
)
"""Source: https://docs.github.com/en/actions/reference/workflows-and-actions/contexts"""

_MOST_ARGUMENTS = 255
SIGNATURES: Mapping[str, tuple[int, int]] = {
    "always": (0, 0),
    "cancelled": (0, 0),
    "case": (3, _MOST_ARGUMENTS),
    "contains": (2, 2),
    "endswith": (2, 2),
    "failure": (0, _MOST_ARGUMENTS),
    "format": (1, _MOST_ARGUMENTS),
    "fromjson": (1, 1),
    "hashfiles": (1, _MOST_ARGUMENTS),
    "join": (1, 2),
    "startswith": (2, 2),
    "success": (0, _MOST_ARGUMENTS),
    "tojson": (1, 1),
}
"""For each function the fewest and most arguments. A job's `success()` may name other jobs.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#functions
"""


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
    last = ("", "")
    while position < end:
        match = None if _is_operand(last) else _FRACTION.match(text, position)
        match = match or _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()[:20]
            raise ExpressionError(
                f"The expression `{text.strip()[:200]}` has a syntax error at `{rest}`."
            )
        position = match.end()
        last = match.lastgroup, match[match.lastgroup]
        yield last


def _is_operand(token: tuple[str, str]) -> bool:
    """Whether a point behind a token leads to one of its properties."""
    return token[0] == "name" or token[1] in {")", "]", "*"}


class _Parser:
    """Recursive descent; each method takes its tokens and returns a node.

    It counts depth as GitHub's does: groups, arguments and indexes, chains of `&&` or `||`, each
    `!`, and each property behind another.
    """

    def __init__(self, text: str, tokens: tuple[tuple[str, str], ...]) -> None:
        self._text = text.strip()
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._at < len(self._tokens):
            raise self._unexpected()
        return node

    def _expression(self) -> Node:
        self._deeper()
        node = self._binary(0)
        self._depth -= 1
        return node

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ExpressionError(f"The expression `{self._text[:80]}` is nested too deeply.")

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        operators = {("sign", operator) for operator in _LEVELS[level]}
        node = self._binary(level + 1)
        counts = level < 2 and self._peek() in operators  # noqa: PLR2004 - `||` and `&&`
        if counts:
            self._deeper()
        while (sign := self._peek()) in operators:
            self._at += 1
            node = Binary(sign[1], node, self._binary(level + 1))
        self._depth -= counts
        return node

    def _unary(self) -> Node:
        if not self._took("!"):
            return self._postfix()
        self._deeper()
        node = Not(self._unary())
        self._depth -= 1
        return node

    def _postfix(self) -> Node:
        before, literal = self._depth, self._peek()[0] in {"text", "number"}
        node = self._primary()
        if literal or self._tokens[self._at - 1][1] in _CONSTANTS:
            return node
        while True:
            if self._took("."):
                self._deeper()
                node = Each(node) if self._took("*") else MemberAccess(node, Literal(self._name()))
            elif self._took("["):
                node = Each(node) if self._took("*") else MemberAccess(node, self._expression())
                self._expect("]")
                self._deeper()
            else:
                self._depth = before
                return node

    def _primary(self) -> Node:
        kind, text = self._next()
        match kind:
            case "text":
                return Literal(text[1:-1].replace("''", "'"))
            case "number" if not math.isnan(number := to_number(text)):
                return Literal(number)
            case "name" if text in _CONSTANTS:
                return Literal(_CONSTANTS[text])
            case "name" if self._took("("):
                return self._call(text)
            case "name" if text.lower() in _CONTEXTS:
                return Name(text.lower())
            case "name":
                raise ExpressionError(f"Expressions have no context `{text[:60]}`.")
        if text == "(":
            node = self._expression()
            self._expect(")")
            return node
        self._at -= 1
        raise self._unexpected()

    def _call(self, name: str) -> FunctionCall:
        arguments: list[Node] = []
        while not self._took(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._expression())
        return _checked(FunctionCall(name.lower(), tuple(arguments)))

    def _name(self) -> str:
        kind, text = self._next()
        if kind != "name":
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


def _checked(call: FunctionCall) -> FunctionCall:
    """Return a call of a function that there is, with as many arguments as it takes.

    Raises:
        ExpressionError: It is none.
    """
    name, given = call.function, len(call.arguments)
    if name not in SIGNATURES:
        raise ExpressionError(f"Expressions have no function `{name[:60]}`.")
    fewest, most = SIGNATURES[name]
    if not fewest <= given <= most or (name == "case" and given % 2 == 0):
        raise ExpressionError(f"`{name}` does not take {given} arguments.")
    return call
