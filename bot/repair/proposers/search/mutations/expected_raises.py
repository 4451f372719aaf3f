"""Refusals: raise the error that a test waits for in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition

_MOST_PLACES = 6
"""Statements of a function in front of which it may refuse."""


def expected_raises(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Raise the error in front of a statement, if a value is not what the function can take."""
    if not scope.expected or not isinstance(node, ast.stmt) or scope.definition is None:
        return
    source, body = scope.source, scope.definition.body
    if node not in body[: _MOST_PLACES + 1] or not source.own_line(node) or _is_text(node):
        return
    if isinstance(node, Definition):
        return
    first = node is next((one for one in body if not _is_text(one)), None)
    known = {*scope.variables} | source.module_names
    for error in scope.expected:
        if error not in known:
            continue
        for condition, weight in _reasons(scope, node.lineno).items():
            lines = (f"if {condition}:", f"{source.step}raise {_raised(scope, error)}")
            change = (source.insert_before(node, *lines),)
            says = f"raises `{error}` if `{condition}`"
            likely = weight if first else 0.7 * weight
            yield Change("missing refusal", node.lineno, likely, change, says)


def _raised(scope: Scope, error: str) -> str:
    """Return what the file raises of that class, if it does so without a value; else the class."""
    for node in scope.source.nodes(scope.source.tree):
        match node:
            case ast.Raise(
                exc=ast.Call(func=ast.Name(id=name), args=[ast.Constant()], keywords=[]) as call
            ) if name == error:
                return scope.source.code(call)
            case _:
                pass
    return error


def _reasons(scope: Scope, line: int) -> dict[str, float]:
    """Return conditions under which a function may refuse, and how likely each is."""
    names = scope.bound_before(line)
    found: dict[str, float] = {}
    for name in names:
        found |= _about(scope, name)
        for other in (*names, *scope.self_attributes):
            if other != name:
                found |= _compared(scope, name, other)
    for place in scope.self_attributes:
        found |= {f"not {place}": 0.5, place: 0.25, f"{place} is None": 0.3}
    return found


def _about(scope: Scope, name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    if not scope.kinds(name) or scope.has(name, "int", "float"):
        found |= {f"{name} < 0": 0.7, f"{name} <= 0": 0.7, f"{name} == 0": 0.6, f"{name} < 1": 0.3}
    if not scope.has(name, "int", "float"):
        found |= {f"not {name}": 0.6, f"{name} is None": 0.4}
    if scope.is_sized(name):
        found |= {f"len({name}) == 0": 0.1, f"len({name}) < 2": 0.2}
    return found


def _compared(scope: Scope, name: str, other: str) -> dict[str, float]:
    """Return comparisons of a variable with another one, or with an attribute of unknown type."""
    unknown = not scope.kinds(other)
    found: dict[str, float] = {}
    if scope.has(name, "int", "float") and (unknown or scope.has(other, "int", "float")):
        found |= {f"{name} > {other}": 0.5, f"{name} >= {other}": 0.35, f"{name} < {other}": 0.3}
    if scope.is_sized(other) or unknown:
        found |= {f"{name} in {other}": 0.35, f"{name} not in {other}": 0.4}
    if scope.is_sized(other) and scope.has(name, "int"):
        found |= {f"not 0 <= {name} < len({other})": 0.5, f"{name} > len({other})": 0.3}
    if scope.is_sized(name) and scope.is_sized(other) and name < other:
        found |= {f"len({name}) != len({other})": 0.5}
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
