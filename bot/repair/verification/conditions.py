"""What a patch newly asks and looks up in Python programs: found, watched, and settled. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bot.repair.guards.change import FileDiff
from bot.repair.guards.files import is_test_file
from bot.repair.proposers.search.inside.conditions import MODULE

MOST = 40
"""Conditions of a patch that are looked at."""

_UNMOVED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
"""Parts of a condition that mean something else in a function of its own."""

_UNMOVED_CALLS = frozenset({"super", "locals", "vars", "dir", "eval", "exec"})
_LOOKED_UP = frozenset(
    {"get", "pop", "setdefault", "count", "index", "__getitem__", "__contains__"}
)
"""Methods of containers whose first argument is looked up there."""

_COMPILED = (".go", ".rs")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is asked or looked up in a function of a changed program, and was not before.

    Attributes:
        file: Path of the program.
        line: Where it begins, from 1.
        text: As it is written.
        start: First byte in the file.
        end: First byte behind it.
        moves: Whether it means the same in a function of its own.
        decides: Whether a branch depends on it; otherwise it is looked up.
    """

    file: str
    line: int
    text: str
    start: int
    end: int
    moves: bool = True
    decides: bool = True

    @property
    def watch(self) -> tuple[str, str]:
        """Words before and behind it that let it be asked through the driver's `MODULE`."""
        what = "decided" if self.decides else "selected"
        asked = f"__import__('sys').modules['{MODULE}'].{what}({{number}}, lambda"
        return (f"{asked}: (", "))") if self.moves else (f"{asked} _=(", "): _)")


def settled(
    files: Mapping[str, bytes], values: Sequence[tuple[Condition, str]]
) -> dict[str, bytes]:
    """Return the files in which conditions have these values; they are asked all the same.

    Values are written in the language of their file; in Go and Rust they are `true` or `false`.
    """
    changed: dict[str, bytes] = {}
    for path in {condition.file for condition, _ in values}:
        edits = [(one.start, one.end, value) for one, value in values if one.file == path]
        data = files[path]
        outer = [a for a in edits if not any(_lies_in(a, b) for b in edits)]
        for start, end, value in sorted(outer, reverse=True):
            data = data[:start] + _answered(path, data[start:end], value) + data[end:]
        changed[path] = data
    return changed


def _answered(path: str, asked: bytes, value: str) -> bytes:
    """Return an expression that asks a condition and comes to a value."""
    if path.endswith(_COMPILED):
        return b"((%s) %s)" % (asked, b"|| true" if value == "true" else b"&& false")
    return (b"((%s), %s)[1]" if path.endswith(".py") else b"((%s), %s)") % (asked, value.encode())


def _lies_in(edit: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return edit != other and other[0] <= edit[0] and edit[1] <= other[1]


def new_conditions(changes: Sequence[FileDiff]) -> tuple[Condition, ...]:
    """Return the conditions that a patch brings, tests aside; not those that it only moves."""
    found: list[Condition] = []
    for change in changes:
        if is_program(change):
            found += _new_in(change)
    return tuple(sorted(found, key=lambda one: not one.decides)[:MOST])


def is_program(change: FileDiff) -> bool:
    """Whether a change is one of a Python program that can be read."""
    return change.path.endswith(".py") and not is_test_file(change.path) and change.is_readable


def watched(changes: Sequence[FileDiff], conditions: Sequence[Condition]) -> dict[str, bytes]:
    """Return the changed programs so that each condition is asked through the driver's `MODULE`."""
    files = {change.path: change.after or b"" for change in changes}
    return {
        path: _with_watches(files[path], [c for c in enumerate(conditions) if c[1].file == path])
        for path in {condition.file for condition in conditions}
    }


def _with_watches(data: bytes, numbered: Sequence[tuple[int, Condition]]) -> bytes:
    """Return a file with words around its conditions, which may lie inside of each other."""
    inserted: list[tuple[int, int, int, str]] = []
    for number, one in numbered:
        length = one.end - one.start
        before, behind = one.watch
        inserted.append((one.start, 1, -length, before.format(number=number)))
        inserted.append((one.end, 0, length, behind))
    for place, _, _, words in sorted(inserted, reverse=True):
        data = data[:place] + words.encode() + data[place:]
    return data


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
            Counter(ast.dump(one.node) for one in _asked_in(was)) if was is not None else Counter()
        )
        set_anew = _names_set_anew(was, function)
        for one in _asked_in(function):
            dumped = ast.dump(one.node)
            known[dumped] -= 1
            if known[dumped] < 0 or not set_anew.isdisjoint(_names(one.node)):
                condition = _condition(change, one, starts)
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
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _names_set_anew(before: ast.AST | None, after: ast.AST) -> set[str]:
    """Return the names that statements set which a function did not have before."""
    if before is None:
        return set()
    known = Counter(ast.dump(one) for one in _assignments(before))
    found: set[str] = set()
    for one in _assignments(after):
        dumped = ast.dump(one)
        known[dumped] -= 1
        if known[dumped] < 0:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            found |= {name for target in targets for name in _names(target)}
    return found


def _assignments(
    tree: ast.AST,
) -> Iterator[ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr]:
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)
    return (one for one in ast.walk(tree) if isinstance(one, kinds))


def _condition(change: FileDiff, asked: _Asked, starts: Sequence[int]) -> Condition:
    node = asked.node
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    text = (change.after or b"")[start:end].decode("utf-8", "replace")
    said = " ".join(text.split())
    return Condition(change.path, node.lineno, said, start, end, _can_move(node), asked.decides)


def _asked_in(node: ast.AST) -> Iterator[_Asked]:
    """Yield what a function asks: tests of branches, operands, comparisons; and what it looks up."""
    seen: set[int] = set()
    for one in _asked_below(node):
        if id(one.node) not in seen and not isinstance(one.node, (ast.Constant, ast.Starred)):
            seen.add(id(one.node))
            yield one


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
            yield from (one for one in (lower, upper) if isinstance(one, ast.BinOp))
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
        isinstance(one, _UNMOVED) or (isinstance(one, ast.Name) and one.id in _UNMOVED_CALLS)
        for one in ast.walk(node)
    )


def parsed(data: bytes | None) -> ast.AST | None:
    """Return the syntax of a program, None where there is none."""
    try:
        return ast.parse(data) if data is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
