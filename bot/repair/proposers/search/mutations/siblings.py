"""Operations on what stands side by side: operands, arguments, items, conditions, ends of a slice.

They know of no shape of code. A node has places, in its places stand nodes: one of them may be too
many, two may be exchanged, one may do for the whole, and one may be missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType

from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, rule, short
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import is_loaded

Part = ast.expr | ast.keyword

_LISTS = (
    ast.Call | ast.Tuple | ast.List | ast.Set | ast.BoolOp | ast.BinOp | ast.Compare | ast.IfExp
    | ast.Slice
)  # fmt: skip
_MOST = 6
"""Parts that are exchanged with each other; of more, neighbours alone."""

_MOST_NUMBERS = 8
"""Numbers of a function and its file that are calculated with."""

_COMMUTING = ast.Mult | ast.BitAnd | ast.BitOr | ast.BitXor
_SYMMETRIC = ast.Eq | ast.NotEq | ast.Is | ast.IsNot
_OPERATORS: Mapping[str, str] = MappingProxyType(
    {"+": "", "-": "", "*": "factor", "//": "divisor", "%": "divisor", "/": "divisor"}
)


def _parts(node: ast.AST) -> tuple[Part, ...]:
    """Return what stands side by side in a node, in the order of the text."""
    match node:
        case ast.Call():
            given: list[Part] = [*node.args, *(keyword for keyword in node.keywords if keyword.arg)]
            return tuple(sorted(given, key=lambda item: (item.lineno, item.col_offset)))
        case (
            ast.Tuple(elts=items)
            | ast.List(elts=items)
            | ast.Set(elts=items)
            | ast.BoolOp(values=items)
        ):
            return tuple(items)
        case (
            ast.BinOp(left=one, right=other)
            | ast.IfExp(body=one, orelse=other)
            | ast.Assign(targets=[ast.Subscript(slice=one)], value=other)
            | ast.DictComp(key=one, value=other)
        ):
            return (one, other)
        case ast.Compare(left=one, comparators=others):
            return (one, *others)
        case ast.Slice():
            return tuple(expression for expression in (node.lower, node.upper) if expression)
        case _:
            return ()


@rule("part for the whole", ast.expr)
def part_for_whole(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Take one part of an expression in its place: an operand, an argument, what a method is called on.

    before: return a * b
    after: return a
    """
    above = scope.source.parent(node)
    if isinstance(above, ast.Expr) or not is_loaded(node) or scope.source.is_called(node):
        return
    for part, case in _wholes(node):
        code = scope.source.part(part)
        if "\n" not in code and not isinstance(part, ast.Starred | ast.GeneratorExp):
            yield instead(scope, node, code, case)


def _wholes(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.BinOp(left=left, right=right):
            if not (
                isinstance(left, ast.Constant) and isinstance(left.value, str)
            ):  # `%` of a text
                one = getattr(right, "value", None) == 1 and isinstance(node.op, ast.Add | ast.Sub)
                yield from ((left, "one" if one else "operand"), (right, "operand"))
        case ast.UnaryOp(operand=operand):
            yield operand, "not" if isinstance(node.op, ast.Not) else "sign"
        case ast.IfExp(body=body, orelse=other):
            yield from ((body, "choice"), (other, "choice"))
        case ast.Call(func=ast.Name(), args=[ast.expr() as given]):
            yield given, "call"
        case ast.Call(func=func, args=args):
            yield from ((expression, "of several") for expression in args)
            if isinstance(func, ast.Attribute):
                yield func.value, "of several" if args else "method"
        case ast.Subscript(value=value):
            yield value, "call" if isinstance(node.slice, ast.Slice) else "of several"
        case _:
            pass


@rule("left out", ast.Call | ast.Tuple | ast.List | ast.Set | ast.BoolOp | ast.Compare)
def left_out(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Leave out an argument, an item or a condition.

    before: return a.f(b, 1)
    after: return a.f(b)
    """
    parts = _parts(node)
    if len(parts) < 2 + isinstance(node, ast.Compare) - isinstance(node, ast.Call | ast.List):
        return
    if not is_loaded(node):
        return
    for place, part in enumerate(parts):
        start, end = scope.source.span(part)
        if isinstance(part, ast.expr):
            start, end = _with_parentheses(scope, part, start, end)
        if place + 1 < len(parts):
            end = _start(scope, parts[place + 1])
        elif place:
            start = _end(scope, parts[place - 1])
        match node:
            case ast.Tuple() if len(parts) == 2:  # noqa: PLR2004 - a tuple of one looks otherwise
                return
            case ast.BoolOp():
                case = "condition"
            case ast.Call():
                case = "argument"
            case _:
                case = ""
        says = f"leaves `{short(scope.source.part(part))}` out"
        yield Idea((Replacement(start, end, ""),), says, case, 1.0, part.lineno)


def _start(scope: FunctionScope, node: Part) -> int:
    start, end = scope.source.span(node)
    return _with_parentheses(scope, node, start, end)[0] if isinstance(node, ast.expr) else start


def _end(scope: FunctionScope, node: Part) -> int:
    start, end = scope.source.span(node)
    return _with_parentheses(scope, node, start, end)[1] if isinstance(node, ast.expr) else end


def _with_parentheses(
    scope: FunctionScope, node: ast.expr, start: int, end: int
) -> tuple[int, int]:
    """Return where an expression stands with its own parentheses."""
    if scope.source.parenthesised(node):
        return scope.source.text.rindex("(", 0, start), scope.source.text.index(")", end) + 1
    return start, end


@rule("left-out filter", ast.comprehension)
def left_out_filter(scope: FunctionScope, node: ast.comprehension) -> Ideas:
    """Let a comprehension take all.

    before: return [x for x in a if x]
    after: return [x for x in a]
    """
    for place, test in enumerate(node.ifs):
        start = _end(scope, node.ifs[place - 1] if place else node.iter)
        says = f"leaves `if {scope.source.part(test)}` out"
        yield Idea((Replacement(start, _end(scope, test), ""),), says, line=test.lineno)


@rule("exchanged", _LISTS | ast.Assign | ast.DictComp)
def exchanged(scope: FunctionScope, node: ast.expr | ast.Assign) -> Ideas:
    """Exchange operands, arguments, items, conditions, a key and its value, ends of a choice or slice.

    before: return a.f(b, 1)
    after: return a.f(1, b)
    """
    if isinstance(node, ast.BinOp) and isinstance(node.op, _COMMUTING):
        return
    if isinstance(node, ast.Compare) and (
        len(node.ops) == 1 or isinstance(node.ops[0], _SYMMETRIC)
    ):
        return  # another operator says the same
    parts = [part.value if isinstance(part, ast.keyword) else part for part in _parts(node)]
    for (n, combination), (m, other) in combinations(enumerate(parts), 2):
        if len(parts) > _MOST and m - n > 1:
            continue
        codes = [scope.source.part(combination), scope.source.part(other)]
        if codes[0] == codes[1] or {ast.Starred, ast.Slice} & {type(combination), type(other)}:
            continue
        two = (scope.source.replace(combination, codes[1]), scope.source.replace(other, codes[0]))
        says = f"exchanges `{short(codes[0])}` and `{short(codes[1])}`"
        yield Idea(two, says, _exchange(node, m - n), 1.0, combination.lineno)


def _exchange(node: ast.expr | ast.Assign, apart: int) -> str:
    match node:
        case ast.Call() | ast.IfExp() | ast.Compare():
            return "" if apart == 1 else "further on"
        case ast.BinOp(op=ast.Add()) | ast.BoolOp():
            return "order"
        case ast.BinOp(right=ast.Constant()):
            return "fixed"
        case ast.BinOp():
            return "operands"
        case _:
            return "items" if apart == 1 else "further on"


@rule(
    "missing operand",
    ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp | ast.Constant,
)
def missing_operand(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Calculate with one more value.

    types: a: int, b: int
    before: return a
    after: return a * b
    """
    above = scope.source.parent(node)
    if scope.definition is None or not is_loaded(node) or scope.source.is_called(node):
        return
    if isinstance(above, ast.Attribute | ast.Expr | ast.keyword | ast.JoinedStr | ast.Starred):
        return
    if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
        return
    if isinstance(node, ast.Name) and not scope.is_number(node.id):
        return
    if isinstance(above, ast.Subscript) and above.value is node:
        return
    code = scope.source.part(node)
    variables = [text for text in _variables(scope, node.lineno) if text not in code]
    constants = [text for text in _constants(scope) if text != code]
    own = getattr(scope.source.statement(node), "targets", ())
    targets = {scope.source.part(item) for item in own}
    for sign, kind in _OPERATORS.items():
        binds = 11 if sign in "+-" else 12
        for text in (*variables, *constants):
            case = "number" if text in constants else kind
            case = "own target" if text in targets else case
            factor = scope.crowd(constants if case == "number" else variables)
            factor = 1.0 if case == "own target" else factor
            sum_of = f"{scope.source.operand(node, binds)} {sign} {text}"
            says = f"adds `{sign} {text}` to `{short(code)}`"
            yield instead(scope, node, sum_of, case, factor=factor, says=says)


def _variables(scope: FunctionScope, line: int) -> list[str]:
    """Return what may be calculated with here: variables, attributes, sizes."""
    found = dict.fromkeys(name for name in scope.bound_before(line) if scope.is_number(name))
    for other in scope.nodes:
        match other:
            case ast.Attribute(value=ast.Name(id=owner)) if owner == "self" and is_loaded(other):
                if not scope.source.is_called(other):
                    found.setdefault(f"self.{other.attr}")
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
                found.setdefault(scope.source.part(other))
            case _:
                pass
    return [*found]


def _constants(scope: FunctionScope) -> list[str]:
    """Return numbers to calculate with: those of the function, the file's names for some, and 2."""
    said = [text for text in scope.expressions.get("Constant", ()) if text[:1].isdigit()]
    named = [name for name, value in scope.source.assigned if _is_named_number(name, value)]
    found = dict.fromkeys(text for text in said if text not in {"0", "1"})
    return [*dict.fromkeys(["2", *found, *named])][:_MOST_NUMBERS]


def _is_named_number(name: str, value: ast.expr) -> bool:
    """Whether a name stands for a number, by its letters and by what is assigned."""
    number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
    return number and name.isidentifier() and name.isupper()


@rule("missing argument", ast.Call)
def missing_argument(scope: FunctionScope, node: ast.Call) -> Ideas:
    """Give a call one more argument: a variable, what the called function has a name for, a number.

    before: return g(a)
    after: return g(a, b)
    """
    source = scope.source
    if any(isinstance(expression, ast.GeneratorExp | ast.Starred) for expression in node.args):
        return
    place = source.span(node)[1] - 1
    given = [source.part(part) for part in _parts(node)]
    front = ", " if given and not source.text[:place].rstrip().endswith(",") else ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else source.part(node.func)
    called = source.functions.get(name)
    options: dict[str, str] = {}
    if called is not None:
        known = [parameter.arg for parameter in (*called.args.args, *called.args.kwonlyargs)]
        free = [
            item for item in known[len(node.args) :] if item not in {k.arg for k in node.keywords}
        ]
        mine = {*scope.variables}
        options |= {f"{item}={item}": "by name" for item in free if item in mine}
        options |= {
            f"{item}=self.{item}": "by name"
            for item in free
            if f"self.{item}" in scope.self_attributes
        }
    if called is None or len(called.args.args) > len(node.args):
        names = scope.bound_before(node.lineno)
        options |= dict.fromkeys((entry for entry in names if entry not in given), "")
        options |= dict.fromkeys(("1", "0", "-1"), "")
        options |= dict.fromkeys(list(scope.texts)[:4], "text")
    for text, case in options.items():
        factor = scope.crowd(options) if not case else 1.0
        says = f"gives `{short(source.part(node.func))}` `{text}`, too"
        yield Idea((Replacement(place, place, front + text),), says, case, factor, node.lineno)


@rule("slice", ast.Slice)
def ends(scope: FunctionScope, node: ast.Slice) -> Ideas:
    """Cut elsewhere: without an end, with one more, or backwards.

    types: b: int
    before: return a[1:]
    after: return a[1:b]
    """
    source = scope.source
    brackets = source.parent(node)
    if not isinstance(brackets, ast.Subscript):
        return
    start, end = _end(scope, brackets.value), source.span(brackets)[1]
    first = source.text.index("[", start) + 1
    low, high, step = (
        source.part(expression) if expression else ""
        for expression in (node.lower, node.upper, node.step)
    )
    names = [item for item in scope.bound_before(node.lineno) if scope.has(item, "int")]
    found: dict[tuple[str, str, str], str] = {}
    found |= {
        ("", high, step): "left out",
        (low, "", step): "left out",
        (low, high, ""): "left out",
    }
    if not low:
        found |= {
            (item, high, step): "" for item in ("1", *names, *(f"{name} + 1" for name in names))
        }
    if not high:
        found |= {
            (low, item, step): "" for item in ("-1", *names, *(f"{name} + 1" for name in names))
        }
    if not step:
        found[low, high, "-1"] = ""
    for (key, other, third), case in found.items():
        if (key, other, third) != (low, high, step):
            text = f"{key}:{other}" + (f":{third}" if third else "")
            factor = 1.0 if case else scope.crowd(names)
            says = f"cuts at `[{text}]` instead of `[{source.text[first : end - 1]}]`"
            yield Idea((Replacement(first, end - 1, text),), says, case, factor, node.lineno)


@rule(
    "other expression",
    ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare | ast.Constant,
)
def other_expression(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Take what the function says elsewhere, of the same kind.

    before: print(a[0]); return a[1]
    after: print(a[0]); return a[0]
    """
    above = scope.source.parent(node)
    if (
        scope.definition is None
        or not is_loaded(node)
        or isinstance(above, ast.Expr | ast.Attribute)
    ):
        return
    if isinstance(node, ast.Name) or scope.source.is_called(node):
        return  # other rules know the types of names
    mine = scope.source.part(node)
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    if isinstance(node, ast.Constant) and not text:
        return
    others = scope.texts if text else scope.expressions.get(type(node).__name__, ())
    if text:
        others = (*others, '""', '" "')
    for code in others:
        if code != mine:
            yield instead(scope, node, code, "text" if text else "", factor=scope.crowd(others))
