"""Copies: of a container that belongs to an object and changes while somebody works on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.repeated_edits import alike
from bot.repair.proposers.search.mutations.scope import Scope

_WAYS = (("{}.copy()", 0.4), ("list({})", 0.3), ("tuple({})", 0.1))
_EVERYWHERE = 1.1
"""How much likelier it is that the same container is copied wherever it is handed on in that way."""


def copied(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Go through a copy of a container, hand a copy on, or keep one."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    source, code = scope.source, scope.source.code(node)
    role = _role(scope, node)
    if not role or code not in scope.own_containers:
        return
    home = source.owner(node)
    same = [
        one
        for one in alike(source, node)
        if _role(scope, one) == role and source.owner(one) is home
    ]
    for pattern, weight in _WAYS:
        text = pattern.format(code)
        says = f"works on a copy of `{code}`"
        change = (source.replace(node, text),)
        yield Change("missing copy", node.lineno, weight, change, says)
        if len(same) > 1:
            every = tuple(source.replace(one, text) for one in same)
            says = f"{says}, at {len(same)} places"
            yield Change("missing copy", node.lineno, _EVERYWHERE * weight, every, says)


def _role(scope: Scope, node: ast.expr) -> str:
    """Return what is done with a container as a whole, "" when that takes no copy."""
    above = scope.source.parent(node)
    match above:
        case ast.Call(func=func, args=arguments) if node in arguments:
            name = scope.source.code(func)
            return "" if name in _READERS else f"given to {name}"
        case ast.For(iter=through) | ast.comprehension(iter=through) if through is node:
            return "gone through"
        case ast.Return():
            return "returned"
        case ast.Assign(value=value) if value is node:
            return "assigned"
        case _:
            return ""


_READERS = frozenset(
    {"len", "list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "any", "all", "bool"}
)
