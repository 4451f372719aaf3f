"""Simple conditions: what can be asked of the variables at hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from bot.repair.proposers.search.mutations.scope import FunctionScope

_MOST_ATOMS = 60
_BUILTIN_TYPES = frozenset({"int", "float", "str", "list", "dict", "tuple", "set", "bytes"})


def condition_of(node: ast.AST) -> ast.expr | None:
    """Return what a statement or an expression asks, None when it asks nothing."""
    match node:
        case (
            ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test)
        ):
            return test
        case _:
            return None


def atoms(scope: FunctionScope, line: int) -> tuple[str, ...]:
    """Return simple conditions on what is there when a line runs, likely ones first."""
    names = scope.bound_before(line)
    found = dict.fromkeys(_asked(scope))
    for name in names:
        found |= dict.fromkeys(_about(scope, name))
    found |= dict.fromkeys(_flags(scope, names))
    found |= dict.fromkeys(_reached(scope))
    found |= dict.fromkeys(pairs(scope, names))
    found |= dict.fromkeys(scope.self_attributes[:6])
    return tuple(found)[:_MOST_ATOMS]


def _asked(scope: FunctionScope) -> Iterator[str]:
    """Yield what the function asks already."""
    for node in scope.nodes:
        test = condition_of(node)
        parts = test.values if isinstance(test, ast.BoolOp) else [test] if test else []
        for part in parts:
            if isinstance(part, ast.Compare | ast.Name | ast.Call | ast.UnaryOp):
                yield scope.source.operand(part, 6)
                if isinstance(part, ast.Compare) and len(part.ops) == 1:
                    yield f"not {scope.source.part(part)}"


def _reached(scope: FunctionScope) -> Iterator[str]:
    """Yield whether there is a value of which the function takes an attribute: `node.next`."""
    for node in scope.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            code = scope.source.part(node.value)
            if "(" not in code:
                yield f"{code} is not None"
                yield code


def _flags(scope: FunctionScope, names: tuple[str, ...]) -> Iterator[str]:
    """Yield what objects are marked with: `node.ends`."""
    marks = {
        place.rpartition(".")[2]: None
        for place, value in scope.source.assigned
        if isinstance(value, ast.Constant) and isinstance(value.value, bool)
    }
    for name in names:
        known = {attr for kind in scope.kinds(name) for attr in scope.attributes.get(kind, ())}
        for mark in (mark for mark in marks if mark in known):
            yield from (f"{name}.{mark}", f"not {name}.{mark}")


def _about(scope: FunctionScope, name: str) -> Iterator[str]:
    """Yield what can be asked of one variable, by its types."""
    kinds = scope.kinds(name)
    if kinds - {"int"}:
        yield from (f"isinstance({name}, {kind})" for kind in sorted(kinds & _BUILTIN_TYPES))
    if not kinds or kinds - {"int", "float"}:
        yield from (name, f"not {name}")
    if "NoneType" in kinds or not kinds:
        yield from (f"{name} is None", f"{name} is not None")
    if kinds & {"int", "float"}:
        yield from (f"{name} > 0", f"{name} == 0", f"{name} >= 0", f"{name} < 0")


def pairs(scope: FunctionScope, names: tuple[str, ...]) -> Iterator[str]:
    """Yield comparisons of two variables, and of an index with a length."""
    counts = [name for name in names if scope.has(name, "int", "float")]
    sized = [name for name in names if scope.is_sized(name)]
    for name in counts:
        for other in sized:
            yield f"{name} < len({other})"
    for name, other in combinations(counts, 2):
        for op in ("<", ">", "<=", ">=", "==", "!="):
            yield f"{name} {op} {other}"
    for name, other in combinations(sized, 2):
        if scope.may_stand(name, other):
            yield f"len({name}) == len({other})"
    for name in names:
        for other in sized:
            if name != other:
                yield f"{name} in {other}"
                yield f"{name} not in {other}"
