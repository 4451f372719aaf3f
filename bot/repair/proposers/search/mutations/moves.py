"""Operations on blocks: a statement elsewhere, a block without its head, another branch."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from bot.repair.proposers.search.mutations.blocks import is_docstring, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, rule, short
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition

_BLOCKS = ast.If | ast.For | ast.While | ast.With | ast.Try | ast.AsyncFor | ast.AsyncWith
_FAR = 4
"""Statements by which one is moved at most in its block."""


@rule("unwrapped", ast.If | ast.For | ast.While | ast.With | ast.Try)
def unwrapped(scope: FunctionScope, node: ast.If) -> Ideas:
    """Do in any case what stands in a block, or what its `else` has.

    before: if a: (a.pop())
    after: a.pop()
    """
    source = scope.source
    if not movable(scope, node):
        return
    start, end = source.whole_lines(node)
    head = short(source.part(node)).removesuffix(" ...")
    for block, case in ((node.body, ""), (node.orelse if isinstance(node, ast.If) else [], "else")):
        if block and all(source.own_line(statement) for statement in block):
            first, last = source.whole_lines(block[0])[0], source.whole_lines(block[-1])[1]
            text = _indented(
                source.text[first:last], source.indent(block[0].lineno), source.indent(node.lineno)
            )
            if text.lstrip().startswith("elif "):
                text = text.replace("elif", "if", 1)
            says = f"does without `{head}` what stands below it"
            yield Idea((Replacement(start, end, text),), says, case, 1.0, node.lineno)


@rule("left-out branch", ast.If | ast.For | ast.While | ast.Try)
def left_out_branch(scope: FunctionScope, node: ast.If) -> Ideas:
    """Leave out a branch: what `else` has, or an `elif` with its condition.

    before: if a: (a.pop()) else: (b.pop())
    after: if a: (a.pop())
    """
    source = scope.source
    if not node.orelse or not source.own_line(node.body[-1]):
        return
    behind = source.whole_lines(node.body[-1])[1]
    end = source.whole_lines(node.orelse[-1])[1]
    below = node.orelse[0]
    chained = isinstance(below, ast.If) and source.text.startswith("elif", source.span(below)[0])
    if isinstance(below, ast.If) and chained and below.orelse:
        rest = source.whole_lines(below.body[-1])[1]
        yield Idea((Replacement(behind, rest, ""),), f"leaves `{short(source.part(below))}` out")
    else:
        yield Idea((Replacement(behind, end, ""),), "leaves the last branch out")


@rule("chained", ast.If)
def chained(scope: FunctionScope, node: ast.If) -> Ideas:
    """Ask only where the `if` right above did not hold.

    before: if a: (a.pop()); if b: (b.pop())
    after: if a: (a.pop()) elif b: (b.pop())
    """
    source, block = scope.source, scope.source.block(node)
    place = block.index(node) if node in block else 0
    above = block[place - 1] if place else None
    if isinstance(above, ast.If) and movable(scope, node) and not _last(above):
        at = source.span(node)[0]
        yield Idea((Replacement(at, at, "el"),), f"asks `{source.part(node.test)}` only else")


@rule("missing else", ast.stmt)
def missing_else(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Do a statement only where the `if` right above did not hold.

    before: if a: (a.pop()); b.pop()
    after: if a: (a.pop()) else: (b.pop())
    """
    source, block = scope.source, scope.source.block(node)
    place = block.index(node)
    above = block[place - 1] if place else node
    if not movable(scope, node) or not isinstance(above, ast.If) or above is node or _last(above):
        return
    for last, case in (
        {node: "", block[-1]: "all"}.items() if node is not block[-1] else ((node, ""),)
    ):
        start, end = source.whole_lines(node)[0], source.whole_lines(last)[1]
        indent = source.indent(node.lineno)
        text = _indented(source.text[start:end], indent, indent + source.step)
        head = f"{indent}else:{source.newline}"
        says = f"does `{short(source.part(node))}` only else"
        yield Idea((Replacement(start, end, head + text),), says, case, 1.0, node.lineno)


def _last(node: ast.If) -> bool:
    """Whether an `if` has an `else` at its end."""
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return bool(node.orelse)


@rule("moved", ast.stmt)
def moved(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Move a statement: further up or down, into a block beside it, or out of the one around it.

    before: for i in a: (b.append(i)); print(b)
    after: for i in a: (b.append(i); print(b))
    """
    if not movable(scope, node) or is_docstring(node) or isinstance(node, _BLOCKS):
        return
    source, block = scope.source, scope.source.block(node)
    start, end = source.whole_lines(node)
    text = source.text[start:end]
    if not text.endswith("\n"):
        text += source.newline
    gone = Replacement(start, end, "")
    if len(block) == 1:
        gone = Replacement(start, end, f"{source.indent(node.lineno)}pass{source.newline}")
    for at, indent, case in _places(scope, node, block):
        if not start < at < end:
            new = Replacement(at, at, _indented(text, source.indent(node.lineno), indent))
            yield Idea((gone, new), f"does `{short(source.part(node))}` elsewhere", case)


def _places(
    scope: FunctionScope, node: ast.stmt, block: Sequence[ast.stmt]
) -> Iterator[tuple[int, str, str]]:
    """Yield where a statement may go: place in the text, indent, case."""
    source, place = scope.source, block.index(node)
    for n, other in enumerate(block):
        if 2 < abs(n - place) <= _FAR and source.own_line(other) and not is_docstring(other):  # noqa: PLR2004 - `order` does the nearer ones
            at = source.whole_lines(other)
            yield at[n > place], source.indent(node.lineno), "further on"
    for beside, last in ((place - 1, True), (place + 1, False)):
        if 0 <= beside < len(block):
            for inner in _inside(block[beside]):
                edge = inner[-1] if last else inner[0]
                if source.own_line(edge):
                    yield source.whole_lines(edge)[last], source.indent(edge.lineno), "into"
    above = source.parent(node)
    if isinstance(above, _BLOCKS) and movable(scope, above):
        for after in (False, True):
            case = "out" if after == (node is block[-1]) else "out, past others"
            yield source.whole_lines(above)[after], source.indent(above.lineno), case


def _inside(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Yield the blocks of a statement, those of its `elif` included."""
    if not isinstance(node, _BLOCKS) or isinstance(node, Definition):
        return
    yield node.body
    rest = getattr(node, "orelse", [])
    if len(rest) == 1 and isinstance(rest[0], ast.If) and isinstance(node, ast.If):
        yield from _inside(rest[0])
    elif rest:
        yield rest


def _indented(text: str, old: str, new: str) -> str:
    """Return lines with another indent; what is indented less stays, as in a text of several lines."""
    lines = text.splitlines(keepends=True)
    return "".join(new + line.removeprefix(old) if line.startswith(old) else line for line in lines)
