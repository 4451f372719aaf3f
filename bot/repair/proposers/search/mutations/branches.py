"""Branches and exits: when a block is left, and when another one is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.atoms import atoms
from bot.repair.proposers.search.mutations.blocks import in_loop, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Source

_MIRRORED: dict[type[ast.cmpop], str] = {ast.Lt: ">", ast.Gt: "<", ast.LtE: ">", ast.GtE: "<"}


def exits(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave, go on or return at another point."""
    source = scope.source
    if isinstance(node, ast.Break | ast.Continue):
        other = "continue" if isinstance(node, ast.Break) else "break"
        change = (Replacement(*source.span(node), other),)
        yield Change("loop exit", node.lineno, 0.5, change, f"says `{other}` here")
        for value in ("None", *scope.bound_before(node.lineno)[:4]):
            change = (Replacement(*source.span(node), f"return {value}"),)
            yield Change("loop exit", node.lineno, 0.12, change, f"returns `{value}` here")
    if isinstance(node, ast.Return) and in_loop(scope, node):
        for word in ("continue", "break"):
            change = (Replacement(*source.span(node), word),)
            yield Change("loop exit", node.lineno, 0.3, change, f"says `{word}` here")
    if isinstance(node, ast.Pass):
        for word in ("continue", "break", "return", "raise"):
            change = (Replacement(*source.span(node), word),)
            yield Change("loop exit", node.lineno, 0.3, change, f"says `{word}` here")
    if isinstance(node, ast.If) and node.orelse:
        yield from _branches(scope, node)
    if isinstance(node, ast.If) and not node.orelse:
        yield from _chained(scope, node)


def _branches(scope: Scope, node: ast.If) -> Iterator[Change]:
    """Let an `elif` be asked in any case, or let an `else` depend on something."""
    source, start = scope.source, node.orelse[0]
    if isinstance(start, ast.If) and source.text.startswith("elif", source.span(start)[0]):
        at = source.span(start)[0]
        change = (Replacement(at, at + 4, "if"),)
        yield Change("branch", start.lineno, 0.4, change, "asks this in any case")
        return
    after = source.span(node.body[-1])[1]
    at = source.text.find("else:", after, source.span(start)[0])
    if at >= 0:
        for text in (*_opposites(source, node.test), *atoms(scope, node.lineno)):
            change = (Replacement(at, at + 4, f"elif {text}"),)
            yield Change("branch", start.lineno, 0.25, change, f"does the rest only if `{text}`")


def _opposites(source: Source, test: ast.expr) -> Iterator[str]:
    """Yield the comparison that leaves out only equal values: `a > b` for `a < b`."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _MIRRORED:
            yield f"{source.code(left)} {_MIRRORED[type(op)]} {source.code(right)}"
        case _:
            return


def _chained(scope: Scope, node: ast.If) -> Iterator[Change]:
    """Ask only when the `if` right above did not hold."""
    source = scope.source
    block = source.block(node)
    place = block.index(node)
    if place and isinstance(block[place - 1], ast.If) and source.own_line(node):
        at = source.span(node)[0]
        if source.text.startswith("if", at):
            change = (Replacement(at, at + 2, "elif"),)
            yield Change(
                "branch", node.lineno, 0.3, change, "asks only when the one above does not hold"
            )


def conditional(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do only under a condition what is always done."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Delete):
        return
    source = scope.source
    if not movable(scope, node) or is_docstring(node) or "\n" in source.code(node):
        return
    start, _ = source.span(node)
    bound = {target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}
    if bound - set(scope.bound_before(node.lineno - 1)):
        return  # without the statement there would be no such variable
    for atom in atoms(scope, node.lineno):
        head = f"if {atom}:{source.newline}{source.indent(node)}{source.step}"
        change = (Replacement(start, start, head),)
        says = f"does `{source.code(node)}` only if `{atom}`"
        yield Change("missing condition", node.lineno, 0.2, change, says)
