"""What a patch newly lets exceptions decide: handlers, and how to enter them. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bot.repair.harness.driver.protocol import MODULE

_ANY = "Exception"
"""What is raised to enter a handler that names no exception."""

_BEGINNING = (
    ast.Expr, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.While, ast.For,
    ast.Assert, ast.Raise,
)  # fmt: skip
"""Statements that evaluate an expression before anything else."""

_ASKED = f"__import__('sys').modules['{MODULE}']"


@dataclass(frozen=True, slots=True)
class Handler:
    """Where a handler says what it takes, and what is raised to enter it.

    Attributes:
        start: First byte of what it takes; behind `except`, where it takes everything.
        end: First byte behind it.
        raised: The first exception that it takes, as it is written.
        is_of_probe: Whether its `try` holds nothing but an expression whose value nobody takes.
    """

    start: int
    end: int
    raised: str
    is_of_probe: bool = False

    @property
    def watch(self) -> tuple[str, str]:
        """Words before and behind the first expression of its `try`, so that it may be entered.

        The ones before it have a place for the condition's `number`.
        """
        raised = self.raised.replace("{", "{{").replace("}", "}}")
        if self.is_of_probe:
            return (f"{_ASKED}.probed({{number}}, lambda: {raised}, lambda: (", "))")
        return (f"({_ASKED}.tried({{number}}, lambda: {raised}), (", "))[1]")

    @property
    def noted(self) -> tuple[str, str]:
        """Words before and behind what it takes, so that it is told when it is entered."""
        if self.start == self.end:
            return f" {_ASKED}.caught({{number}}, lambda: BaseException", ")"
        return f"{_ASKED}.caught({{number}}, lambda: (", "))"

    def settled(self, first: str, *, entered: bool) -> str:
        """Return the first expression so that the handler is entered, or is not."""
        if entered:
            return f"((_ for _ in ()).throw({self.raised}), ({first}))[1]"
        return "None" if self.is_of_probe else f"({first})"


@dataclass(frozen=True, slots=True)
class GuardedExpression:
    """A handler, and the expression with which its `try` begins.

    Attributes:
        first: That expression.
        handler: The handler's syntax.
        is_probe: Whether that is all it does, and nobody takes its value.
        known_by: What makes it the same as another one: what is tried, and what it takes.
    """

    first: ast.expr
    handler: ast.ExceptHandler
    is_probe: bool
    known_by: str


def new_handlers(before: ast.AST | None, after: ast.AST) -> Iterator[GuardedExpression]:
    """Yield the first handler of each `try` that a function did not have before."""
    known = (
        Counter(tried.known_by for tried in _tried_in(before)) if before is not None else Counter()
    )
    for tried in _tried_in(after):
        known[tried.known_by] -= 1
        if known[tried.known_by] < 0:
            yield tried


def _tried_in(function: ast.AST) -> Iterator[GuardedExpression]:
    for node in ast.walk(function):
        if isinstance(node, ast.Try) and node.handlers:
            first, handler = _first(node.body[0]), node.handlers[0]
            if first is not None:
                tried = ast.Module(node.body, [])
                taken = ast.dump(handler.type) if handler.type else ""
                is_probe = len(node.body) == 1 and isinstance(node.body[0], ast.Expr)
                yield GuardedExpression(first, handler, is_probe, f"{ast.dump(tried)} {taken}")


def _first(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement evaluates first, as far as that is one expression."""
    if isinstance(statement, ast.With):
        return statement.items[0].context_expr
    if not isinstance(statement, _BEGINNING):
        return None
    fields = dict(ast.iter_fields(statement))
    return next((fields[name] for name in ("value", "test", "iter", "exc") if name in fields), None)


def raised_by(handler: ast.ExceptHandler) -> str:
    """Return the first exception that a handler takes, as Python writes it."""
    match handler.type:
        case None:
            return _ANY
        case ast.Tuple(elts=[first, *_]):
            return ast.unparse(first)
        case taken:
            return ast.unparse(taken)
