"""Symmetry: variables that come in pairs, and code that treats only one of them, or mixes them up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import combinations

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_MOST_OPERANDS = 4
_ENDS = (("startswith", "endswith"), ("endswith", "startswith"))


def chains(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Swap two operands of a comparison chain: `a <= c <= b` for `a <= b <= c`."""
    match node:
        case ast.Compare(left=left, comparators=[_, *_] as others) if len(others) > 1:
            operands = [left, *others][:_MOST_OPERANDS]
        case _:
            return
    source = scope.source
    for one, other in combinations(operands, 2):
        first, second = source.code(one), source.code(other)
        if first != second:
            change = (source.replace(one, second), source.replace(other, first))
            says = f"swaps `{first}` and `{second}`"
            yield Change("swapped operands", node.lineno, 0.65, change, says)


def exchanged(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Swap two variables wherever a simple statement has them: `table[b] = a` for `table[a] = b`."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Return):
        return
    source = scope.source
    code = source.code(node)
    names = _names(scope, node)
    if "\n" in code or len(names) > _MOST_OPERANDS:
        return
    for one, other in combinations(names, 2):
        if scope.may_stand(one, other):
            text = _renamed(scope, node, {one: other, other: one})
            says = f"swaps `{one}` and `{other}`"
            change = (Replacement(*source.span(node), text),)
            yield Change("swapped variables", node.lineno, 0.35, change, says)


def counterparts(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do with the counterparts what is done with one side: `+ right[j:]` behind `+ left[i:]`."""
    match node:
        case ast.BinOp(op=ast.Add(), right=part):
            pass
        case ast.Compare():
            yield from _conditions(scope, node)
            return
        case _:
            return
    source, text = scope.source, _other_side(scope, part)
    if text and text not in source.code(source.statement(node)):
        change = (source.replace(node, f"{source.code(node)} + {text}"),)
        says = f"takes `{text}` too, as `{source.code(part)}`"
        yield Change("missing counterpart", node.lineno, 0.6, change, says)


def _conditions(scope: Scope, node: ast.Compare) -> Iterator[Change]:
    """Ask for the counterparts too: `and j < len(right)` behind `i < len(left)`."""
    source, above = scope.source, scope.source.parent(node)
    if not isinstance(above, ast.If | ast.While | ast.IfExp | ast.BoolOp | ast.Return):
        return
    text = _other_side(scope, node)
    if not text or text in source.code(above if isinstance(above, ast.BoolOp) else node):
        return
    words = {"and": 0.45, "or": 0.3}
    if isinstance(above, ast.BoolOp):
        words = {"and" if isinstance(above.op, ast.And) else "or": 0.45}
    for word, weight in words.items():
        change = (source.replace(node, f"{source.code(node)} {word} {text}"),)
        says = f"asks `{word} {text}` too"
        yield Change("missing counterpart", node.lineno, weight, change, says)


def both_ends(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask the same of the other end too: `not text.endswith(".")` beside `startswith`."""
    if not isinstance(node, ast.BoolOp):
        return
    source = scope.source
    word = "and" if isinstance(node.op, ast.And) else "or"
    for part in node.values:
        code, end = source.operand(part, 5), source.span(part)[1]
        for one, other in _ENDS:
            text = code.replace(f".{one}(", f".{other}(")
            if text != code and text not in source.code(node):
                change = (Replacement(end, end, f" {word} {text}"),)
                yield Change("missing counterpart", part.lineno, 0.5, change, f"asks `{text}` too")


def gathered(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Call on the rest what is called on the first term: `abs(a) + abs(b - c)`."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=ast.Call(func=ast.Name(id=name)) as call, op=op, right=first),
            right=second,
        ) if isinstance(op, ast.Add | ast.Sub) and not scope.source.parenthesised(node.left):
            pass
        case _:
            return
    source = scope.source
    start, end = source.span(first)[0], source.span(second)[1]
    change = (Replacement(start, start, f"{name}("), Replacement(end, end, ")"))
    says = f"calls `{name}` on `{source.text[start:end]}`, as on the term before it"
    yield Change("missing call", call.lineno, 0.5, change, says)


def mirrored(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take the counterparts instead, all of them at once."""
    if not isinstance(node, ast.Subscript | ast.BinOp | ast.Call | ast.Compare | ast.AugAssign):
        return
    source = scope.source
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return
    text = _other_side(scope, node)
    if text and _count(scope, node) > 1:  # one alone is a wrong variable
        change = (Replacement(*source.span(node), text),)
        says = f"takes `{text}` instead of `{source.code(node)}`"
        yield Change("wrong side", node.lineno, 0.3, change, says)


def beside(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do for the counterparts what a statement does, in a statement behind it."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        return
    source = scope.source
    text = _other_side(scope, node)
    if text and source.own_line(node) and scope.definition is not None:
        if text in source.code(scope.definition):
            return
        change = (source.insert_after(node, text),)
        yield Change("missing counterpart", node.lineno, 0.25, change, f"adds `{text}`")


def _other_side(scope: Scope, node: ast.expr | ast.stmt) -> str:
    """Return the code of a node with every variable's counterpart in its place, "" without any."""
    code = scope.source.code(node)
    known = scope.counterparts
    used = {name: known[name] for name in _names(scope, node) if name in known}
    if not used or "\n" in code or set(used) & set(used.values()):
        return ""
    return _renamed(scope, node, used)


def _names(scope: Scope, node: ast.AST) -> tuple[str, ...]:
    """Return the variables of the function that a node has, in order."""
    found = (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return tuple(dict.fromkeys(name for name in found if name in scope.variables))


def _count(scope: Scope, node: ast.AST) -> int:
    """Return how often a node has any variable of the function."""
    known = scope.variables
    return sum(isinstance(one, ast.Name) and one.id in known for one in ast.walk(node))


def _renamed(scope: Scope, node: ast.expr | ast.stmt, names: Mapping[str, str]) -> str:
    """Return the code of a node with other variables; attributes and texts stay as they are."""
    source = scope.source
    start, end = source.span(node)
    text = source.text[start:end]
    places = [
        (*source.span(one), names[one.id])
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and one.id in names
    ]
    for first, last, name in sorted(places, reverse=True):
        text = text[: first - start] + name + text[last - start :]
    return text
