"""Operators: arithmetic, boolean logic, and the plus or minus one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_CALCULATED: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
_OTHER_OPERATORS = {
    "+": {"-": 0.9, "*": 0.5, "//": 0.3, "|": 0.2, "%": 0.2},
    "-": {"+": 0.9, "*": 0.3, "//": 0.35, "%": 0.3, "/": 0.25},
    "*": {"+": 0.5, "/": 0.5, "//": 0.45, "**": 0.4, "-": 0.3, "%": 0.2},
    "/": {"//": 0.9, "*": 0.6, "%": 0.3, "-": 0.25, "+": 0.2},
    "//": {"/": 0.9, "%": 0.7, "*": 0.4, "-": 0.3, "+": 0.2},
    "%": {"//": 0.7, "/": 0.3, "-": 0.35, "*": 0.25, "+": 0.2},
    "**": {"*": 0.7, "+": 0.2},
    "&": {"|": 0.8, "^": 0.7, "%": 0.2},
    "|": {"&": 0.8, "^": 0.6, "+": 0.2},
    "^": {"&": 0.8, "|": 0.7, "**": 0.4},
    "<<": {">>": 0.9, "*": 0.2},
    ">>": {"<<": 0.9, "//": 0.2},
    "@": {"*": 0.5},
}


def arithmetic(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Calculate with another operator, leave an operand out, or swap the operands."""
    if not isinstance(node, ast.BinOp):
        return
    source, name = scope.source, _CALCULATED[type(node.op)]
    at = source.between(node.left, node.right)
    is_format = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if is_format:
        return
    for other, weight in _OTHER_OPERATORS[name].items():
        says = f"calculates with `{other}` instead of `{name}`"
        yield Change("operator", node.lineno, weight, (Replacement(*at, other),), says)
    left, right = source.code(node.left), source.code(node.right)
    if name in {"-", "/", "//", "%", "**", "<<", ">>", "+"} and left != right:
        swapped = (_moved(scope, node.left, right), _moved(scope, node.right, left))
        fixed = name == "+" or isinstance(node.right, ast.Constant)  # `n - 1` is meant so
        weight = 0.25 if fixed else 0.45
        yield Change(
            "swapped operands", node.lineno, weight, swapped, f"swaps `{left}` and `{right}`"
        )
    for kept, dropped in ((node.left, node.right), (node.right, node.left)):
        one = isinstance(dropped, ast.Constant) and dropped.value == 1
        says = f"leaves `{source.code(dropped)}` out"
        replacement = source.replace(node, source.code(kept))
        yield Change("dropped operand", node.lineno, 0.7 if one else 0.3, (replacement,), says)
    yield from _regrouped(scope, node)


def _moved(scope: Scope, place: ast.expr, text: str) -> Replacement:
    return scope.source.replace(place, text)


def _regrouped(scope: Scope, node: ast.BinOp) -> Iterator[Change]:
    """Take or give parentheses: `a + b * c` and `(a + b) * c`."""
    source = scope.source
    for inner in (node.left, node.right):
        if not isinstance(inner, ast.BinOp):
            continue
        whole, part = source.span(node), source.span(inner)
        if source.parenthesised(inner):
            before = source.text.rindex("(", 0, part[0])
            after = source.text.index(")", part[1])
            pair = (Replacement(before, before + 1, ""), Replacement(after, after + 1, ""))
            yield Change("grouping", node.lineno, 0.55, pair, "groups the calculation differently")
        elif inner is node.left:
            middle = source.span(inner.right)[0]
            pair = (Replacement(middle, middle, "("), Replacement(whole[1], whole[1], ")"))
            yield Change("grouping", node.lineno, 0.55, pair, "groups the calculation differently")
        else:
            start = inner.left
            while True:  # `a - b * c / d`: behind `b * c`, and behind `b`
                middle = source.span(start)[1]
                pair = (Replacement(whole[0], whole[0], "("), Replacement(middle, middle, ")"))
                says = "groups the calculation differently"
                yield Change("grouping", node.lineno, 0.55, pair, says)
                if not isinstance(start, ast.BinOp) or source.parenthesised(start):
                    break
                start = start.left


def signs(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take a sign or a `not` away."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.BinOp(left=base, op=ast.Pow())):
            start, end = scope.source.span(node)[0], scope.source.span(base)[1]
            pair = (Replacement(start, start, "("), Replacement(end, end, ")"))
            yield Change("grouping", node.lineno, 0.7, pair, "raises the negative number")
        case _:
            pass
    if isinstance(node, ast.UnaryOp):
        weight = 0.6 if isinstance(node.op, ast.Not) else 0.4
        replacement = scope.source.replace(node, scope.source.code(node.operand))
        word = "not" if isinstance(node.op, ast.Not) else "the sign"
        yield Change("sign", node.lineno, weight, (replacement,), f"takes {word} away")


def augmented(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Update with another operator, or assign instead of updating, or the other way round."""
    source = scope.source
    if isinstance(node, ast.AugAssign):
        name = _CALCULATED[type(node.op)]
        at = source.between(node.target, node.value)
        for other, weight in _OTHER_OPERATORS[name].items():
            says = f"updates with `{other}=` instead of `{name}=`"
            change = (Replacement(*at, f"{other}="),)
            yield Change("update", node.lineno, weight, change, says)
        says = f"assigns instead of updating with `{name}=`"
        yield Change("update", node.lineno, 0.4, (Replacement(*at, "="),), says)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if not isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            return
        at = source.between(target, node.value)
        for other, weight in (("+=", 0.45), ("-=", 0.2), ("*=", 0.2), ("|=", 0.1), ("//=", 0.1)):
            says = f"updates with `{other}` instead of assigning"
            yield Change("update", node.lineno, weight, (Replacement(*at, other),), says)
        if isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.UAdd | ast.USub):
            sign = "+=" if isinstance(node.value.op, ast.UAdd) else "-="
            start, end = at[0], source.span(node.value.operand)[0]
            change = (Replacement(start, end, f"{sign} "),)
            close = source.text[at[1] : at[1] + 1] in "+-"  # `=+ 1`
            says = f"updates with `{sign}` instead of assigning"
            yield Change("update", node.lineno, 1.0 if close else 0.3, change, says)
        name = source.code(target)
        for best, weight in (("max", 0.22), ("min", 0.22)):
            if f"{best}(" not in source.code(node.value):
                text = f"{best}({name}, {source.code(node.value)})"
                says = f"keeps the {'larger' if best == 'max' else 'smaller'} of old and new value"
                yield Change(
                    "update", node.lineno, weight, (source.replace(node.value, text),), says
                )


def logic(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Join conditions with the other word, or leave one of them out."""
    if not isinstance(node, ast.BoolOp):
        return
    source = scope.source
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    joints = list(zip(node.values, node.values[1:], strict=False))
    for left, right in joints:
        at = source.between(left, right)
        says = f"joins with `{new}` instead of `{old}`"
        yield Change("boolean logic", node.lineno, 0.7, (Replacement(*at, new),), says)
    if len(joints) > 1:
        every = tuple(Replacement(*source.between(a, b), new) for a, b in joints)
        yield Change("boolean logic", node.lineno, 0.4, every, f"joins with `{new}` throughout")
    for dropped in node.values:
        kept = [source.operand(value, 5) for value in node.values if value is not dropped]
        replacement = source.replace(node, f" {old} ".join(kept))
        says = f"leaves the condition `{source.code(dropped)}` out"
        yield Change("dropped condition", node.lineno, 0.35, (replacement,), says)
        operand = source.operand(dropped, 5)
        negated = (
            dropped.operand
            if isinstance(dropped, ast.UnaryOp) and isinstance(dropped.op, ast.Not)
            else None
        )
        if negated is None:
            flipped = source.replace(dropped, f"not {operand}")
            yield Change("negation", node.lineno, 0.4, (flipped,), f"negates `{operand}`")


def powers(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take the square of a number that is calculated with."""
    if not isinstance(node, ast.Name) or node.id not in scope.variables:
        return
    if not scope.is_number(node.id):
        return
    above = scope.source.parent(node)
    if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Pow | ast.Mod):
        change = (scope.source.replace(node, f"{node.id} ** 2"),)
        yield Change("operator", node.lineno, 0.12, change, f"takes the square of `{node.id}`")


_GLOBAL = 0.2
"""Of the weight, what is left for a name of the module: a constant is mended where it is set."""

_COUNTED = (
    ast.Compare, ast.Subscript, ast.Slice, ast.Call, ast.Return, ast.Assign, ast.AugAssign,
    ast.BinOp, ast.keyword, ast.Tuple,
)  # fmt: skip


def off_by_one(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Add or take one where numbers count: bounds, indices, ranges, results."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Constant | ast.Starred | ast.Slice):
        return
    above = scope.source.parent(node)
    if not isinstance(above, _COUNTED) or not _may_be_number(scope, node):
        return
    weight = _off_by_one_weight(above, node)
    if isinstance(node, ast.Name) and node.id not in scope.variables:
        weight *= _GLOBAL
    code = scope.source.operand(node, 11)
    for text, word in ((f"{code} + 1", "one more than"), (f"{code} - 1", "one less than")):
        replacement = scope.source.replace(node, text)
        says = f"takes {word} `{scope.source.code(node)}`"
        yield Change("off by one", node.lineno, weight, (replacement,), says)


def _off_by_one_weight(above: ast.AST, node: ast.expr) -> float:  # noqa: PLR0911 - a table of cases
    match above:
        case ast.Slice():
            return 0.8
        case ast.Subscript(slice=index):
            return 0.75 if index is node else 0.0
        case ast.Call(func=ast.Name(id="range")):
            return 0.95
        case ast.Call(func=function):
            return 0.0 if function is node else 0.5
        case ast.Compare(left=left, comparators=others):
            plain = all(isinstance(one, ast.Name) for one in (left, *others))
            return 0.35 if plain else 0.6  # of two variables it is another operator most often
        case ast.Return():
            return 0.4 if isinstance(node, ast.Name) else 0.55
        case ast.BinOp():
            return 0.3
        case _:
            return 0.4


def _may_be_number(scope: Scope, node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        ends = (node.left, node.right)
        return not any(isinstance(end, ast.Constant) and end.value == 1 for end in ends) or (
            isinstance(node.op, ast.Mult | ast.FloorDiv | ast.Div)
        )
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and scope.is_number(node.id)
    return isinstance(node, ast.Call | ast.Attribute | ast.Subscript) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    )
