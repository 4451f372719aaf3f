"""Statements in the wrong order or at the wrong depth."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.blocks import first_line, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition


def reordered(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Swap a statement with the next one."""
    if not movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    block = source.block(node)
    place = block.index(node)
    for distance, weight in ((1, 0.4), (2, 0.15)):
        if place + distance >= len(block):
            return
        other = block[place + distance]
        if is_docstring(node) or not source.own_line(other) or isinstance(other, Definition):
            return
        mine, theirs = source.whole_lines(node), source.whole_lines(other)
        first, second = source.text[slice(*mine)], source.text[slice(*theirs)]
        if not second.endswith("\n"):
            first, second = first.rstrip("\r\n"), second + source.newline
        change = (Replacement(*mine, second), Replacement(*theirs, first))
        says = f"does `{first_line(source.code(other))}` first"
        yield Change("statement order", node.lineno, weight, change, says)


def moved(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Move a statement out of the block above it, or into it."""
    if not movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    block, above = source.block(node), source.parent(node)
    start, end = source.whole_lines(node)
    text = source.text[start:end]
    name = first_line(source.code(node))
    step = source.step
    looped = isinstance(
        above, ast.For | ast.While | ast.If | ast.With | ast.Try | ast.ExceptHandler
    )
    one_line = "\n" not in text.rstrip()
    ends_block = looped and one_line and node is block[-1] and len(block) > 1
    if ends_block and source.indent(node).startswith(step):
        out = (Replacement(start, start + len(step), ""),)
        says = f"does `{name}` after the block instead of in it"
        yield Change("statement depth", node.lineno, 0.5, out, says)
    elif looped and one_line and len(block) > 1 and isinstance(above, ast.stmt):
        yield from _past(scope, node, above)
    place = block.index(node)
    if place and one_line:
        before = block[place - 1]
        yield from _into_branches(scope, node, before)
        if isinstance(before, ast.For | ast.While | ast.If | ast.With) and source.own_line(node):
            last = (
                before.orelse if isinstance(before, ast.For | ast.While | ast.If) else []
            ) or before.body
            if last[-1].col_offset - node.col_offset == len(step):
                into = (Replacement(start, start, step),)
                says = f"does `{name}` inside the block instead of after it"
                yield Change("statement depth", node.lineno, 0.4, into, says)


def _past(scope: Scope, node: ast.stmt, above: ast.stmt) -> Iterator[Change]:
    """Move a statement from the middle of a block behind the block, or in front of it."""
    source = scope.source
    text = source.code(node)
    gone = Replacement(*source.whole_lines(node), "")
    if source.own_line(above) and movable(scope, above):
        for placed, word in ((source.insert_after, "after"), (source.insert_before, "before")):
            says = f"does `{text}` {word} the block instead of in it"
            change = (gone, placed(above, text))
            yield Change("statement depth", node.lineno, 0.2, change, says)


def _into_branches(scope: Scope, node: ast.stmt, before: ast.stmt) -> Iterator[Change]:
    """Move a statement to the end of one branch of the block in front of it."""
    source = scope.source
    text = source.code(node)
    gone = Replacement(*source.whole_lines(node), "")
    for branch in _branches_of(before):
        if source.own_line(branch[-1]):
            change = (gone, source.insert_after(branch[-1], text))
            says = f"does `{text}` in one branch of the block instead of after it"
            yield Change("statement depth", node.lineno, 0.3, change, says)


def _branches_of(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of an `if` with all its `elif`, of a loop, a `with` or a `try`."""
    if not isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
        return
    yield node.body
    if isinstance(node, ast.Try):
        yield from (handler.body for handler in node.handlers)
        return
    rest = node.orelse if isinstance(node, ast.If) else []
    if len(rest) == 1 and isinstance(rest[0], ast.If):
        yield from _branches_of(rest[0])
    elif rest:
        yield rest
