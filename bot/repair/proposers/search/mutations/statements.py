"""Statements: one too many, or one missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations import absent
from bot.repair.proposers.search.mutations.blocks import first_line, in_loop, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_SIMPLE = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Break,
    ast.Continue, ast.Delete, ast.Assert,
)  # fmt: skip


_UNLIKE = 0.5
"""How unlike two variables' types may be, and one be assigned to the other."""

_MOST_DONORS = 20

_NEVER_FILLED = 2.5
"""How much likelier a statement is that fills a container which is read and never filled."""


def deleted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave a statement out."""
    if not movable(scope, node) or not isinstance(node, ast.stmt) or is_docstring(node):
        return
    source = scope.source
    text = first_line(source.code(node))
    says = f"leaves `{text}` out"
    simple = isinstance(node, _SIMPLE)
    if len(source.block(node)) > 1:
        change = (Replacement(*source.whole_lines(node), ""),)
        weight = 0.3 if simple else 0.25 if _only_leaves(node) else 0.15
        yield Change("dropped statement", node.lineno, weight, change, says)
    elif simple and not isinstance(node, ast.Pass):
        start, end = source.span(node)
        yield Change(
            "dropped statement", node.lineno, 0.25, (Replacement(start, end, "pass"),), says
        )


def _only_leaves(node: ast.stmt) -> bool:
    """Whether a statement asks something, and does nothing but to leave the block then."""
    match node:
        case ast.If(body=[ast.Continue() | ast.Break() | ast.Return()], orelse=[]):
            return True
        case _:
            return False


def inserted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Add a statement that keeps something up to date, in front of this one or at a block's end."""
    if scope.definition is None or not movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    last = node is source.block(node)[-1] and not isinstance(
        node, ast.Return | ast.Raise | ast.Break | ast.Continue
    )
    elsewhere = dict(absent.of_other_branch(scope, node))
    updates = _updates(scope, node) | dict.fromkeys(elsewhere, 0.45)
    for text, weight in updates.items():
        before = (source.insert_before(node, text),)
        if not is_docstring(node):
            yield Change("missing statement", node.lineno, weight, before, f"adds `{text}`")
        if last:
            after = (source.insert_after(node, text),)
            likely = weight * (0.95 if elsewhere.get(text) else 1.05)
            yield Change("missing statement", node.lineno, likely, after, f"adds `{text}`")
    yield from _guarded(scope, node)


def _guarded(scope: Scope, node: ast.stmt) -> Iterator[Change]:
    """Do what the function does elsewhere here too, if there is something to do it with."""
    source = scope.source
    for other in scope.source.nodes(scope.definition) if scope.definition is not None else ():
        match other:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=name)])) if other is not node:
                text = source.code(other)
            case _:
                continue
        if "\n" not in text and not is_docstring(node):
            lines = (f"if {name}:", f"{source.step}{text}")
            change = (source.insert_before(node, *lines),)
            says = f"does `{text}` if there is `{name}`"
            yield Change("missing statement", node.lineno, 0.15, change, says)


def _updates(scope: Scope, node: ast.stmt) -> dict[str, float]:
    """Return statements that may be missing, and how likely each is."""
    names = scope.bound_before(node.lineno)
    found: dict[str, float] = {}
    for name in names:
        found |= _kept(scope, name, names)
        if name in _assigned(scope):
            found |= _moved_on(scope, name, names)
    found |= dict.fromkeys(_donors(scope, node), 0.22)
    found |= dict.fromkeys(absent.undone(scope, node.lineno), 0.3)
    found |= dict.fromkeys(absent.resets(scope), 0.08)
    found |= dict.fromkeys(absent.marks(scope, node.lineno), 0.4)
    found |= dict.fromkeys(absent.renewed(scope, node.lineno), 0.5)
    block = scope.source.block(node)
    for near in block[max(0, block.index(node) - 1) : block.index(node) + 1]:
        found |= dict.fromkeys(absent.analogues(scope, near), 0.2)
    if in_loop(scope, node):
        found |= {"continue": 0.08, "break": 0.12}
    if not isinstance(node, ast.Return) and scope.definition is not None:
        weight = 0.12 if node is scope.definition.body[-1] else 0.04
        found |= {f"return {name}": weight for name in names}
    return found


def _kept(scope: Scope, name: str, names: tuple[str, ...]) -> dict[str, float]:
    """Return statements that put something into a container, or bring it into order."""
    found = _puts(scope, name, [other for other in names if other != name])
    factor = _NEVER_FILLED if name in scope.never_filled else 1.0
    return {text: factor * weight for text, weight in found.items()}


def _puts(scope: Scope, name: str, others: list[str]) -> dict[str, float]:
    if scope.has(name, "list", "deque"):
        kept = {f"{name}.append({other})": 0.22 for other in others}
        return kept | {f"{name}.pop()": 0.15, f"{name}.sort()": 0.12, f"{name}.reverse()": 0.1}
    if scope.has(name, "set"):
        return {f"{name}.add({other})": 0.3 for other in others}
    if scope.has(name, "dict", "defaultdict"):
        return {f"{name}[{a}] = {b}": 0.08 for a in others for b in others if a != b}
    return {}


def _moved_on(scope: Scope, name: str, names: tuple[str, ...]) -> dict[str, float]:
    """Return statements that bring a variable up to date."""
    number = scope.has(name, "int", "float")
    found = {f"{name} += 1": 0.3, f"{name} -= 1": 0.2, f"{name} = 0": 0.15} if number else {}
    if scope.has(name, "list"):
        found[f"{name} = []"] = 0.12
    for other in names:
        if other != name and scope.alike(name, other) > _UNLIKE:
            found[f"{name} = {other}"] = 0.15
            if number:
                found |= {f"{name} += {other}": 0.12, f"{name} -= {other}": 0.08}
    return found


def _assigned(scope: Scope) -> frozenset[str]:
    if scope.definition is None:
        return frozenset()
    stored = (
        node.id
        for node in scope.source.nodes(scope.definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return frozenset(stored)


def _donors(scope: Scope, node: ast.stmt) -> Iterator[str]:
    """Yield simple statements of the same class or file that this function could have too."""
    source = scope.source
    home = source.owner(scope.definition) if scope.definition is not None else None
    mine = first_line(source.code(node))
    known = {*scope.variables, "self"} | source.module_names
    count = 0
    for other in source.nodes(home or source.tree):
        if isinstance(other, ast.Assign | ast.AugAssign | ast.Expr) and not is_docstring(other):
            text = source.code(other)
            free = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
            if "\n" not in text and text != mine and free <= known and count < _MOST_DONORS:
                count += 1
                yield text
