"""Comparisons: with another operator, the other way round, by value instead of by identity."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_OTHER_COMPARISONS = {
    "<": {"<=": 1.0, ">": 0.7, ">=": 0.6, "!=": 0.25, "==": 0.2},
    "<=": {"<": 1.0, ">=": 0.7, ">": 0.6, "==": 0.2, "!=": 0.15},
    ">": {">=": 1.0, "<": 0.7, "<=": 0.6, "!=": 0.25, "==": 0.2},
    ">=": {">": 1.0, "<=": 0.7, "<": 0.6, "==": 0.2, "!=": 0.15},
    "==": {"!=": 0.8, "<=": 0.4, ">=": 0.4, "<": 0.3, ">": 0.3, "is": 0.1, "in": 0.15},
    "!=": {"==": 0.8, "<": 0.4, ">": 0.4, "<=": 0.25, ">=": 0.25, "is not": 0.1, "not in": 0.1},
    "is": {"is not": 0.8, "==": 0.5},
    "is not": {"is": 0.8, "!=": 0.5},
    "in": {"not in": 0.9, "==": 0.3},
    "not in": {"in": 0.9, "!=": 0.3},
}

_MISTAKEN = 0.95
"""How likely `==` was meant where values that are no singletons are compared with `is`."""


def comparisons(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Compare in another way, or the other way round."""
    if not isinstance(node, ast.Compare):
        return
    operands = [node.left, *node.comparators]
    for place, op in enumerate(node.ops):
        name = _COMPARED[type(op)]
        at = scope.source.between(operands[place], operands[place + 1])
        singleton = _is_singleton(operands[place]) or _is_singleton(operands[place + 1])
        for other, usual in _OTHER_COMPARISONS[name].items():
            equality = name.startswith("is") and other in {"==", "!="}
            weight = _MISTAKEN if equality and not singleton else usual
            says = f"compares with `{other}` instead of `{name}`"
            yield Change("comparison", node.lineno, weight, (Replacement(*at, other),), says)


def _is_singleton(node: ast.expr) -> bool:
    """Whether `is` is the way to compare with this."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))
