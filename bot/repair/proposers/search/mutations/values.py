"""Values: another result, another value that is assigned, a call or a copy that is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.repeated_edits import same_code
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import is_loaded

_WRAPPERS = (
    "abs", "sorted", "len", "int", "str", "list", "reversed", "set", "range", "tuple", "round",
    "sum", "dict", "enumerate", "float", "bool", "max", "min",
)  # fmt: skip
_COPIES = ("{}.copy()", "list({})")
_OFTEN = 9
_MOST_FUNCTIONS = 8
"""In a longer file any of its functions is as good as another."""


@rule("result", ast.Return | ast.Yield)
def result(scope: FunctionScope, node: ast.Return) -> Ideas:
    """Return something else: a variable, what other returns return, a plain value.

    types: a: list
    before: return a
    after: return len(a)
    """
    if node.value is None or scope.definition is None:
        return
    options = dict.fromkeys(("True", "False", "None", "0", "[]", "1"), "plain")
    for other in scope.nodes:
        if isinstance(other, type(node)) and other.value is not None:
            options[scope.source.part(other.value)] = ""
        elif isinstance(other, ast.Attribute) and isinstance(other.value, ast.Name):
            options.setdefault(scope.source.part(other), "plain")
    for name in scope.bound_before(node.lineno):
        options |= {name: ""} | dict.fromkeys(_about(scope, name), "plain")
    for text, case in options.items():
        yield instead(scope, node.value, text, case)


def _about(scope: FunctionScope, name: str) -> Iterator[str]:
    """Yield what a function may answer of a variable: its size, an item, whether it is any."""
    if not scope.kinds(name) or not scope.kinds(name) <= {"int", "float"}:
        yield f"not {name}"
    elif scope.has("return", "bool"):
        yield from (f"{name} == 0", f"{name} > 0", f"{name} != 0")
    if scope.is_sized(name):
        yield from (f"len({name})", f"[{name}]", f"list({name})", f"{name}[-1]", f"{name}[0]")


@rule("assigned value", ast.Assign)
def assigned(scope: FunctionScope, node: ast.Assign) -> Ideas:
    """Assign something else: a variable, a plain start, what is assigned elsewhere.

    before: a = b[a - 1]; a = 0
    after: a = b[a - 1]; a = b[a - 1]
    """
    if scope.definition is None:
        return
    source = scope.source
    targets = [source.part(target) for target in node.targets]
    constant = isinstance(node.value, ast.Constant)
    options = dict.fromkeys(("None", "0", "1", "[]", "{}", "set()"), "" if constant else "rare")
    for name in scope.bound_before(node.lineno):
        if name not in targets and not isinstance(node.value, ast.Name):
            options[name] = ""
            if scope.is_sized(name):
                options |= dict.fromkeys((f"len({name})", f"len({name}) - 1", f"{name}[0]"), "")
    for other in scope.nodes:
        if isinstance(other, ast.Assign) and not isinstance(other.value, ast.Constant):
            code = source.part(other.value)
            if "\n" not in code and targets == [source.part(target) for target in other.targets]:
                options[code] = "elsewhere"
    for text, case in options.items():
        yield instead(scope, node.value, text, case)


@rule("missing call", ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp)
def missing_call(scope: FunctionScope, node: ast.expr) -> Ideas:
    """Put a call around a value.

    before: return a
    after: return len(a)
    """
    source, above = scope.source, scope.source.parent(node)
    if not is_loaded(node) or isinstance(above, ast.Expr | ast.Attribute | ast.keyword):
        return
    if source.is_called(node):
        return
    code, beside = source.part(node), _called_beside(scope, node)
    for place, name in enumerate(_WRAPPERS):
        if not (isinstance(above, ast.Call) and getattr(above.func, "id", "") == name):
            case = "beside" if name in beside else "" if place < _OFTEN else "rare"
            case = "of a size" if name == "len" and _counts(scope, node) else case
            yield instead(scope, node, f"{name}({code})", case)
    if len(source.functions) <= _MOST_FUNCTIONS:
        for name in source.functions:
            yield instead(scope, node, f"{name}({code})", "of the file")


def _counts(scope: FunctionScope, node: ast.expr) -> bool:
    """Whether something that has a size stands where a number is compared or calculated with."""
    above = scope.source.parent(node)
    match above:
        case ast.Compare(left=left, comparators=[*others]):
            beside = [left, *others]
        case ast.BinOp(left=left, right=right):
            beside = [left, right]
        case ast.Call(func=ast.Name(id="range")):
            beside = [node, ast.Constant(0)]
        case _:
            return False
    sized = isinstance(node, ast.Name) and scope.is_sized(node.id)
    return sized and any(
        _is_number(scope, expression) for expression in beside if expression is not node
    )


def _is_number(scope: FunctionScope, node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Name(id=name):
            return scope.has(name, "int", "float")
        case ast.Call(func=ast.Name(id="len")):
            return True
        case _:
            return False


def _called_beside(scope: FunctionScope, node: ast.expr) -> frozenset[str]:
    """Return the functions that the statement calls on something else of the same kind."""
    return frozenset(
        call.func.id
        for call in ast.walk(scope.source.statement(node))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.args and type(call.args[0]) is type(node)
    )


@rule("copy of an attribute", ast.Attribute)
def copied(scope: FunctionScope, node: ast.Attribute) -> Ideas:
    """Hand a copy on, or go through one: here, and wherever the class does the same.

    before: class A: (def f(self, b): (self.a = []; b(1, self.a)))
    after: class A: (def f(self, b): (self.a = []; b(1, self.a.copy())))
    """
    source, role = scope.source, _role(scope, node)
    code, home = source.part(node), source.owner(node)
    if not role or code not in scope.own_containers:
        return
    same = [
        expression
        for expression in same_code(source, node)
        if _role(scope, expression) == role and source.owner(expression) is home
    ]
    for text in (way.format(code) for way in _COPIES):
        yield instead(scope, node, text)
        if len(same) > 1:
            every = tuple(source.replace(expression, text) for expression in same)
            yield Idea(every, f"works on a copy of `{code}`, at {len(same)} places", "everywhere")


def _role(scope: FunctionScope, node: ast.expr) -> str:
    """Return what is done with a container as a whole, "" when that takes no copy."""
    match scope.source.parent(node):
        case ast.Call(func=func, args=arguments) if node in arguments:
            return scope.source.part(func)
        case ast.For(iter=through) | ast.comprehension(iter=through) if through is node:
            return "for"
        case _:
            return ""
