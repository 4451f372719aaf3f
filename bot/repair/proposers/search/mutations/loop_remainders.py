"""What a loop leaves over: the last group, run or batch that nothing ends but the loop's end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope

_IF_ANY = 0.4
_ALWAYS = 0.25
_IF_FURTHER_IN = 0.7
"""A statement that the loop does each time is less likely missing behind it than one that it does
only now and then."""


def loop_remainders(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do behind a loop what it does now and then, with what it has left."""
    source = scope.source
    if not isinstance(node, ast.For | ast.While) or not source.own_line(node):
        return
    if scope.definition is None:
        return
    block = source.block(node)
    behind = {source.code(one) for one in block[block.index(node) :]}
    for kept in _keeping(scope, node):
        text = source.code(kept)
        if text in behind:
            continue
        factor = _IF_FURTHER_IN if kept in node.body else 1.0
        always = (source.insert_after(node, text),)
        says = f"does `{text}` behind the loop too"
        yield Change("missing statement", node.end_lineno or 0, _ALWAYS * factor, always, says)
        for name in _left(scope, kept):
            lines = (f"if {name}:", f"{source.step}{text}")
            change = (source.insert_after(node, *lines),)
            says = f"does `{text}` behind the loop too, if there is `{name}`"
            yield Change("missing statement", node.end_lineno or 0, _IF_ANY * factor, change, says)


def _keeping(scope: Scope, loop: ast.For | ast.While) -> Iterator[ast.stmt]:
    """Yield the statements of a loop that give something away or keep it."""
    for node in scope.source.nodes(loop):
        match node:
            case ast.Expr(value=ast.Call() | ast.Yield()) | ast.AugAssign():
                text = scope.source.code(node)
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
                text = scope.source.code(node)
            case _:
                continue
        if "\n" not in text and scope.source.definition(node) is scope.definition:
            yield node


def _left(scope: Scope, kept: ast.stmt) -> Iterator[str]:
    """Yield the variables of a statement that may say whether anything is left."""
    names = {
        node.id: None
        for node in scope.source.nodes(kept)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    yield from (name for name in names if name in scope.variables)
