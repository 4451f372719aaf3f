"""Symmetry: variables that come in pairs, and code that treats only one of them, or mixes them up."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import combinations

from bot.repair.proposers.search.mutations.rule import Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope

_MOST_NAMES = 4
_MIRRORED = ast.Subscript | ast.BinOp | ast.Call | ast.Compare
_SIMPLE = ast.Assign | ast.AugAssign | ast.Expr


@rule("exchanged variables", _SIMPLE | ast.Return | ast.IfExp)
def exchanged(scope: FunctionScope, node: ast.stmt | ast.expr) -> Ideas:
    """Swap two variables wherever a simple statement, or a choice in one, has them.

    before: a.x[a] = b
    after: b.x[b] = a
    """
    names = _names(scope, node)
    if "\n" in scope.source.part(node) or len(names) > _MOST_NAMES:
        return
    for combination, other in combinations(names, 2):
        if scope.may_stand(combination, other):
            text = _renamed(scope, node, {combination: other, other: combination})
            yield instead(scope, node, text, says=f"swaps `{combination}` and `{other}`")


@rule("missing counterpart", ast.BinOp)
def counterpart(scope: FunctionScope, node: ast.BinOp) -> Ideas:
    """Add of the counterparts too what is added of one side.

    before: a, b = g(); return b + a[1:]
    after: a, b = g(); return b + a[1:] + b[1:]
    """
    text = _other_side(scope, node.right) if isinstance(node.op, ast.Add) else ""
    if text and text not in scope.source.part(scope.source.statement(node)):
        yield instead(scope, node, f"{scope.source.part(node)} + {text}")


def _other_side(scope: FunctionScope, node: ast.expr | ast.stmt) -> str:
    """Return the code of a node with every variable's counterpart in its place, "" without any."""
    known = scope.counterparts
    used = {name: known[name] for name in _names(scope, node) if name in known}
    if not used or "\n" in scope.source.part(node) or set(used) & set(used.values()):
        return ""
    return _renamed(scope, node, used)


def _names(scope: FunctionScope, node: ast.AST) -> tuple[str, ...]:
    """Return the variables of the function that a node has, in order."""
    found = (child.id for child in ast.walk(node) if isinstance(child, ast.Name))
    return tuple(dict.fromkeys(name for name in found if name in scope.variables))


def _renamed(scope: FunctionScope, node: ast.expr | ast.stmt, names: Mapping[str, str]) -> str:
    """Return the code of a node with other variables; attributes and texts stay as they are."""
    source = scope.source
    start, end = source.span(node)
    text = source.text[start:end]
    places = [
        (*source.span(child), names[child.id])
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and child.id in names
    ]
    for first, last, name in sorted(places, reverse=True):
        text = text[: first - start] + name + text[last - start :]
    return text
