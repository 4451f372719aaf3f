"""Constants: numbers a little off, wrong truth values, wrong starting values, wrong strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.blocks import in_loop
from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.scope import Scope

_LONG = 80
"""Characters of a string that is no word any more."""

_FACTOR = 0.4
_EMPTY = {"[]": ("[[]]", "[0]", "{}", "set()", "None", "[1]"), "{}": ("set()", "[]", "None")}


def numbers(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take a number near by."""
    value = _number(node)
    if value is None or not isinstance(node, ast.expr) or scope.source.in_sign(node):
        return
    near = _FACTOR if _is_factor(scope, node) else 0.65
    tries: dict[int | float | str, float] = {value + 1: near, value - 1: near}
    tries |= {0: 0.5, 1: 0.45, -1: 0.3, 2: 0.2, -value: 0.25}
    if isinstance(value, int):
        tries |= {value * 2: 0.1, value * 10: 0.15, value // 10: 0.1, value // 2: 0.1}
        tries |= {"float('inf')": 0.2, "float('-inf')": 0.2, "None": 0.1, f"float({value})": 0.05}
        if value == 0:
            tries |= {"[]": 0.02, "''": 0.02}
    for other, weight in tries.items():
        if other != value:
            text = str(other)
            says = f"takes `{text}` instead of `{scope.source.code(node)}`"
            replacement = scope.source.replace(node, text)
            yield Change("constant", node.lineno, weight, (replacement,), says)


def _is_factor(scope: Scope, node: ast.expr) -> bool:
    """Whether something is multiplied by a number, or divided: there people seldom are off by one."""
    match scope.source.parent(node):
        case ast.BinOp(op=ast.Mult() | ast.Mod() | ast.Div() | ast.FloorDiv() | ast.Pow()):
            return True
        case _:
            return False


def counted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take a variable in the place of a number: `[row]` for `[0]`."""
    if _number(node) is None or not isinstance(node, ast.expr) or scope.source.in_sign(node):
        return
    if isinstance(scope.source.parent(node), ast.Assign | ast.Return):
        return  # a wrong start, or a wrong result
    names = [one for one in scope.bound_before(node.lineno) if scope.has(one, "int", "float")]
    for name in names:
        weight = 0.35 / (1 + len(names) / 8)
        change = (scope.source.replace(node, name),)
        says = f"takes `{name}` instead of `{scope.source.code(node)}`"
        yield Change("constant", node.lineno, weight, change, says)


def _number(node: ast.AST) -> int | float | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return None if isinstance(value, bool) else -value
        case _:
            return None


def truth(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take the other truth value, or None."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
        options = [("True", 0.5), ("False", 0.5), ("object()", 0.1)] if node.value is None else []
        if isinstance(node.value, bool):
            options = [(str(not node.value), 0.7), ("None", 0.1)]
            options += [(f"not {place}", 0.5) for place in _assigned_to(scope, node)]
        if isinstance(scope.source.parent(node), ast.Return | ast.Assign):
            options += [("0", 0.15), ("[]", 0.2), ("''", 0.1), ("{}", 0.1), ("1", 0.1), ("-1", 0.1)]
        for text, weight in options:
            if text != scope.source.code(node):
                says = f"takes `{text}` instead of `{node.value}`"
                replacement = scope.source.replace(node, text)
                yield Change("constant", node.lineno, weight, (replacement,), says)


def _assigned_to(scope: Scope, node: ast.Constant) -> Iterator[str]:
    """Yield the variable or attribute that becomes a constant inside a loop: it may be turned."""
    match scope.source.parent(node):
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]) if in_loop(scope, node):
            yield scope.source.code(target)
        case _:
            pass


def collections(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Start with another empty or nearly empty value."""
    if not isinstance(node, ast.List | ast.Dict | ast.Call | ast.Tuple | ast.Set):
        return
    code = scope.source.code(node).replace(" ", "")
    if isinstance(node, ast.Tuple) and scope.source.text[scope.source.span(node)[0]] != "(":
        return
    options = list(_EMPTY.get(code, ()))
    if code in _EMPTY and scope.definition is not None:
        options += [f"[{name}]" for name in scope.bound_before(node.lineno)][:6]
    if code == "set()":
        options = ["{}", "[]", *(f"{{{name}}}" for name in scope.parameters[:4])]
    if isinstance(node, ast.List) and len(node.elts) == 1:
        inner = scope.source.code(node.elts[0])
        options = [inner, "[]"] + ([f"[{code}]"] if code != "[[]]" else [])
    for text in options:
        says = f"takes `{text}` instead of `{scope.source.code(node)}`"
        replacement = scope.source.replace(node, text)
        yield Change("initial value", node.lineno, 0.35, (replacement,), says)


def strings(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Mend small slips of a string: its case, white space at its ends, a missing `f`."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    if isinstance(scope.source.parent(node), ast.Expr | ast.JoinedStr | ast.FormattedValue):
        return
    code, value = scope.source.code(node), node.value
    if "{" in value and code[:1] in "'\"":
        says = f"makes `{code}` an f-string"
        yield Change("format", node.lineno, 0.6, (scope.source.replace(node, f"f{code}"),), says)
    if len(value) > _LONG or "\n" in code:
        return
    others = {value.lower(): 0.2, value.upper(): 0.15, value.strip(): 0.3, value + " ": 0.25}
    others |= {" " + value: 0.15, value.capitalize(): 0.1, value.title(): 0.05, "": 0.2}
    if not value:
        others |= {" ": 0.4, ",": 0.15, ", ": 0.2, "\n": 0.25, "0": 0.1, "-": 0.05, "_": 0.05}
    elif not value.strip():
        others |= {"": 0.4, "\n": 0.1, "  ": 0.05, ", ": 0.1, "0": 0.1}
    elif value in {",", ", ", ";", ":", "-", "_", ".", "/", "\n"}:
        others |= dict.fromkeys((", ", ",", ";", ":", "-", "_", ".", " ", "/", "\n"), 0.15)
    for text, weight in others.items():
        if text != value:
            says = f"takes {text!r} instead of {value!r}"
            yield Change(
                "string", node.lineno, weight, (scope.source.replace(node, repr(text)),), says
            )
