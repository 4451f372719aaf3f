"""Questions: about a key instead of its value, with another word between two parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from bot.repair.proposers.search.mutations.atoms import condition_of
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Source

_TWO = 2


def membership(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask whether a key is there instead of whether its value counts as true, or the other way."""
    source = scope.source
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key]):
            weight = 0.75
        case ast.Subscript(value=owner, slice=ast.Name() | ast.Attribute() as key):
            weight = 0.3
        case _:
            return
    whole, word = _question(source, node)
    if whole is None:
        return
    text = f"{source.operand(key, 8)} {word} {source.operand(owner, 8)}"
    change = (source.replace(whole, text),)
    yield Change("membership", node.lineno, weight, change, f"asks whether `{text}`")


def _question(source: Source, node: ast.expr) -> tuple[ast.expr | None, str]:
    """Return what asks for the truth of a value, or whether it is None, and how to ask for a key."""
    whole: ast.expr = node
    word = "in"
    match source.parent(node):
        case ast.UnaryOp(op=ast.Not()) as above:
            whole, word = above, "not in"
        case (
            ast.Compare(
                left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]
            ) as above
        ) if left is node:
            whole, word = above, "not in"
        case (
            ast.Compare(
                left=left,
                ops=[ast.IsNot() | ast.NotEq()],
                comparators=[ast.Constant(value=None)],
            ) as above
        ) if left is node:
            whole = above
        case _:
            pass
    return (whole if _decides(source, whole) else None), word


def _decides(source: Source, node: ast.expr) -> bool:
    """Whether an expression is a condition, or a part of one that `and` and `or` join."""
    child: ast.AST = node
    for above in source.ancestors(node):
        if condition_of(above) is child:
            return True
        if isinstance(above, ast.comprehension):
            return child in above.ifs
        if not isinstance(above, ast.BoolOp):
            return False
        child = above
    return False


def misgrouped(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask for `p or q` where `p and not q` is asked, or for `p and q` where `p or not q` is."""
    if not isinstance(node, ast.BoolOp):
        return
    source = scope.source
    old, new, binds = ("and", "or", 4) if isinstance(node.op, ast.And) else ("or", "and", 5)
    for one, other in pairwise(node.values):
        match other:
            case ast.UnaryOp(op=ast.Not(), operand=asked):
                pass
            case _:
                continue
        if source.parenthesised(one) or source.parenthesised(other):
            continue
        text = f"{source.operand(one, binds)} {new} {source.operand(asked, binds)}"
        start, end = source.span(one)[0], source.span(other)[1]
        whole = source.fitting(node, text) if len(node.values) == _TWO else f"({text})"
        says = f"asks `{text}`, with `{new}` instead of `{old} not`"
        yield Change("condition", node.lineno, 0.35, (Replacement(start, end, whole),), says)
