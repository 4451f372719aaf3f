"""Statements: one too many, one missing, in the wrong order, at the wrong depth."""

from __future__ import annotations

import ast

from bot.repair.proposers.search.mutations.atoms import atoms
from bot.repair.proposers.search.mutations.blocks import is_docstring, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.missing_statements import missing
from bot.repair.proposers.search.mutations.rule import (
    Idea,
    Ideas,
    add,
    guard,
    instead,
    rule,
    short,
)
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition

_SIMPLE = (
    ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.Raise | ast.Break
    | ast.Continue | ast.Delete | ast.Assert
)  # fmt: skip
_LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue
_LOOPS = ast.For | ast.While


@rule("dropped statement", ast.stmt)
def dropped(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Leave a statement out.

    before: a.sort(); a.pop()
    after: a.sort()
    """
    if not movable(scope, node) or is_docstring(node):
        return
    source = scope.source
    says = f"leaves `{short(source.part(node))}` out"
    case = "" if isinstance(node, _SIMPLE) else "block"
    if len(source.block(node)) > 1:
        yield Idea((Replacement(*source.whole_lines(node), ""),), says, case)
    elif isinstance(node, _SIMPLE):
        yield instead(scope, node, "pass", says=says)


@rule("missing statement", ast.stmt)
def missing_statement(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Add a statement, in front of this one or at the end of its block.

    types: a: list
    before: return a
    after: a.pop(); return a
    """
    if scope.definition is None or not movable(scope, node):
        return
    last = node is scope.source.block(node)[-1] and not isinstance(node, _LEAVING)
    for text, case in missing(scope, node).items():
        if not is_docstring(node):
            yield add(scope, node, text, case=case)
        if last:
            yield add(scope, node, text, case=case, after=True)


@rule("loop remainder", _LOOPS)
def loop_remainder(scope: FunctionScope, node: ast.For | ast.While) -> Ideas:
    """Do behind a loop what it does now and then, with what it has left.

    before: for i in a: (if i in b: (print(b)); b = [i])
    after: for i in a: (if i in b: (print(b)); b = [i]); if b: (print(b))
    """
    block = scope.source.block(node)
    behind = {scope.source.part(statement) for statement in block[block.index(node) :]}
    for kept in scope.source.nodes(node) if movable(scope, node) else ():
        match kept:
            case ast.Expr(
                value=ast.Call(args=[ast.Name(id=name)]) | ast.Yield(value=ast.Name(id=name))
            ):
                text = scope.source.part(kept)
                if text not in behind:
                    yield add(scope, node, *guard(scope, name, text), after=True)
            case _:
                pass


@rule("order", ast.stmt)
def order(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Swap a statement with the next one, or the one after that.

    before: print(a); a.sort()
    after: a.sort(); print(a)
    """
    if not movable(scope, node) or is_docstring(node):
        return
    source, block = scope.source, scope.source.block(node)
    place = block.index(node)
    for other, case in zip(block[place + 1 : place + 3], ("", "further on"), strict=False):
        if not source.own_line(other) or isinstance(other, Definition):
            return
        mine, theirs = source.whole_lines(node), source.whole_lines(other)
        first, second = source.text[slice(*mine)], source.text[slice(*theirs)]
        if not second.endswith("\n"):
            first, second = first.rstrip("\r\n"), second + source.newline
        change = (Replacement(*mine, second), Replacement(*theirs, first))
        yield Idea(change, f"does `{short(source.part(other))}` first", case)


@rule("branch", ast.If | ast.While)
def branch(scope: FunctionScope, node: ast.If | ast.While) -> Ideas:
    """Take an `if` for an `elif`, an `elif` for an `else`, a `while` for an `if`; or the other way.

    before: if a: a.pop()
    after: while a: a.pop()
    """
    source, start = scope.source, scope.source.span(node)[0]
    word = "while" if isinstance(node, ast.While) else "if"
    if not node.orelse and source.text.startswith(word, start):
        other = "if" if word == "while" else "while"
        yield _word(start, word, other)
    if word == "if" and node.orelse:
        below = source.span(node.orelse[0])[0]
        if source.text.startswith("elif", below):
            yield _word(below, "elif", "if")
            return
        at = source.text.find("else:", source.span(node.body[-1])[1], below)
        code, turned = source.part(node.test), ((" < ", " > "), (" > ", " < "))
        opposite = [code.replace(*pair) for pair in turned if pair[0] in code]
        for text in (*opposite, *atoms(scope, node.lineno)) if at >= 0 else ():
            yield _word(at, "else", f"elif {text}")


def _word(at: int, old: str, new: str) -> Idea:
    says = f"replaces `{old}` with `{new}`"
    return Idea((Replacement(at, at + len(old), new),), says, "elif" if " " in new else "")


@rule("conditional statement", ast.Assign | ast.AugAssign | ast.Expr | ast.Delete)
def conditional(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Do only under a condition what is always done.

    before: a.pop()
    after: if a: (a.pop())
    """
    source, code = scope.source, scope.source.part(node)
    if not movable(scope, node) or is_docstring(node) or "\n" in code:
        return
    bound = {target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}
    if bound - set(scope.bound_before(node.lineno - 1)):
        return  # without the statement there would be no such variable
    start = source.span(node)[0]
    for atom in atoms(scope, node.lineno):
        head = f"if {atom}:{source.newline}{source.indent(node.lineno)}{source.step}"
        yield Idea((Replacement(start, start, head),), f"does `{code}` only if `{atom}`")
