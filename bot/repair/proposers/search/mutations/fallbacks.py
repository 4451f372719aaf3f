"""Values that can't be taken: of an empty sequence, of None, of something without that attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.repeated_edits import same_code
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, likeliest_first, rule
from bot.repair.proposers.search.mutations.scope import Scope
from bot.repair.proposers.search.mutations.source import Source

_ERRORS = frozenset({"IndexError", "TypeError", "AttributeError", "KeyError"})
_PLAIN = ("None", "0", "''", "[]", "False", "{}", "()")
_AROUND = 3
"""Expressions around one that can't be taken, which are left out together with it."""


@rule("fallback", ast.Subscript | ast.Attribute)
def fallback(scope: Scope, node: ast.Subscript | ast.Attribute) -> Ideas:
    """Take something else where there is nothing to take, at every place of the same expression.

    seen: IndexError
    before: return len(a[0])
    after: return len(a[0]) if a else 0
    """
    source, code = scope.source, scope.source.code(node.value)
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    if "(" in code or not any(error.type in _ERRORS for error in errors):
        return
    if not isinstance(node.ctx, ast.Load):
        return
    for whole in _around(source, node):
        length = isinstance(whole, ast.Call) and source.code(whole.func) == "len"
        case = "of a length" if length else ""
        for condition in _there(scope, node):
            for other, factor in likeliest_first(_others(scope, whole)).items():
                text = f"{source.operand(whole, 4)} if {condition} else {other}"
                says = f"takes `{other}` unless `{condition}`"
                yield instead(scope, whole, text, case, factor=factor, says=says)
                same = tuple(source.replace(one, text) for one in same_code(source, whole))
                if len(same) > 1:
                    yield Idea(same, f"{says}, at {len(same)} places", case, factor, whole.lineno)


def _there(scope: Scope, node: ast.Subscript | ast.Attribute) -> tuple[str, ...]:
    """Return conditions under which there is such an item or attribute."""
    code = scope.source.code(node.value)
    if isinstance(node, ast.Attribute):
        return (f"{code} is not None",)
    match node.slice:
        case ast.Slice():
            return (f"{code} is not None",)
        case ast.Constant(value=int() as place) if place > 0:
            return (f"len({code}) > {place}", code)
        case ast.Constant(value=str()) | ast.Name() | ast.Attribute():
            return (f"{scope.source.code(node.slice)} in {code}", code)
        case _:
            return (code,)


def _around(source: Source, node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and those around it."""
    for _ in range(_AROUND + 1):
        if "\n" in source.code(node):
            return
        yield node
        above = source.parent(node)
        if not isinstance(
            above, ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.Compare
        ):
            return
        node = above


def _others(scope: Scope, whole: ast.expr) -> tuple[str, ...]:
    """Return what may be taken instead, something of the same type first."""
    if isinstance(whole, ast.Call) and scope.source.code(whole.func) == "len":
        names = (name for name in scope.bound_before(whole.lineno) if scope.is_sized(name))
        return ("0", *(f"len({name})" for name in names))
    return ("False", "True") if isinstance(whole, ast.Compare) else _PLAIN


@rule("absent attribute", ast.Attribute)
def absent_attribute(scope: Scope, node: ast.Attribute) -> Ideas:
    """Take something else where a value does not have an attribute.

    seen: AttributeError: 'int' object has no attribute 'x'
    before: return a.x
    after: return getattr(a, 'x', None)
    """
    errors = scope.errors_at(node.lineno, node.end_lineno or node.lineno)
    lacking = f"has no attribute '{node.attr}'"
    if isinstance(node.ctx, ast.Load) and any(lacking in error.message for error in errors):
        code = scope.source.code(node.value)
        for other in ("None", f"[{code}]", "()", "''", code):
            place = Replacement(
                *scope.source.span(node), f"getattr({code}, {node.attr!r}, {other})"
            )
            yield Idea((place,), f"takes `{other}` where there is no `.{node.attr}`")
