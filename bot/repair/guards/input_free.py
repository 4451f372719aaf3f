"""Find new branches and tables of a function that decide what it does, whatever its inputs are. Python. Pure.

A repair depends on what a function is given. What depends on the number of calls so far, on the clock
or on the environment alone holds for the tests, and nobody knows where else.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import parsed
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.data_flow import DataFlow, Depends, Flow, Function, Span, span
from bot.repair.guards.granted_capabilities import grants_of
from bot.repair.guards.mutable_state import (
    DEFINITIONS,
    FUNCTIONS,
    own_state,
)
from bot.reporting.reasons import guards_code

_AROUND = frozenset({"surroundings", "environment", "clock"})
_TELLING = frozenset({"warnings", "logging", "logger", "log", "print"})
_TAKING = frozenset({"pop", "popleft", "popitem", "get", "__getitem__", "send", "get_nowait"})
_BLOCKS = (ast.If, ast.With, ast.AsyncWith, ast.For, ast.While, ast.Try)
_IDLE = (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)
_ORIGINS = frozenset({
    "__file__", "__name__", "__package__", "__spec__", "__loader__", "__path__", "__cached__",
    "__debug__",
})  # fmt: skip
"""Names that say from where, as what and how a module was loaded."""

_MOST_SHOWN = 100


def input_free(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield a finding for each new condition or place in a table that no input has a part in."""
    if change.new is None or change.new.language is not Language.PYTHON or not change.added:
        return
    before, after = parsed(change.before), parsed(change.after)
    if after is None:
        return
    around = _around(change) | _origins(after)
    program = DataFlow(own_state(before, after), around, _parameters(before))
    known = (
        Counter(ast.dump(selector) for selector in _selectors(before))
        if before is not None
        else Counter()
    )
    for function, flow in _functions(after, program, None):
        for statement, asked in _asked_by(function):
            dumped = ast.dump(asked)
            known[dumped] -= 1
            if known[dumped] < 0 and _is_alone(flow.of(asked), flow) \
                    and _decides(statement, asked, flow, function):  # fmt: skip
                shown = ast.unparse(asked)[:_MOST_SHOWN]
                said = guards_code.decided_without_input(shown)
                yield found("decides-without-input", said, change.path, asked.lineno)


def _around(change: FileDiff) -> frozenset[Span]:
    """Return the places of names that see the clock, chance, the environment and the like."""
    if change.new is None:
        return frozenset()
    gained = grants_of(change.new).gained
    nodes = (node for name in _AROUND for node in gained.get(name, ()))
    return frozenset((*node.start_point, *node.end_point) for node in nodes)


def _origins(module: ast.Module) -> frozenset[Span]:
    """Return the places of names that say where a module comes from."""
    names = (
        node for node in ast.walk(module) if isinstance(node, ast.Name) and node.id in _ORIGINS
    )
    return frozenset(map(span, names))


def _parameters(module: ast.Module | None) -> dict[str, frozenset[str]]:
    if module is None:
        return {}
    return {
        node.name: frozenset(arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg))
        for node in ast.walk(module)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _functions(
    node: ast.AST, program: DataFlow, outer: Flow | None
) -> Iterator[tuple[Function, Flow]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            flow = Flow(program, child, outer)
            yield child, flow
            yield from _functions(child, program, flow)
        else:
            yield from _functions(child, program, outer)


def _selectors(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what is asked and looked up anywhere below a node."""
    for child in ast.walk(node):
        yield from _selected_by(child)


def _asked_by(function: Function) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what a function itself asks and looks up, with the statement in which it does."""
    waiting: list[tuple[ast.AST, ast.AST]] = [
        (inner, inner)
        for inner in ([function.body] if isinstance(function, ast.Lambda) else function.body)
    ]
    while waiting:
        node, statement = waiting.pop(0)
        yield from ((statement, expression) for expression in _selected_by(node))
        waiting += [
            (child, child if isinstance(child, ast.stmt) else statement)
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, (*DEFINITIONS, ast.Lambda))
        ]


def _selected_by(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield test
        case ast.Match(subject=subject):
            yield subject
        case ast.comprehension(ifs=tests):
            yield from tests
        case ast.BoolOp(values=[*values, _]):
            yield from values
        case ast.Compare():
            yield node
        case ast.Subscript(slice=index, ctx=ast.Load()):
            yield index
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _TAKING:
            yield first
        case ast.Return(value=ast.Call() as value):
            yield value
        case _:
            pass


def _is_alone(told: Depends, flow: Flow) -> bool:
    """Whether no input has a part in something that could have one."""
    if told.on_inputs:
        return False
    return bool(told.own) or (told.around and flow.has_inputs)


def _decides(statement: ast.AST, asked: ast.expr, flow: Flow, function: Function) -> bool:
    """Whether anything but the state that is asked depends on the answer."""
    match statement:
        case ast.If(test=test) | ast.While(test=test) if _within(asked, test):
            own = flow.of(test).own
            stands = [*statement.body, *statement.orelse]
            return any(_acts(node, own, flow, function) for node in stands)
        case ast.Return(value=value) if value is asked:
            return bool(flow.of(asked).own) and flow.has_inputs and _takes(asked, flow)
        case ast.stmt():
            return _acts(statement, flow.of(asked).own, flow, function)
        case _:
            return True


def _within(node: ast.AST, whole: ast.AST) -> bool:
    return any(child is node for child in ast.walk(whole))


def _takes(call: ast.expr, flow: Flow) -> bool:
    """Whether a call takes the next item of what only the patch writes."""
    match call:
        case ast.Call(func=ast.Name(id="next"), args=[first, *_]):
            return bool(flow.of(first).own)
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in _TAKING:
            return bool(flow.of(owner).own)
        case _:
            return False


def _acts(statement: ast.AST, own: frozenset[str], flow: Flow, function: Function) -> bool:
    """Whether a statement does more than keep the state, and tell somebody."""
    if isinstance(statement, _BLOCKS):
        inside = (node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt))
        return any(_acts(node, own, flow, function) for node in inside)
    match statement:
        case ast.Return(value=None | ast.Constant(value=None)):
            return _returns_values(function) or not own <= flow.counted
        case ast.Expr(value=ast.Call() as call):
            return not (_is_own(call.func, own, flow) or _tells(call))
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Delete():
            kept = _kept_in(own, flow)
            return not all(
                _is_own(target, own, flow) or _named(target) in kept
                for target in _targets(statement)
            )
        case _:
            return not isinstance(statement, _IDLE)


def _targets(statement: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete) -> list[ast.expr]:
    if isinstance(statement, (ast.Assign, ast.Delete)):
        return statement.targets
    return [statement.target]


def _is_own(target: ast.expr, own: frozenset[str], flow: Flow) -> bool:
    """Whether something is a part of the state that is asked."""
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        if isinstance(target, ast.Attribute) and target.attr in own:
            return True
        target = target.value
    return isinstance(target, ast.Name) and (
        target.id in own or bool(flow.of_values.of(target).own & own)
    )


def _named(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ""


def _kept_in(own: frozenset[str], flow: Flow) -> frozenset[str]:
    """Return the local names that a function keeps in the state, as they are."""
    found = set[str]()
    for node in ast.walk(flow.function):
        match node:
            case ast.Assign(targets=targets, value=ast.Name(id=name)):
                found |= {name} if any(_is_own(each, own, flow) for each in targets) else set()
            case ast.Call(func=ast.Attribute() as method, args=given):
                names = {_named(each) for each in given}
                found |= names if _is_own(method, own, flow) else set()
            case _:
                pass
    return frozenset(found - {""})


def _tells(call: ast.Call) -> bool:
    """Whether a call only warns or writes to a log."""
    root: ast.expr = call.func
    names = set[str]()
    while isinstance(root, ast.Attribute):
        names.add(root.attr)
        root = root.value
    return not _TELLING.isdisjoint({*names, root.id if isinstance(root, ast.Name) else ""})


def _returns_values(function: Function) -> bool:
    if isinstance(function, ast.Lambda):
        return True
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        or (
            isinstance(node, ast.Return)
            and node.value is not None
            and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        )
        for node in ast.walk(function)
    )
