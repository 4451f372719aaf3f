"""Calls: their arguments, their absence, and what they are wrapped in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_WRAPPERS = {
    "list": 0.25, "sorted": 0.3, "len": 0.3, "abs": 0.35, "int": 0.3, "str": 0.3, "set": 0.2,
    "float": 0.1, "tuple": 0.15, "reversed": 0.25, "bool": 0.1, "round": 0.15, "sum": 0.15,
    "dict": 0.15, "max": 0.1, "min": 0.1, "range": 0.2, "enumerate": 0.15,
}  # fmt: skip
_SORTING = {
    "reverse=True": 0.5, "key=len": 0.2, "key=lambda pair: pair[1]": 0.2, "key=str.lower": 0.1,
}  # fmt: skip
_EXTREMES = {"default=0": 0.35, "default=None": 0.2, "key=len": 0.2}
_FALLBACKS = {"0": 0.3, "None": 0.3, "[]": 0.2, "''": 0.15, "{}": 0.1, "1": 0.1}
_USUAL: dict[tuple[str, int], dict[str, float]] = {
    ("sorted", 1): _SORTING, ("sort", 0): _SORTING,
    ("min", 1): _EXTREMES, ("max", 1): _EXTREMES,
    ("enumerate", 1): {"start=1": 0.4},
    ("get", 1): _FALLBACKS, ("pop", 1): _FALLBACKS, ("next", 1): _FALLBACKS,
    ("getattr", 2): _FALLBACKS,
    ("range", 2): {"-1": 0.4, "2": 0.15},
    ("sum", 1): {"[]": 0.1, "1": 0.1}, ("reduce", 2): {"0": 0.2, "1": 0.2},
    ("split", 0): {"' '": 0.2, "','": 0.1}, ("pop", 0): {"0": 0.4, "-1": 0.1},
    ("popitem", 0): {"last=False": 0.5}, ("partition", 0): {"' '": 0.2}, ("zip", 2): {"strict=True": 0.1},
    ("zip_longest", 2): {"fillvalue=0": 0.4, "fillvalue=''": 0.35, "fillvalue=None": 0.1},
    ("int", 1): {"2": 0.1, "16": 0.1}, ("rjust", 1): {"'0'": 0.3}, ("ljust", 1): {"'0'": 0.3},
    ("most_common", 0): {"1": 0.3}, ("setdefault", 1): {"[]": 0.3, "0": 0.2, "{}": 0.2},
    ("accumulate", 1): {"initial=0": 0.3}, ("dumps", 1): {"sort_keys=True": 0.3, "default=str": 0.2},
    ("round", 1): {"2": 0.2, "1": 0.1}, ("split", 1): {"1": 0.3}, ("replace", 2): {"1": 0.2},
}  # fmt: skip
"""By a function's name and the number of its arguments: what may be missing."""

_CUTTING = frozenset({"strip", "lstrip", "rstrip", "split", "rsplit"})
"""Methods that cut at white space, unless they are told where."""
_SHORT = 3

_COPIES = (("list(%s)", 0.2), ("%s.copy()", 0.2), ("%s[:]", 0.25))
_BESIDE = 0.5
"""Of a call that the same statement makes of something else: `abs(x) + y`."""

_STRING_METHODS = (
    ".strip()",
    ".lower()",
    ".upper()",
    ".split()",
    ".rstrip()",
    ".items()",
    ".values()",
)


def starred(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Spread an argument, or give it as it is."""
    if not isinstance(node, ast.Call):
        return
    source = scope.source
    given = scope.definition.args if scope.definition is not None else None
    gathered = {one.arg for one in (given.vararg, given.kwarg) if one} if given else set()
    for one in node.args:
        if isinstance(one, ast.Starred):
            change = (Replacement(*source.span(one), source.code(one.value)),)
            yield Change("star", node.lineno, 0.3, change, f"gives `{source.code(one)[1:]}` whole")
        elif isinstance(one, ast.Name | ast.Attribute):
            code = source.code(one)
            change = (Replacement(*source.span(one), f"*{code}"),)
            weight = 0.7 if code in gathered else 0.12
            yield Change("star", node.lineno, weight, change, f"spreads `{code}`")


def swapped(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Swap two neighbours: arguments of a call, elements of a tuple or list, ends of a choice."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    match node:
        case ast.Call(args=items) | ast.Tuple(elts=items) | ast.List(elts=items):
            pairs = [(a, b) for n, a in enumerate(items) for b in items[n + 1 :]][:6]
        case ast.IfExp(body=body, orelse=orelse):
            pairs = [(body, orelse)]
        case _:
            return
    source = scope.source
    for one, other in pairs:
        first, second = source.code(one), source.code(other)
        if first != second and not isinstance(one, ast.Starred):
            change = (source.replace(one, second), source.replace(other, first))
            says = f"swaps `{first}` and `{second}`"
            weight = 0.4 if isinstance(node, ast.Tuple | ast.List) else 0.6
            yield Change("swapped arguments", node.lineno, weight, change, says)


def arguments(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave an argument out, or give one more."""
    if not isinstance(node, ast.Call) or isinstance(scope.source.parent(node), ast.Raise):
        return
    source = scope.source
    items: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    for dropped in items:
        yield from _without(scope, node, items, dropped)
    close = source.span(node)[1] - 1
    comma = ", " if items else ""
    options = _extra_arguments(scope, node)
    for text, weight in options.items():
        change = (Replacement(close, close, f"{comma}{text}"),)
        yield Change("arguments", node.lineno, weight, change, f"gives `{text}` too")


def _without(
    scope: Scope,
    node: ast.Call,
    items: list[ast.expr | ast.keyword],
    dropped: ast.expr | ast.keyword,
) -> Iterator[Change]:
    source = scope.source
    place = items.index(dropped)
    start, end = source.span(dropped)
    if place + 1 < len(items):
        end = source.span(items[place + 1])[0]
    elif place:
        start = source.span(items[place - 1])[1]
    says = f"leaves the argument `{source.code(dropped)}` out"
    weight = 0.35 if isinstance(dropped, ast.keyword) else 0.2
    yield Change("arguments", node.lineno, weight, (Replacement(start, end, ""),), says)


def _extra_arguments(scope: Scope, node: ast.Call) -> dict[str, float]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    given = {keyword.arg for keyword in node.keywords}
    options = {
        text: weight
        for text, weight in _USUAL.get((name, len(node.args)), {}).items()
        if text.partition("=")[0] not in given
    }
    if name in _CUTTING and not node.args:
        options = dict.fromkeys(_texts(scope), 0.4) | options
    if name in scope.source.definitions:
        options = dict.fromkeys(scope.bound_before(node.lineno), 0.3) | options
    return options


def _texts(scope: Scope) -> Iterator[str]:
    """Yield the short texts of the function, as they are written, and signs that are often cut."""
    for node in scope.source.nodes(scope.definition) if scope.definition is not None else ():
        match node:
            case ast.Constant(value=str(text)) if 0 < len(text) <= _SHORT:
                yield repr(text)
            case _:
                pass
    yield from ("'-'", "'.'", "'/'", "'_'", "'0'", "'\"'")


def ranges(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Let a range begin elsewhere."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[only]):
            start = scope.source.span(only)[0]
            for text, weight in (("1, ", 0.7), ("0, ", 0.02), ("2, ", 0.2), ("-1, ", 0.1)):
                change = (Replacement(start, start, text),)
                says = f"starts the range at {text[:-2]}"
                yield Change("range", node.lineno, weight, change, says)
            for name in scope.bound_before(node.lineno):
                if scope.is_number(name):
                    for text, weight in ((f"{name}, ", 0.4), (f"{name} + 1, ", 0.45)):
                        change = (Replacement(start, start, text),)
                        says = f"starts the range at `{text[:-2]}`"
                        yield Change("range", node.lineno, weight, change, says)
        case ast.Call(func=ast.Name(id="range"), args=[first, second]):
            code = scope.source.code(second)
            backwards = f"range({code} - 1, {scope.source.code(first)} - 1, -1)"
            change = (scope.source.replace(node, backwards),)
            yield Change("range", node.lineno, 0.35, change, "counts the range down")
        case ast.Call(func=ast.Name(id="range"), args=[first, second, _step]):
            start, end = scope.source.span(first)[0], scope.source.span(second)[1]
            text = f"{scope.source.code(first)}, {scope.source.code(second)}"
            change = (Replacement(start, scope.source.span(node)[1] - 1, text),)
            yield Change("range", node.lineno, 0.3, change, "takes every number of the range")
            for step in ("2", "-1", "1"):
                change = (scope.source.replace(_step, step),)
                yield Change("range", node.lineno, 0.2, change, f"takes the step {step}")
            del end
        case _:
            return


def unwrapped(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take what a call is given, or called on, instead of what it answers."""
    source = scope.source
    if not isinstance(node, ast.Call) or isinstance(source.parent(node), ast.Expr):
        return
    name = source.code(node.func)
    given = [one for one in node.args if not isinstance(one, ast.Starred | ast.GeneratorExp)]
    inner = [*given, node.func.value] if isinstance(node.func, ast.Attribute) else given
    for one in inner:
        weight = 0.35 if len(inner) == 1 else 0.25
        change = (source.replace(node, source.code(one)),)
        says = f"takes `{source.code(one)}` itself, without `{name}`"
        yield Change("dropped call", node.lineno, weight, change, says)


def wrapped(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Put a call around a value."""
    if not isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp):
        return
    above = scope.source.parent(node)
    stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    if stored or isinstance(above, ast.Expr | ast.Attribute | ast.keyword):
        return
    if not (isinstance(above, ast.Call) and above.func is node):
        yield from _around(scope, node)


def _called_beside(scope: Scope, node: ast.expr) -> frozenset[str]:
    """Return the functions that the statement calls on something else of the same kind."""
    statement = scope.source.statement(node)
    calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
    return frozenset(
        call.func.id
        for call in calls
        if isinstance(call.func, ast.Name) and call.args and type(call.args[0]) is type(node)
    )


def _around(scope: Scope, node: ast.expr) -> Iterator[Change]:
    source, code = scope.source, scope.source.code(node)
    above = source.parent(node)
    beside = _called_beside(scope, node)
    for name, weight in _WRAPPERS.items():
        if isinstance(above, ast.Call) and getattr(above.func, "id", "") == name:
            continue
        change = (source.replace(node, f"{name}({code})"),)
        likely = _BESIDE if name in beside else weight * 0.6
        yield Change("missing call", node.lineno, likely, change, f"calls `{name}` on `{code}`")
    is_name = isinstance(node, ast.Name)
    if is_name and scope.has(node.id, "list", "dict", "set"):  # type: ignore[attr-defined]
        for pattern, weight in _COPIES:
            change = (source.replace(node, pattern % code),)
            yield Change(
                "missing copy", node.lineno, weight, change, f"works on a copy of `{code}`"
            )
    for text in _STRING_METHODS:
        if is_name and not scope.has(node.id, "str", "dict"):  # type: ignore[attr-defined]
            continue
        change = (source.replace(node, f"{source.operand(node, 16)}{text}"),)
        yield Change("missing call", node.lineno, 0.12, change, f"calls `{text}` on `{code}`")
    own = [one.name for one in source.tree.body if isinstance(one, ast.FunctionDef)]
    for name in own:
        if len(own) <= 8:  # noqa: PLR2004 - in a longer file any of them is as good as another
            change = (source.replace(node, f"{name}({code})"),)
            says = f"calls `{name}` on `{code}`"
            yield Change("missing call", node.lineno, 0.15, change, says)
    if scope.definition is not None and source.owner(scope.definition) is not None:
        change = (source.replace(node, f"{source.operand(node, 16)}()"),)
        yield Change("missing call", node.lineno, 0.1, change, f"calls `{code}`")
