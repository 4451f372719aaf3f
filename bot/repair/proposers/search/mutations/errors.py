"""Errors: those from below, caught or kept from being raised, and those that a test waits for in vain."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.atoms import pairs
from bot.repair.proposers.search.mutations.blocks import in_loop, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.guards import special_cases
from bot.repair.proposers.search.mutations.repeated_edits import same_code
from bot.repair.proposers.search.mutations.rule import (
    Idea,
    Ideas,
    add,
    guard,
    instead,
    likeliest_first,
    rule,
)
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import SourceFile
from bot.repair.proposers.search.mutations.weights import FALLOFF

_ERRORS = frozenset({"IndexError", "TypeError", "AttributeError", "KeyError"})
_PLAIN = ("None", "0", "''", "[]", "False", "{}", "()")
_AROUND = 3
"""Expressions around one that can't be taken, which are left out together with it."""

_MOST_PLACES = 6
"""Statements of a function in front of which it may raise."""


@rule("fallback", ast.Subscript | ast.Attribute)
def fallback(scope: FunctionScope, node: ast.Subscript | ast.Attribute) -> Ideas:
    """Take something else where there is nothing to take, at every place of the same expression.

    seen: IndexError
    before: return len(a[0])
    after: return len(a[0]) if a else 0
    """
    source, code = scope.source, scope.source.part(node.value)
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    if "(" in code or not any(error.type in _ERRORS for error in errors):
        return
    if not isinstance(node.ctx, ast.Load):
        return
    for whole in _around(source, node):
        length = isinstance(whole, ast.Call) and source.part(whole.func) == "len"
        case = "of a length" if length else ""
        for condition in _there(scope, node):
            for other, factor in likeliest_first(_others(scope, whole)).items():
                text = f"{source.operand(whole, 4)} if {condition} else {other}"
                says = f"takes `{other}` unless `{condition}`"
                yield instead(scope, whole, text, case, factor=factor, says=says)
                same = tuple(
                    source.replace(expression, text) for expression in same_code(source, whole)
                )
                if len(same) > 1:
                    yield Idea(same, f"{says}, at {len(same)} places", case, factor, whole.lineno)


def _there(scope: FunctionScope, node: ast.Subscript | ast.Attribute) -> tuple[str, ...]:
    """Return conditions under which there is such an item or attribute."""
    code = scope.source.part(node.value)
    if isinstance(node, ast.Attribute):
        return (f"{code} is not None",)
    match node.slice:
        case ast.Slice():
            return (f"{code} is not None",)
        case ast.Constant(value=int() as place) if place > 0:
            return (f"len({code}) > {place}", code)
        case ast.Constant(value=str()) | ast.Name() | ast.Attribute():
            return (f"{scope.source.part(node.slice)} in {code}", code)
        case _:
            return (code,)


def _around(source: SourceFile, node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and those around it."""
    for _ in range(_AROUND + 1):
        if "\n" in source.part(node):
            return
        yield node
        above = source.parent(node)
        if not isinstance(
            above, ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.Compare
        ):
            return
        node = above


def _others(scope: FunctionScope, whole: ast.expr) -> tuple[str, ...]:
    """Return what may be taken instead, something of the same type first."""
    if isinstance(whole, ast.Call) and scope.source.part(whole.func) == "len":
        names = (name for name in scope.bound_before(whole.lineno) if scope.is_sized(name))
        return ("0", *(f"len({name})" for name in names))
    return ("False", "True") if isinstance(whole, ast.Compare) else _PLAIN


@rule("absent attribute", ast.Attribute)
def absent_attribute(scope: FunctionScope, node: ast.Attribute) -> Ideas:
    """Take something else where a value does not have an attribute.

    seen: AttributeError: 'int' object has no attribute 'x'
    before: return a.x
    after: return getattr(a, 'x', None)
    """
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    lacking = f"has no attribute '{node.attr}'"
    if isinstance(node.ctx, ast.Load) and any(lacking in error.message for error in errors):
        code = scope.source.part(node.value)
        for other in ("None", f"[{code}]", "()", "''", code):
            place = Replacement(
                *scope.source.span(node), f"getattr({code}, {node.attr!r}, {other})"
            )
            yield Idea((place,), f"takes `{other}` where there is no `.{node.attr}`")


_NOT_CAUGHT = frozenset({
    "AssertionError", "Failed", "SystemExit", "KeyboardInterrupt", "NameError", "SyntaxError",
    "UnboundLocalError", "IndentationError", "RecursionError", "MemoryError",
})  # fmt: skip
"""What a test says itself, and what nobody should catch: it says that code is wrong."""


@rule("caught error", ast.ExceptHandler)
def caught(scope: FunctionScope, node: ast.ExceptHandler) -> Ideas:
    """Catch one more error, which was seen to come out of what the handler watches.

    seen: ValueError
    before: try: (return a[b]) except KeyError: (return 0)
    after: try: (return a[b]) except (KeyError, ValueError): (return 0)
    """
    above = scope.source.parent(node)
    if node.type is None or not isinstance(above, ast.Try):
        return
    items = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    codes = [scope.source.part(expression) for expression in items]
    for name in _seen(scope, above.body[0], above.body[-1]):
        if name not in codes:
            text = f"({', '.join((*codes, name))})"
            yield instead(scope, node.type, text, says=f"catches `{name}` too")


def _seen(scope: FunctionScope, first: ast.stmt, last: ast.stmt) -> tuple[str, ...]:
    """Return the errors that came through some statements, and can be named in the file."""
    errors = scope.errors_at(first.lineno, last.end_lineno or last.lineno)
    known = {*dir(builtins), *scope.source.module_names} - _NOT_CAUGHT
    return tuple(dict.fromkeys(error.type for error in errors if error.type in known))


@rule("uncaught error", ast.Return | ast.Assign | ast.AugAssign | ast.Expr)
def uncaught(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Catch the error that a statement lets through: raise the expected one, or go on.

    seen: KeyError
    before: return a[b]
    after: try: (return a[b]) except KeyError: (return None)
    """
    source = scope.source
    errors = _seen(scope, node, node)
    if not errors or not movable(scope, node) or "\n" in source.part(node):
        return
    named = errors[0] if len(errors) == 1 else f"({', '.join(errors)})"
    known = source.module_names
    for error in scope.expected:
        if error in known:
            way = f"raise {error}(str(exc)) from exc"
            change = _tried(scope, node, f"except {named} as exc:", way)
            yield Idea((change,), f"turns `{named}` into `{error}`", "expected")
    for way in _ways_on(scope, node):
        change = _tried(scope, node, f"except {named}:", way)
        case = "in a loop" if way in {"continue", "break", "pass"} else ""
        yield Idea((change,), f"does `{way}` where `{named}` is raised", case)


def _tried(scope: FunctionScope, node: ast.stmt, handler: str, way: str) -> Replacement:
    """Return a statement of one line inside a `try`."""
    source = scope.source
    start, end = source.whole_lines(node)
    indent, line = source.indent(node.lineno), source.text[start:end].rstrip("\r\n")
    lines = (f"{indent}try:", f"{source.step}{line}", f"{indent}{handler}")
    ended = (*lines, f"{indent}{source.step}{way}")
    return Replacement(start, end, "".join(f"{item}{source.newline}" for item in ended))


def _ways_on(scope: FunctionScope, node: ast.stmt) -> Iterator[str]:
    """Yield what may be done instead of a statement that can't be done."""
    if isinstance(node, ast.Assign):
        target = scope.source.part(node.targets[0])
        names = (name for name in scope.parameters if "default" in name)
        yield from (f"{target} = {value}" for value in ("None", "[]", "''", "0", *names))
    elif not isinstance(node, ast.Return):
        yield "pass"
    yield from (f"return {value}" for value in ("None", "False", "[]", "''"))
    yield from (f"return {name}" for name in scope.parameters[:3])
    if in_loop(scope, node):
        yield from ("continue", "break")


@rule("expected error", ast.stmt)
def expected_error(scope: FunctionScope, node: ast.stmt) -> Ideas:
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
        for condition in _conditions(scope, node.lineno):
            lines = guard(scope, condition, f"raise {error}")
            yield add(scope, node, *lines, factor=1.0 if node is body[0] else FALLOFF)


def _conditions(scope: FunctionScope, line: int) -> Iterator[str]:
    """Yield conditions under which a function may raise."""
    names = scope.bound_before(line)
    for name in names:
        yield from special_cases(scope, name, first=True)
        for place in scope.self_attributes if scope.has(name, "int", "float") else ():
            yield from (f"{name} {op} {place}" for op in (">", ">=", "<"))
    for place in scope.self_attributes:
        yield from (f"not {place}", place, f"{place} is None")
    yield from pairs(scope, names)
