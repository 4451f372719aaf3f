"""Guards: a case that is answered before the rest, a value that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Definition

_PLAIN = ("None", "0", "[]", "1", "False", "True", "''", "[[]]", "{}", "-1", "0.0", "set()")


def first_cases(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Answer a special case at the start of a function."""
    if not isinstance(node, Definition) or node is not scope.definition:
        return
    start = next((one for one in node.body if not _is_text(one)), None)
    if start is None or not scope.source.own_line(start):
        return
    step = scope.source.step
    answers = _yielded(scope) if scope.yields else _answers(scope)
    for condition, weight in _cases(scope).items():
        for answer, likely in answers.items():
            ways = (f"yield {answer}", "return") if scope.yields else (f"return {answer}",)
            lines = (f"if {condition}:", *(f"{step}{way}" for way in ways))
            change = (scope.source.insert_before(start, *lines),)
            says = f"{'yields' if scope.yields else 'returns'} `{answer}` if `{condition}`"
            yield Change("missing base case", start.lineno, weight * likely, change, says)


def steps(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Skip, leave or return before a statement that can't take a value."""
    if scope.definition is None or not isinstance(node, ast.stmt) or isinstance(node, Definition):
        return
    source = scope.source
    if not source.own_line(node) or source.definition(node) is None or _is_text(node):
        return
    if isinstance(node, ast.If) and source.text.startswith("elif", source.span(node)[0]):
        return
    ways = {"return": 0.2} | dict.fromkeys((f"return {a}" for a in list(_answers(scope))[:3]), 0.2)
    if any(isinstance(above, ast.For | ast.While) for above in source.ancestors(node)):
        ways |= {"continue": 0.35, "break": 0.25}
    names = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in scope.variables
    }
    code = source.code(node)
    owned = [place for place in scope.self_attributes if place in code]
    for name in (*sorted(names), *owned):
        for condition in _missing(scope, name):
            for way, weight in ways.items():
                lines = (f"if {condition}:", f"{source.step}{way}")
                change = (source.insert_before(node, *lines),)
                says = f"does `{way}` if `{condition}`"
                yield Change("missing guard", node.lineno, weight, change, says)


def repeats(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Skip what was seen already."""
    if scope.definition is None or not isinstance(node, ast.For | ast.While):
        return
    first = node.body[0]
    if not scope.source.own_line(first):
        return
    names = scope.bound_before(first.lineno)
    seen = [name for name in names if scope.has(name, "set", "dict", "list")]
    for name in names:
        for other in seen:
            if name == other:
                continue
            lines = (f"if {name} in {other}:", f"{scope.source.step}continue")
            change = (scope.source.insert_before(first, *lines),)
            says = f"skips what is in `{other}`"
            yield Change("missing guard", first.lineno, 0.15, change, says)


def same_place(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Skip the pair of a thing with itself, where a loop in a loop goes over the same things."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
        return
    first, inner = node.body[0], node.target.id
    if not scope.source.own_line(first):
        return
    for above in scope.source.ancestors(node):
        if isinstance(above, Definition):
            return
        if not isinstance(above, ast.For):
            continue
        alike = scope.source.code(above.iter) == scope.source.code(node.iter)
        for outer in ast.walk(above.target):
            if not isinstance(outer, ast.Name) or outer.id == inner:
                continue
            weight = 0.3 * scope.alike(outer.id, inner)
            cases = {f"{outer.id} == {inner}": weight}
            if alike and scope.is_number(inner):  # no step at all: `dx == dy == 0`
                cases[f"{outer.id} == {inner} == 0"] = weight
            for condition, likely in cases.items():
                lines = (f"if {condition}:", f"{scope.source.step}continue")
                change = (scope.source.insert_before(first, *lines),)
                says = f"skips a pair where `{condition}`"
                yield Change("missing guard", first.lineno, likely, change, says)


def _missing(scope: Scope, name: str) -> Iterator[str]:
    kinds = scope.kinds(name)
    if not kinds or "NoneType" in kinds:
        yield f"{name} is None"
    if not kinds or scope.is_sized(name) or "NoneType" in kinds:
        yield f"not {name}"
    if kinds & {"int", "float"}:
        yield f"{name} == 0"
        yield f"{name} < 0"


def _cases(scope: Scope) -> dict[str, float]:
    found: dict[str, float] = {}
    for name in scope.parameters:
        kinds = scope.kinds(name)
        if not kinds or kinds - {"int", "float", "bool"}:
            found |= {f"not {name}": 1.0, f"{name} is None": 0.8}
        if not kinds or scope.is_sized(name):
            found |= {f"len({name}) <= 1": 0.5, f"len({name}) == 1": 0.4, f"len({name}) < 2": 0.1}
        if not kinds or kinds & {"int", "float"}:
            found |= {f"{name} == 0": 0.9, f"{name} <= 0": 0.6, f"{name} < 0": 0.7}
            found |= {f"{name} == 1": 0.5, f"{name} <= 1": 0.6, f"{name} < 2": 0.4}
    numbers = [name for name in scope.parameters if scope.has(name, "int", "float")]
    for place, one in enumerate(numbers):
        for other in numbers[place + 1 :]:
            found |= {f"{one} > {other}": 0.5, f"{one} == {other}": 0.4, f"{one} < {other}": 0.4}
    for one in scope.parameters:
        for other in scope.parameters:
            if one < other and not scope.is_number(one) and not scope.is_number(other):
                found |= {f"not {one} or not {other}": 0.4, f"{one} == {other}": 0.2}
    return found


def _answers(scope: Scope) -> dict[str, float]:
    """Return what a function may answer, values of the types that it was seen to return first."""
    found = dict.fromkeys(_PLAIN, 0.2)
    kinds = scope.kinds("return")
    likely = {
        "int": ("0", "1", "-1"), "float": ("0.0", "0"), "list": ("[]", "[[]]"), "str": ("''",),
        "bool": ("False", "True"), "dict": ("{}",), "set": ("set()",), "NoneType": ("None",),
    }  # fmt: skip
    for kind in kinds:
        found |= dict.fromkeys(likely.get(kind, ()), 0.45)
    for name in scope.parameters:
        found[name] = 0.4 if scope.kinds(name) & kinds else 0.2
        if "list" in kinds:
            found[f"[{name}]"] = 0.25
    if scope.definition is not None:
        for node in scope.source.nodes(scope.definition):
            if isinstance(node, ast.Return) and isinstance(
                node.value, ast.Constant | ast.List | ast.Name
            ):
                found[scope.source.code(node.value)] = 0.5
    return dict(sorted(found.items(), key=lambda item: -item[1])[:10])


def _yielded(scope: Scope) -> dict[str, float]:
    """Return what a generator may yield in a special case: what is empty, as the rest is built."""
    found = dict.fromkeys(("[]", "()", "''"), 0.25) | dict.fromkeys(scope.parameters, 0.2)
    for value in scope.yields:
        for node in scope.source.nodes(value):
            match node:
                case ast.List():
                    found["[]"] = 0.5
                case ast.Tuple():
                    found["()"] = 0.5
                case ast.Constant(value=str()):
                    found["''"] = 0.5
                case _:
                    pass
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
