"""Operators and numbers: another one, other parentheses, one more or one less."""

from __future__ import annotations

import ast
from itertools import pairwise

from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, likeliest_first, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.weights import (
    OTHER_COMPARISONS,
    OTHER_OPERATORS,
    OTHER_UPDATES,
)

_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.MatMult: "@", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip


@rule("comparison", ast.Compare)
def comparison(scope: FunctionScope, node: ast.Compare) -> Ideas:
    """Compare with another operator.

    before: return a < b
    after: return a <= b
    """
    operands = [node.left, *node.comparators]
    for op, (left, right) in zip(node.ops, pairwise(operands), strict=True):
        old = _SYMBOLS[type(op)]
        at = scope.source.between(left, right)
        singleton = _is_singleton(left) or _is_singleton(right)
        for new, factor in likeliest_first(OTHER_COMPARISONS[old]).items():
            equality = old.startswith("is") and new in {"==", "!="} and not singleton
            case, rest = ("by value", 1.0) if equality else ("", factor)
            says = f"compares with `{new}` instead of `{old}`"
            yield Idea((Replacement(*at, new),), says, case, rest)


def _is_singleton(node: ast.expr) -> bool:
    """Whether `is` is the way to compare with this."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


@rule("arithmetic", ast.BinOp)
def arithmetic(scope: FunctionScope, node: ast.BinOp) -> Ideas:
    """Calculate with another operator.

    before: return a - b
    after: return a + b
    """
    old = _SYMBOLS[type(node.op)]
    if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        return  # `%` of a text
    at = scope.source.between(node.left, node.right)
    for new, factor in likeliest_first(OTHER_OPERATORS[old]).items():
        says = f"calculates with `{new}` instead of `{old}`"
        yield Idea((Replacement(*at, new),), says, "", factor)


@rule("update", ast.Assign | ast.AugAssign)
def update(scope: FunctionScope, node: ast.Assign | ast.AugAssign) -> Ideas:
    """Update with another operator, assign instead, or update instead of assigning.

    before: a = b
    after: a += b
    """
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
        return
    source, at = scope.source, scope.source.between(target, node.value)
    if isinstance(node, ast.AugAssign):
        old = f"{_SYMBOLS[type(node.op)]}="
        others = {f"{operator}=": "" for operator in OTHER_OPERATORS[old[:-1]]} | {"=": "assign"}
    else:
        old, others = "=", dict.fromkeys(OTHER_UPDATES, "of what is assigned")
        yield from _signed(scope, node, at)
    for (new, case), factor in zip(others.items(), likeliest_first(others).values(), strict=True):
        says = f"updates with `{new}` instead of `{old}`"
        yield Idea((Replacement(*at, new),), says, case, 1.0 if case == "assign" else factor)
    for best in ("max", "min") if old == "=" else ():
        code = source.part(node.value)
        if f"{best}(" not in code:
            yield instead(scope, node.value, f"{best}({source.part(target)}, {code})", "extreme")


def _signed(scope: FunctionScope, node: ast.Assign, at: tuple[int, int]) -> Ideas:
    """Turn `a =+ 1` into `a += 1`."""
    match node.value:
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
            new = "+=" if isinstance(sign, ast.UAdd) else "-="
            place = Replacement(at[0], scope.source.span(operand)[0], f"{new} ")
            close = scope.source.text[at[1] : at[1] + 1] in "+-"
            says = f"updates with `{new}` instead of assigning"
            yield Idea((place,), says, "=+" if close else "assign")
        case _:
            pass


@rule("grouping", ast.BinOp)
def grouping(scope: FunctionScope, node: ast.BinOp) -> Ideas:
    """Take or give parentheses.

    before: return a + b / 2
    after: return (a + b) / 2
    """
    source, says = scope.source, "groups the calculation differently"
    start, end = source.span(node)
    for inner in (node.left, node.right):
        part = source.span(inner)
        if not isinstance(inner, ast.BinOp):
            continue
        if source.parenthesised(inner):
            before = source.text.rindex("(", 0, part[0])
            after = source.text.index(")", part[1])
            pair = (Replacement(before, before + 1, ""), Replacement(after, after + 1, ""))
            yield Idea(pair, says)
        elif inner is node.left:
            yield _parentheses(source.span(inner.right)[0], end, says)
        else:
            first: ast.expr = inner
            while isinstance(first, ast.BinOp) and not source.parenthesised(first):
                first = first.left  # of `a - b * c / d`: behind `b * c`, and behind `b`
                yield _parentheses(start, source.span(first)[1], says)


def _parentheses(start: int, end: int, says: str) -> Idea:
    return Idea((Replacement(start, start, "("), Replacement(end, end, ")")), says)


_COUNTED = (
    ast.Compare, ast.Subscript, ast.Slice, ast.Call, ast.Return, ast.Assign, ast.AugAssign,
    ast.BinOp, ast.keyword, ast.Tuple,
)  # fmt: skip


@rule("off by one", ast.Name | ast.BinOp | ast.Call | ast.Attribute | ast.Subscript)
def off_by_one(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Add or take one where numbers count: bounds, indices, ranges, results.

    before: return list(range(a, b))
    after: return list(range(a, b + 1))
    """
    above = scope.source.parent(node)
    if not isinstance(above, _COUNTED) or not _may_be_number(scope, node):
        return
    if scope.source.is_called(node) or (isinstance(above, ast.Subscript) and above.value is node):
        return
    case = _where(above)
    if isinstance(node, ast.Name) and node.id not in scope.variables:
        case = "of a name of the module"  # a constant is mended where it is set
    code = scope.source.operand(node, 11)
    for text, word in ((f"{code} + 1", "one more than"), (f"{code} - 1", "one less than")):
        yield instead(scope, node, text, case, says=f"takes {word} `{scope.source.part(node)}`")


def _where(above: ast.AST) -> str:
    match above:
        case ast.Slice() | ast.Subscript():
            return "at an index"
        case ast.Call(func=ast.Name(id="range")):
            return "in a range"
        case ast.Compare(left=ast.Name(), comparators=[ast.Name()]) | ast.BinOp() | ast.Return():
            return "in a calculation"  # of two variables it is another operator most often
        case _:
            return ""


def _may_be_number(scope: FunctionScope, node: ast.expr) -> bool:
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(node, ast.BinOp):
        one = any(
            isinstance(end, ast.Constant) and end.value == 1 for end in (node.left, node.right)
        )
        return not one or isinstance(node.op, ast.Mult | ast.FloorDiv | ast.Div)
    return not isinstance(node, ast.Name) or scope.is_number(node.id)


@rule("number", ast.Constant | ast.UnaryOp)
def number(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Take a number near by, or another usual one.

    before: return a[0]
    after: return a[1]
    """
    value = _number(node)
    above = scope.source.parent(node)
    if value is None or (isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.USub)):
        return
    # People are seldom off by one in a factor or a divisor.
    match above:
        case ast.BinOp(op=ast.Mult() | ast.Mod() | ast.Div() | ast.FloorDiv() | ast.Pow()):
            near = "factor"
        case _:
            near = "near"
    tries = dict.fromkeys((str(value + 1), str(value - 1)), near)
    tries = {
        "0": "usual",
        "1": "usual",
        "float('inf')": "other",
        "-1": "other",
        "2": "other",
        str(-value): "other",
    } | tries
    if isinstance(value, int):
        wide = (str(value * 2), str(value * 10), str(value // 2), "float('-inf')", "None")
        tries = dict.fromkeys(wide, "wide") | tries
    for text, case in tries.items():
        if text != str(value):
            yield instead(scope, node, text, case)


def _number(node: ast.AST) -> int | float | None:
    match node:
        case ast.Constant(value=bool()) | ast.UnaryOp(operand=ast.Constant(value=bool())):
            return None
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case _:
            return None
