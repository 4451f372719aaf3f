"""Errors that a test waits for in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.atoms import pairs
from bot.repair.proposers.search.mutations.blocks import is_docstring, movable
from bot.repair.proposers.search.mutations.guards import special_cases
from bot.repair.proposers.search.mutations.rule import Ideas, add, guard, rule
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.weights import FALLOFF

_MOST_PLACES = 6
"""Statements of a function in front of which it may raise."""


@rule("expected error", ast.stmt)
def expected_error(scope: Scope, node: ast.stmt) -> Ideas:
    """Raise the error in front of a statement, if a value is not what the function can take.

    seen: DID NOT RAISE ValueError
    before: return a[0]
    after: if not a: (raise ValueError); return a[0]
    """
    if not scope.expected or scope.definition is None or not movable(scope, node):
        return
    body = [statement for statement in scope.definition.body if not is_docstring(statement)]
    if node not in body[:_MOST_PLACES]:
        return
    known = {*scope.variables} | scope.source.module_names
    for error in (error for error in scope.expected if error in known):
        for condition in _reasons(scope, node.lineno):
            lines = guard(scope, condition, f"raise {error}")
            yield add(scope, node, *lines, factor=1.0 if node is body[0] else FALLOFF)


def _reasons(scope: Scope, line: int) -> Iterator[str]:
    """Yield conditions under which a function may raise."""
    names = scope.bound_before(line)
    for name in names:
        yield from special_cases(scope, name, first=True)
        for place in scope.self_attributes if scope.has(name, "int", "float") else ():
            yield from (f"{name} {op} {place}" for op in (">", ">=", "<"))
    for place in scope.self_attributes:
        yield from (f"not {place}", place, f"{place} is None")
    yield from pairs(scope, names)
