"""Values that can't be taken: of an empty sequence, of None, of something without that attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.repeated_edits import alike
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Source

_ERRORS = frozenset({"IndexError", "TypeError", "AttributeError", "KeyError"})
_PLAIN = {"None": 0.35, "0": 0.25, "''": 0.25, "[]": 0.25, "False": 0.15, "{}": 0.15, "()": 0.1}
_AROUND = 3
"""Expressions around one that can't be taken, which are left out together with it."""

_EVERYWHERE = 0.9
"""How likely the same expression needs the same guard wherever it stands."""


def guarded(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take something else where there is nothing to take: `len(rows[0]) if rows else 0`."""
    match node:
        case ast.Subscript(value=owner, slice=index, ctx=ast.Load()):
            conditions = _there(scope, owner, index)
        case ast.Attribute(value=owner, ctx=ast.Load()):
            conditions = {f"{scope.source.operand(owner, 7)} is not None": 0.8}
        case _:
            return
    if not _failed(scope, node) or "(" in scope.source.code(owner):
        return
    for whole in _around(scope.source, node):
        for condition, sure in conditions.items():
            for other, likely in _others(scope, whole).items():
                text = f"{scope.source.operand(whole, 4)} if {condition} else {other}"
                says = f"takes `{other}` unless `{condition}`"
                yield from _replaced(scope, whole, text, sure * likely, says)


def _failed(scope: Scope, node: ast.expr) -> bool:
    """Whether an error of the kind was raised where an expression stands."""
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    return any(error.type in _ERRORS for error in errors)


def _there(scope: Scope, owner: ast.expr, index: ast.expr) -> dict[str, float]:
    """Return conditions under which there is such an item."""
    code = scope.source.code(owner)
    match index:
        case ast.Slice():
            return {f"{code} is not None": 0.8}
        case ast.Constant(value=int() as place) if place > 0:
            return {f"len({code}) > {place}": 1.0, code: 0.6}
        case ast.Constant(value=str()) | ast.Name() | ast.Attribute():
            key = scope.source.code(index)
            return {f"{key} in {code}": 0.8, code: 0.6}
        case _:
            return {code: 1.0}


def _around(source: Source, node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and those around it."""
    yield node
    for _ in range(_AROUND):
        above = source.parent(node)
        if not isinstance(
            above, ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.Compare
        ):
            return
        node = above
        if "\n" in source.code(node):
            return
        yield node


def _others(scope: Scope, whole: ast.expr) -> dict[str, float]:
    """Return what may be taken instead, something of the same type first."""
    match whole:
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            names = scope.bound_before(whole.lineno)
            sized = [name for name in names if scope.is_sized(name)]
            return {"0": 0.9} | {f"len({name})": 0.5 for name in sized}
        case ast.Compare():
            return {"False": 0.6, "True": 0.4}
        case _:
            return dict(_PLAIN)


def _replaced(
    scope: Scope, whole: ast.expr, text: str, weight: float, says: str
) -> Iterator[Change]:
    """Yield the change at one place, and at every place of the file that has the same expression."""
    source = scope.source
    yield Change("missing guard", whole.lineno, weight, (source.replace(whole, text),), says)
    same = tuple(source.replace(one, text) for one in alike(source, whole))
    if len(same) > 1:
        says = f"{says}, at {len(same)} places"
        yield Change("missing guard", whole.lineno, _EVERYWHERE * weight, same, says)


def absent_attributes(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take something else where a value does not have an attribute."""
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Load()):
            pass
        case _:
            return
    lacking = f"has no attribute '{name}'"
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    if not any(lacking in error.message for error in errors):
        return
    source, code = scope.source, scope.source.code(owner)
    for other, weight in {"None": 0.5, f"[{code}]": 0.45, "()": 0.45, "''": 0.2, code: 0.2}.items():
        text = f"getattr({code}, {name!r}, {other})"
        says = f"takes `{other}` where there is no `.{name}`"
        change = (Replacement(*source.span(node), text),)
        yield Change("missing attribute", node.lineno, weight, change, says)
