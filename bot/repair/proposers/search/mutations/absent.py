"""Statements that may be missing: what undoes another one, and what is like a neighbour."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.scope import Scope

_UNDONE = {
    "add": ("remove({})", "discard({})", "clear()"), "append": ("pop()", "remove({})", "clear()"),
    "push": ("pop()",),
    "appendleft": ("popleft()",), "acquire": ("release()",), "start": ("stop()",),
    "open": ("close()",), "remove": ("add({})", "append({})"), "pop": ("append({})",),
    "discard": ("add({})",), "enter": ("exit()",), "begin": ("end()",),
}  # fmt: skip
"""By method: what takes back what it did."""

_TAKEN_BACK: dict[type[ast.operator], str] = {ast.Add: "-=", ast.Sub: "+="}
_MOST = 12
_LIKE = 0.9
"""How alike two variables' types have to be for one to stand for the other."""


def undone(scope: Scope, line: int) -> Iterator[str]:
    """Yield statements that take back what the function, or another method of the class, does."""
    home = scope.source.owner(scope.definition) if scope.definition is not None else None
    names = scope.bound_before(line)
    found: dict[str, None] = {}
    for node in scope.source.nodes(home or scope.definition or scope.source.tree):
        match node:
            case ast.Subscript(value=owner, ctx=ast.Store()) if _known(scope, owner, names):
                holder = scope.source.code(owner)
                found |= dict.fromkeys(f"del {holder}[{item}]" for item in names if item != holder)
                continue
            case ast.AugAssign(target=ast.Attribute(value=owner) as counter, op=op, value=step):
                if type(op) in _TAKEN_BACK and _known(scope, owner, names):
                    text = f"{scope.source.code(counter)} {_TAKEN_BACK[type(op)]} "
                    found |= {text + scope.source.code(step): None}
                continue
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=arguments):
                holder = scope.source.code(owner)
            case _:
                continue
        if name not in _UNDONE or len(arguments) > 1 or not _known(scope, owner, names):
            continue
        given = scope.source.code(arguments[0]) if arguments else ""
        items = [given] if re.fullmatch(r"\w+", given) and given in names else list(names)[:4]
        for pattern in _UNDONE[name]:
            texts = (pattern.format(item) for item in items if item != holder)
            found |= dict.fromkeys(f"{holder}.{text}" for text in texts)
    yield from list(found)[:_MOST]


def of_other_branch(scope: Scope, node: ast.stmt) -> Iterator[tuple[str, bool]]:
    """Yield the simple statements of the other branch that this one lacks, and which comes first."""
    above = scope.source.parent(node)
    if not isinstance(above, ast.If):
        return
    mine, theirs = (above.body, above.orelse) if node in above.body else (above.orelse, above.body)
    here = {scope.source.code(one) for one in mine}
    for other in theirs:
        text = scope.source.code(other)
        simple = isinstance(other, ast.Assign | ast.AugAssign | ast.Expr)
        if simple and "\n" not in text and text not in here:
            yield text, other is theirs[0]


def renewed(scope: Scope, line: int) -> Iterator[str]:
    """Yield statements that make the key of an ordered dictionary the newest one."""
    names = scope.bound_before(line)
    nodes = scope.source.nodes(scope.definition) if scope.definition is not None else ()
    for node in nodes:
        match node:
            case ast.Subscript(value=owner, slice=key):
                pass
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                pass
            case ast.Call(func=ast.Attribute(value=owner, attr="get" | "pop"), args=[key, *_]):
                pass
            case _:
                continue
        holder = scope.source.code(owner)
        if holder in scope.source.ordered and _known(scope, owner, (*names, *scope.variables)):
            yield f"{holder}.move_to_end({scope.source.code(key)})"


def marks(scope: Scope, line: int) -> Iterator[str]:
    """Yield statements that put into a container what the function asks it for."""
    names = scope.bound_before(line)
    for node in scope.source.nodes(scope.definition) if scope.definition is not None else ():
        match node:
            case ast.Compare(left=item, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                pass
            case _:
                continue
        if not isinstance(owner, ast.Name | ast.Attribute) or not _known(scope, owner, names):
            continue
        if isinstance(item, ast.Constant):
            continue
        holder, text = scope.source.code(owner), scope.source.operand(item, 16)
        kinds = scope.kinds(holder)
        if not kinds or "set" in kinds:
            yield f"{holder}.add({text})"
        if "list" in kinds:
            yield f"{holder}.append({text})"
        if "dict" in kinds:
            yield f"{holder}[{text}] = True"


def resets(scope: Scope) -> Iterator[str]:
    """Yield statements that give a place of a table another value: `rows[y][x] = 0`."""
    if scope.definition is None:
        return
    found: dict[str, None] = {}
    for node in scope.source.nodes(scope.definition):
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice | ast.Constant):
            continue
        if isinstance(scope.source.parent(node), ast.Subscript | ast.Attribute | ast.Delete):
            continue
        code = scope.source.code(node)
        found |= dict.fromkeys(f"{code} = {value}" for value in ("0", "None", "True", "1"))
    yield from list(found)[:_MOST]


def _known(scope: Scope, owner: ast.expr, names: tuple[str, ...]) -> bool:
    """Whether a container can be named here."""
    del scope
    base = owner
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and (base.id == "self" or base.id in names)


def analogues(scope: Scope, node: ast.stmt) -> Iterator[str]:
    """Yield a statement again with another variable: `left = []` beside `right = []`."""
    source = scope.source
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        return
    code = source.code(node)
    if "\n" in code:
        return
    names = scope.bound_before(node.lineno)
    mine = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} & set(names)
    found: dict[str, None] = {}
    for name in sorted(mine):
        for other in names:
            if other not in mine and scope.alike(name, other) >= _LIKE:
                found.setdefault(re.sub(rf"(?<![\w.]){name}\b", other, code))
    places = [place for place in scope.self_attributes if place in code]
    for place in places:
        for other in scope.self_attributes:
            if other not in code:
                found.setdefault(re.sub(rf"{re.escape(place)}\b", other, code))
    yield from list(found)[:_MOST]
