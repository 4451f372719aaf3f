"""Guards: a case that is answered before the rest, a value that may be missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.blocks import in_loop, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import (
    Idea,
    Ideas,
    add,
    guard,
    likeliest_first,
    rule,
    short,
)
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition, is_loaded

_OF_TYPE = {
    "int": ("0", "1", "-1"), "float": ("0.0",), "list": ("[]", "[[]]"), "str": ("''",),
    "bool": ("False", "True"), "dict": ("{}",), "set": ("set()",), "NoneType": ("None",),
}  # fmt: skip
_PLAIN = ("None", "0", "[]", "1", "False", "True")
_MOST = 10


@rule("guard", ast.stmt)
def missing_guard(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Answer a special case first, or skip or leave before a statement that can't take a value.

    types: a: list, return: list
    before: return a[0]
    after: if not a: (return []); return a[0]
    """
    if scope.definition is None or not movable(scope, node) or is_docstring(node):
        return
    first = node is next(
        statement for statement in scope.definition.body if not is_docstring(statement)
    )
    answers = [f"return {answer}" for answer in _answers(scope)]
    ways: dict[str, tuple[str, float]] = {"return": ("", 1.0)}
    if first:
        ways |= {way: ("base case", factor) for way, factor in likeliest_first(answers).items()}
    else:
        ways |= dict.fromkeys(answers[:3], ("", 1.0))
    if in_loop(scope, node):
        ways |= dict.fromkeys(("continue", "break"), ("in a loop", 1.0))
    names = {
        child.id: None
        for child in scope.source.nodes(node)
        if isinstance(child, ast.Name) and is_loaded(child) and child.id in scope.variables
    }
    code = scope.source.part(node)
    owned = (place for place in scope.self_attributes if place in code)
    for name in (*(scope.parameters if first else sorted(names)), *owned):
        for condition in special_cases(scope, name, first=first):
            for way, (case, factor) in ways.items():
                yield add(scope, node, *guard(scope, condition, way), case=case, factor=factor)


def special_cases(scope: FunctionScope, name: str, *, first: bool) -> Iterator[str]:
    """Yield the special cases of a value: it is missing, empty, nothing or negative."""
    kinds = scope.kinds(name)
    if not kinds or "NoneType" in kinds:
        yield f"{name} is None"
    if not kinds or scope.is_sized(name) or "NoneType" in kinds:
        yield f"not {name}"
    if kinds & {"int", "float"}:
        yield from (f"{name} == 0", f"{name} < 0")
    if first and kinds & {"int", "float"}:
        yield from (f"{name} <= 0", f"{name} == 1", f"{name} <= 1")
    if first and scope.is_sized(name):
        yield f"len({name}) <= 1"


def _answers(scope: FunctionScope) -> list[str]:
    """Return what a function may answer: what it returns elsewhere first, then by its type."""
    kinds = scope.kinds("return")
    found: list[str] = []
    for node in scope.nodes:
        match node:
            case ast.Return(value=ast.Constant() | ast.List() | ast.Name() as value):
                found.append(scope.source.part(value))
            case _:
                pass
    found += [text for kind in sorted(kinds) for text in _OF_TYPE.get(kind, ())]
    found += sorted(scope.parameters, key=lambda name: not scope.kinds(name) & kinds)
    return list(dict.fromkeys((*found, *_PLAIN)))[:_MOST]


@rule("pair with itself", ast.For)
def same_place(scope: FunctionScope, node: ast.For) -> Ideas:
    """Skip the pair of a thing with itself, where a loop in a loop goes over the same things.

    before: for i in a: (for j in a: (b.append(i)))
    after: for i in a: (for j in a: (if i == j: (continue); b.append(i)))
    """
    first = node.body[0]
    if not isinstance(node.target, ast.Name) or not scope.source.own_line(first):
        return
    inner, source = node.target.id, scope.source
    loops = [child for child in scope.nodes if isinstance(child, ast.For) and child is not node]
    for above in (ancestor for ancestor in source.ancestors(node) if ancestor in loops):
        for outer in ast.walk(above.target):
            if isinstance(outer, ast.Name) and outer.id != inner:
                cases = [f"{outer.id} == {inner}"]
                if source.part(above.iter) == source.part(node.iter) and scope.is_number(inner):
                    cases.append(f"{outer.id} == {inner} == 0")  # no step at all
                for condition in cases:
                    factor = scope.alike(outer.id, inner)
                    yield add(scope, first, *guard(scope, condition, "continue"), factor=factor)


@rule("shared default", Definition)
def shared_default(scope: FunctionScope, node: Definition) -> Ideas:
    """Make a new value in each call instead of sharing one default.

    before: def f(a, b=[]): (b.append(a))
    after: def f(a, b=None): (if b is None: (b = []); b.append(a))
    """
    source, given = scope.source, node.args
    parameters = [*given.posonlyargs, *given.args]
    pairs = [*zip(parameters[len(parameters) - len(given.defaults) :], given.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d]
    start = next((statement for statement in node.body if not is_docstring(statement)), None)
    for parameter, default in pairs:
        if not isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
            continue
        if start is None or not source.own_line(start):
            continue
        name, text = parameter.arg, source.part(default)
        new: tuple[Replacement, ...] = ()
        if not any(f"{name} is None" in source.part(statement) for statement in node.body):
            lines = guard(scope, f"{name} is None", f"{name} = {text}")
            new = (source.insert_before(start, *lines),)
        says = f"makes a new `{short(text)}` for `{name}` in each call"
        yield Idea((source.replace(default, "None"), *new), says)
