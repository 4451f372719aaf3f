"""What a patch newly asks and looks up in Python programs: found and watched. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.syntax import parsed
from bot.repair.verification.perturbation.conditions import MOST, Around, Condition, with_words
from bot.repair.verification.perturbation.handlers import (
    GuardedExpression,
    Handler,
    new_handlers,
    raised_by,
)

_UNMOVED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
"""Parts of a condition that mean something else in a function of its own."""

_UNMOVED_CALLS = frozenset({"super", "locals", "vars", "dir", "eval", "exec"})
_LOOKED_UP = frozenset(
    {"get", "pop", "setdefault", "count", "index", "__getitem__", "__contains__"}
)
"""Methods of containers whose first argument is looked up there."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def new_conditions(changes: Sequence[FileDiff]) -> tuple[Condition, ...]:
    """Return the conditions that a patch brings, tests aside; not those that it only moves."""
    found: list[Condition] = []
    for change in changes:
        if is_program(change):
            found += _new_in(change)
    return tuple(sorted(found, key=lambda item: not item.decides)[:MOST])


def is_program(change: FileDiff) -> bool:
    """Whether a change is one of a Python program that can be read."""
    return change.path.endswith(".py") and not is_test_file(change.path) and change.is_readable


def watched(changes: Sequence[FileDiff], conditions: Sequence[Condition]) -> dict[str, bytes]:
    """Return the changed programs so that each condition is asked through the driver's `MODULE`."""
    files = {change.path: change.after or b"" for change in changes}
    return {
        path: with_words(files[path], _watches(path, conditions))
        for path in {condition.file for condition in conditions}
    }


def _watches(path: str, conditions: Sequence[Condition]) -> Iterator[Around]:
    for number, condition in enumerate(conditions):
        if condition.file == path:
            before, behind = condition.watch
            asked = before.format(number=number)
            yield Around(
                condition.start,
                condition.end,
                asked,
                behind,
                is_outer=condition.handler is not None,
            )
        if condition.file == path and condition.handler is not None:
            before, behind = condition.handler.noted
            yield Around(
                condition.handler.start, condition.handler.end, before.format(number=number), behind
            )


@dataclass(frozen=True, slots=True)
class _Asked:
    node: ast.expr
    decides: bool


def _new_in(change: FileDiff) -> list[Condition]:
    before, after = parsed(change.before), parsed(change.after)
    if after is None:
        return []
    old = dict(functions_in(before)) if before is not None else {}
    starts = _line_starts(change.after or b"")
    found: dict[tuple[int, int], Condition] = {}
    for name, function in functions_in(after):
        was = old.get(name)
        if was is not None and ast.dump(was) == ast.dump(function):
            continue
        known = (
            Counter(ast.dump(asked.node) for asked in _asked_in(was))
            if was is not None
            else Counter()
        )
        set_anew = _names_set_anew(was, function)
        for asked in _asked_in(function):
            dumped = ast.dump(asked.node)
            known[dumped] -= 1
            if known[dumped] < 0 or not set_anew.isdisjoint(_names(asked.node)):
                condition = _condition(change, asked, starts)
                found.setdefault((condition.start, condition.end), condition)
        for tried in new_handlers(was, function):
            condition = _entered(change, tried, starts)
            found.setdefault((condition.start, condition.end), condition)
    return sorted(found.values(), key=lambda condition: (condition.start, -condition.end))


def functions_in(tree: ast.AST, above: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield the functions of a module, by their qualified names, with those inside of them after them."""
    for child in ast.iter_child_nodes(tree):
        name = above
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            name = f"{above}.{getattr(child, 'name', '<lambda>')}"
            if not isinstance(child, ast.ClassDef):
                yield name, child
        yield from functions_in(child, name)


def _names(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _names_set_anew(before: ast.AST | None, after: ast.AST) -> set[str]:
    """Return the names that statements set which a function did not have before."""
    if before is None:
        return set()
    known = Counter(ast.dump(assignment) for assignment in _assignments(before))
    found: set[str] = set()
    for assignment in _assignments(after):
        dumped = ast.dump(assignment)
        known[dumped] -= 1
        if known[dumped] < 0:
            targets = (
                assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
            )
            found |= {name for target in targets for name in _names(target)}
    return found


def _assignments(
    tree: ast.AST,
) -> Iterator[ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr]:
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)
    return (node for node in ast.walk(tree) if isinstance(node, kinds))


def _condition(change: FileDiff, asked: _Asked, starts: Sequence[int]) -> Condition:
    node = asked.node
    start, end = _place(node, starts)
    text = (change.after or b"")[start:end].decode("utf-8", "replace")
    said = " ".join(text.split())
    return Condition(change.path, node.lineno, said, start, end, _can_move(node), asked.decides)


def _entered(change: FileDiff, tried: GuardedExpression, starts: Sequence[int]) -> Condition:
    """Return whether a handler is entered, as a condition."""
    first, handler = tried.first, tried.handler
    start, end = _place(first, starts)
    behind = starts[handler.lineno - 1] + handler.col_offset + len("except")
    taken = _place(handler.type, starts) if handler.type else (behind, behind)
    text = f"except {ast.unparse(handler.type)}" if handler.type else "except"
    is_of_probe = tried.is_probe and _can_move(first)
    given = Handler(*taken, raised_by(handler), is_of_probe)
    return Condition(change.path, handler.lineno, text, start, end, handler=given)


def _place(node: ast.expr, starts: Sequence[int]) -> tuple[int, int]:
    """Return the first byte of an expression, and the first one behind it."""
    start = starts[node.lineno - 1] + node.col_offset
    return start, starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _asked_in(node: ast.AST) -> Iterator[_Asked]:
    """Yield what a function asks: tests of branches, operands, comparisons; and what it looks up."""
    seen: set[int] = set()
    for asked in _asked_below(node):
        if id(asked.node) not in seen and not isinstance(asked.node, (ast.Constant, ast.Starred)):
            seen.add(id(asked.node))
            yield asked


def _asked_below(node: ast.AST) -> Iterator[_Asked]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.JoinedStr, ast.ClassDef)):
            continue  # places in texts are unknown
        if isinstance(child, ast.expr) and child is _of_loop(node):
            continue  # it might never end
        yield from map(partial(_Asked, decides=True), _decided(child))
        yield from map(partial(_Asked, decides=False), _looked_up(child))
        yield from _asked_below(child)


def _decided(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            yield from _operands(test)
        case ast.While(test=test) if _of_loop(node) is None:
            yield from _operands(test)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from _operands(test)
        case ast.match_case(guard=guard) if guard is not None:
            yield from _operands(guard)
        case ast.BoolOp():
            yield from _operands(node)
        case ast.Compare():
            yield node
        case _:
            pass


def _of_loop(node: ast.AST) -> ast.expr | None:
    """Return on what it depends whether a loop goes on, where that is for more than one round."""
    match node:
        case ast.While(body=[*_, ast.Return() | ast.Raise() | ast.Break()]):
            return None
        case ast.While(test=test):
            return test
        case _:
            return None


def _looked_up(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Subscript(slice=index, ctx=ast.Load()) if not isinstance(
            index, ast.Slice | ast.Tuple
        ):
            yield index
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper), ctx=ast.Load()):
            yield from (
                expression for expression in (lower, upper) if isinstance(expression, ast.BinOp)
            )
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mult(), right=ast.expr() as times):
            yield times
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _LOOKED_UP:
            yield first
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            yield name
        case ast.Match(subject=subject):
            yield subject
        case _:
            pass


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    yield test
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)


def _can_move(node: ast.expr) -> bool:
    """Whether a condition means the same in a function of its own."""
    return not any(
        isinstance(child, _UNMOVED) or (isinstance(child, ast.Name) and child.id in _UNMOVED_CALLS)
        for child in ast.walk(node)
    )


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
