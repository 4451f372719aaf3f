"""How tightly expressions bind, so that new ones get parentheses where they need them.

Source: https://docs.python.org/3/reference/expressions.html#operator-precedence
"""

from __future__ import annotations

import ast

_OPERATORS: dict[type[ast.AST], int] = {
    ast.Or: 3, ast.And: 4, ast.Not: 5,
    ast.BitOr: 7, ast.BitXor: 8, ast.BitAnd: 9,
    ast.LShift: 10, ast.RShift: 10,
    ast.Add: 11, ast.Sub: 11,
    ast.Mult: 12, ast.MatMult: 12, ast.Div: 12, ast.FloorDiv: 12, ast.Mod: 12,
    ast.UAdd: 13, ast.USub: 13, ast.Invert: 13,
    ast.Pow: 14,
}  # fmt: skip
_COMPARISON = 6
_AWAIT = 15
_ATOM = 16
_ANYTHING = 1


def strength(node: ast.AST) -> int:  # noqa: PLR0911 - a table of cases
    """Return how tightly an expression binds."""
    match node:
        case ast.BoolOp(op=op) | ast.BinOp(op=op) | ast.UnaryOp(op=op):
            return _OPERATORS[type(op)]
        case ast.Compare():
            return _COMPARISON
        case ast.IfExp():
            return 2
        case ast.Lambda():
            return _ANYTHING
        case ast.Yield() | ast.YieldFrom() | ast.NamedExpr() | ast.Starred():
            return 0
        case ast.Await():
            return _AWAIT
        case _:
            return _ATOM


def needed(parent: ast.AST | None, node: ast.AST) -> int:  # noqa: C901, PLR0911 - a table of cases
    """Return how tightly what stands in `node`'s place has to bind."""
    match parent:
        case ast.BoolOp(op=op):
            return _OPERATORS[type(op)] + 1
        case ast.BinOp(op=ast.Pow(), left=left):
            return _AWAIT if left is node else _OPERATORS[ast.USub]
        case ast.BinOp(op=op, right=right):
            return _OPERATORS[type(op)] + (right is node)
        case ast.UnaryOp(op=op):
            return _OPERATORS[type(op)]
        case ast.Compare():
            return _COMPARISON + 1
        case ast.Attribute() | ast.Subscript(value=ast.AST()) if getattr(parent, "value") is node:  # noqa: B009 - both have it
            return _ATOM
        case ast.Call(func=func) if func is node:
            return _ATOM
        case ast.IfExp(orelse=orelse):
            return 2 if orelse is node else 3
        case ast.comprehension():
            return 3
        case ast.Starred() | ast.Await():
            return _AWAIT
        case _:
            return _ANYTHING
