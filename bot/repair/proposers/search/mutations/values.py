"""Values: a missing term, a missing bound, another result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.containers import CHANGERS
from bot.repair.proposers.search.mutations.scope import Scope


def terms(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Join a value with a variable: add it, keep the larger, put it in front."""
    value = _result(scope, node)
    if value is None or isinstance(value, ast.Constant | ast.Compare | ast.BoolOp):
        return
    for name in scope.bound_before(value.lineno):
        yield from _each(scope, value, _joined(scope, value, name), "missing term")
    source, plain = scope.source, scope.source.code(value)
    factor = source.operand(value, 12)
    options = {
        f"max(0, {plain})": 0.3, f"max({plain}, 0)": 0.2, f"1 + {source.operand(value, 11)}": 0.2,
        f"2 * {factor}": 0.15, f"{factor} // 2": 0.15,
        f"-{source.operand(value, 13)}": 0.55 if _has_negative(source.parent(value)) else 0.2,
        f"[{plain}]": 0.2, f"({plain},)": 0.05,
    }  # fmt: skip
    if _may_be_asked(scope, value):
        options[f"not {source.operand(value, 6)}"] = 0.3
    yield from _each(scope, value, options, "missing term")


def _joined(scope: Scope, value: ast.expr, name: str) -> dict[str, float]:
    """Return a value joined with a variable, in the ways that their types allow."""
    source = scope.source
    plain, code, factor = source.code(value), source.operand(value, 11), source.operand(value, 12)
    options: dict[str, float] = {}
    if scope.has(name, "int", "float") or not scope.kinds(name):
        options = {
            f"{code} + {name}": 0.35, f"{code} - {name}": 0.3, f"{factor} * {name}": 0.15,
            f"{factor} % {name}": 0.12, f"{factor} // {name}": 0.1,
            f"max({plain}, {name})": 0.2, f"min({plain}, {name})": 0.2,
        }  # fmt: skip
    elif scope.is_sequence(name):
        options = {f"{code} + {name}": 0.25, f"{name} + {code}": 0.25}
    if plain != name:
        options |= {f"[{name}] + {code}": 0.3, f"{code} + [{name}]": 0.25}
    return options


def _may_be_asked(scope: Scope, value: ast.expr) -> bool:
    """Whether a value may be asked whether it is true, by its form and the types that were seen."""
    match value:
        case ast.Name(id=name):
            kinds = scope.kinds(name)
        case ast.Call() | ast.Attribute() | ast.Subscript() | ast.Await():
            kinds = frozenset[str]()
        case ast.UnaryOp(op=op):
            return isinstance(op, ast.Not)
        case _:
            return False
    if isinstance(scope.source.parent(value), ast.Return):
        kinds = kinds or scope.kinds("return")
    return not _is_a_number(kinds)


def _is_a_number(kinds: frozenset[str]) -> bool:
    """Whether a variable was seen and was never anything but a number."""
    return bool(kinds) and kinds <= {"int", "float"}


def _has_negative(above: ast.AST | None) -> bool:
    """Whether a tuple has a negative item already, as the key of a sort that runs both ways."""
    items = above.elts if isinstance(above, ast.Tuple) else []
    return any(isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub) for one in items)


def _each(scope: Scope, node: ast.expr, options: dict[str, float], kind: str) -> Iterator[Change]:
    for text, weight in options.items():
        says = f"takes `{text}` instead of `{scope.source.code(node)}`"
        yield Change(kind, node.lineno, weight, (scope.source.replace(node, text),), says)


def _result(scope: Scope, node: ast.AST) -> ast.expr | None:
    """Return the value that a statement gives away, keeps, or hands to a call."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value):
            return value
        case ast.Assign(value=value) | ast.AugAssign(value=value):
            return value
        case ast.Constant() | ast.Starred() | ast.GeneratorExp() | ast.Slice():
            return None
        case ast.expr() if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node if _is_given(scope.source.parent(node), node) else None
        case _:
            return None


def _is_given(above: ast.AST | None, node: ast.expr) -> bool:
    """Whether an expression is an argument, an index, or an item of a tuple or list."""
    match above:
        case ast.Call(args=arguments):
            return node in arguments
        case ast.Subscript(slice=index):
            return index is node
        case ast.Tuple(elts=items, ctx=ast.Load()) | ast.List(elts=items, ctx=ast.Load()):
            return node in items
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.GeneratorExp(elt=item):
            return node is item
        case _:
            return False


def constants(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Bring a constant into the range of a variable."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        above = scope.source.parent(node)
        if isinstance(above, ast.Assign | ast.Return) and not isinstance(node.value, bool):
            options = {
                f"{node.value} {op} {name}": 0.15
                for name in scope.bound_before(node.lineno)
                if scope.has(name, "int", "float")
                for op in ("+", "-", "*", "%")
            }
            yield from _each(scope, node, options, "missing term")


def results(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Return something else: a variable, what other returns return."""
    if not isinstance(node, ast.Return | ast.Yield) or scope.definition is None:
        return
    if node.value is None:
        return
    source, mine = scope.source, scope.source.code(node.value)
    options = {"True": 0.15, "False": 0.15, "None": 0.15, "0": 0.15, "[]": 0.15, "1": 0.1}
    for other in scope.source.nodes(scope.definition):
        if isinstance(other, type(node)) and other.value is not None:
            options[source.code(other.value)] = 0.35
        elif isinstance(other, ast.Attribute) and isinstance(other.value, ast.Name):
            options.setdefault(source.code(other), 0.2)
    for name in scope.bound_before(node.lineno):
        options |= _told_of(scope, name)
    options.pop(mine, None)
    for text, weight in options.items():
        says = f"returns `{text}` instead of `{mine}`"
        change = (source.replace(node.value, text),)
        yield Change("return value", node.lineno, weight, change, says)


def _told_of(scope: Scope, name: str) -> dict[str, float]:
    """Return what a function may answer with a variable: itself, its size, whether it is any."""
    found = {name: 0.4}
    if not _is_a_number(scope.kinds(name)):
        found[f"not {name}"] = 0.2
    elif scope.has("return", "bool"):
        found |= {f"{name} == 0": 0.3, f"{name} > 0": 0.15, f"{name} != 0": 0.15}
    if scope.is_sized(name):
        found |= {f"len({name})": 0.25, f"[{name}]": 0.15, f"list({name})": 0.1}
        found |= {f"{name}[-1]": 0.2, f"{name}[0]": 0.15}
    return found


def rhs(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Assign something else: a variable, or a simple start."""
    if not isinstance(node, ast.Assign) or scope.definition is None:
        return
    source, mine = scope.source, scope.source.code(node.value)
    targets = {source.code(target) for target in node.targets}
    options: dict[str, float] = {}
    for name in scope.bound_before(node.lineno):
        if name not in targets and not isinstance(node.value, ast.Name):
            options[name] = 0.2
            if scope.is_sized(name):
                options |= {f"len({name})": 0.2, f"len({name}) - 1": 0.15, f"{name}[0]": 0.2}
    simple = isinstance(node.value, ast.Constant)
    options |= dict.fromkeys(("None", "0", "1", "[]", "{}", "set()"), 0.2 if simple else 0.05)
    options |= dict.fromkeys(_assigned_elsewhere(scope, node), 0.7)
    options.pop(mine, None)
    yield from _each(scope, node.value, options, "initial value")


def targets(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Keep a value where it was calculated from: `kept[b] = min(kept[b], new)`."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    source, target = scope.source, node.targets[0]
    match node.value:
        case ast.Call(func=ast.Name(id="min" | "max"), args=parts):
            weight = 0.4
        case ast.BinOp(left=left, right=right):
            parts, weight = [left, right], 0.12
        case _:
            return
    for part in parts:
        text = source.code(part)
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript) and "\n" not in text:
            change = (source.replace(target, text),)
            says = f"keeps it in `{text}` instead of `{source.code(target)}`"
            yield Change("wrong place", node.lineno, weight, change, says)


def _assigned_elsewhere(scope: Scope, node: ast.Assign) -> Iterator[str]:
    """Yield what the function gives the same variable at other places, plain starts left out."""
    source = scope.source
    targets = [source.code(target) for target in node.targets]
    for other in source.nodes(scope.definition) if scope.definition is not None else ():
        if isinstance(other, ast.Assign) and not isinstance(other.value, ast.Constant):
            code = source.code(other.value)
            if "\n" not in code and targets == [source.code(target) for target in other.targets]:
                yield code


def borrowed(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Take an expression of the same kind that stands elsewhere in the function."""
    if scope.definition is None or not isinstance(
        node, ast.Call | ast.BinOp | ast.Compare | ast.Subscript
    ):
        return
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return
    source, mine = scope.source, scope.source.code(node)
    found: dict[str, None] = {}
    for other in scope.source.nodes(scope.definition):
        if isinstance(other, type(node)) and isinstance(
            getattr(other, "ctx", ast.Load()), ast.Load
        ):
            text = source.code(other)
            if text != mine and "\n" not in text:
                found.setdefault(text)
    for text in list(found)[:12]:
        says = f"takes `{text}`, as elsewhere, instead of `{mine}`"
        yield Change("borrowed expression", node.lineno, 0.2, (source.replace(node, text),), says)


def yields(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Yield, await or return what is only calculated."""
    source = scope.source
    match node:
        case ast.Expr(value=ast.Call() as call) if scope.definition is not None:
            change = (source.replace(call, f"return {source.code(call)}"),)
            says = f"returns `{source.code(call)}`"
            changes = isinstance(call.func, ast.Attribute) and call.func.attr in CHANGERS
            weight = 0.05 if changes else 0.55
            yield Change("missing return", node.lineno, weight, change, says)
            if any(
                isinstance(one, ast.Yield | ast.YieldFrom)
                for one in scope.source.nodes(scope.definition)
            ):
                for word in ("yield from", "yield"):
                    change = (source.replace(call, f"{word} {source.code(call)}"),)
                    yield Change("missing yield", node.lineno, 0.5, change, f"says `{word}`")
        case ast.Yield(value=ast.expr() as value):
            change = (source.replace(node, f"yield from {source.code(value)}"),)
            yield Change("missing yield", node.lineno, 0.4, change, "says `yield from`")
        case ast.YieldFrom(value=value):
            change = (source.replace(node, f"yield {source.code(value)}"),)
            yield Change("missing yield", node.lineno, 0.4, change, "says `yield`")
        case ast.Await(value=value):
            change = (source.replace(node, source.code(value)),)
            yield Change("await", node.lineno, 0.3, change, "does not await")
        case ast.Call() if isinstance(scope.definition, ast.AsyncFunctionDef) and not isinstance(
            source.parent(node), ast.Await
        ):
            change = (source.replace(node, f"await {source.code(node)}"),)
            yield Change("await", node.lineno, 0.5, change, f"awaits `{source.code(node)}`")
        case _:
            return
