"""The conditions that a patch brings into Python programs: found, watched, and taken away. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.repair.guards.change import FileDiff
from bot.repair.guards.files import is_test_file
from bot.repair.proposers.search.inside.conditions import MODULE

MOST = 6
"""Conditions of a patch that are looked at."""

_UNMOVED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
"""Parts of a condition that mean something else in a function of its own."""

_UNMOVED_CALLS = frozenset({"super", "locals", "vars", "dir", "eval", "exec"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_WATCHED = f"__import__('sys').modules['{MODULE}'].decided"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is asked in a function of a changed program, and was not before.

    Attributes:
        file: Path of the program.
        line: Where it begins, from 1.
        text: As it is written.
        start: First byte in the file.
        end: First byte behind it.
    """

    file: str
    line: int
    text: str
    start: int
    end: int

    def settled(self, data: bytes, *, answer: bool) -> bytes:
        """Return the file with its answer in the condition's place."""
        return b"%s(%s)%s" % (data[: self.start], str(answer).encode(), data[self.end :])


def new_conditions(changes: Sequence[FileDiff]) -> tuple[Condition, ...]:
    """Return the conditions that a patch brings, tests aside; not those that it only moves."""
    found: list[Condition] = []
    for change in changes:
        if change.path.endswith(".py") and not is_test_file(change.path) and change.is_readable:
            found += _new_in(change)
    return tuple(found[:MOST])


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
        inserted.append((one.start, 1, -length, f"{_WATCHED}({number}, lambda: ("))
        inserted.append((one.end, 0, length, "))"))
    for place, _, _, words in sorted(inserted, reverse=True):
        data = data[:place] + words.encode() + data[place:]
    return data


def _new_in(change: FileDiff) -> list[Condition]:
    before, after = _tree(change.before), _tree(change.after)
    if after is None:
        return []
    known = Counter(ast.dump(one) for one in _asked(before)) if before is not None else Counter()
    starts = _line_starts(change.after or b"")
    found = []
    for one in _asked(after):
        dumped = ast.dump(one)
        known[dumped] -= 1
        if known[dumped] < 0 and _can_move(one):
            found.append(_condition(change, one, starts))
    return sorted(found, key=lambda condition: (condition.start, -condition.end))


def _condition(change: FileDiff, node: ast.expr, starts: Sequence[int]) -> Condition:
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    text = (change.after or b"")[start:end].decode("utf-8", "replace")
    return Condition(change.path, node.lineno, " ".join(text.split()), start, end)


def _asked(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield what functions ask: tests of branches, their operands, and comparisons anywhere."""
    seen: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, _FUNCTIONS):
            for one in _asked_in(function):
                if id(one) not in seen:
                    seen.add(id(one))
                    yield one


def _asked_in(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.JoinedStr, ast.While, ast.ClassDef)):
            continue  # places in texts are unknown, and a loop might never end
        if isinstance(child, (ast.If, ast.IfExp)):
            yield from _operands(child.test)
        elif isinstance(child, ast.comprehension):
            for test in child.ifs:
                yield from _operands(test)
        elif isinstance(child, ast.match_case) and child.guard is not None:
            yield from _operands(child.guard)
        elif isinstance(child, ast.Compare):
            yield child
        yield from _asked_in(child)


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    yield test
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)


def _can_move(node: ast.expr) -> bool:
    """Whether a condition that is no constant means the same in a function of its own."""
    return not isinstance(node, ast.Constant) and not any(
        isinstance(one, _UNMOVED) or (isinstance(one, ast.Name) and one.id in _UNMOVED_CALLS)
        for one in ast.walk(node)
    )


def _tree(data: bytes | None) -> ast.AST | None:
    try:
        return ast.parse(data) if data is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


Settled = tuple[int, bool]
"""A condition's number, and the answer that stands in its place."""

Outputs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What one run of a test showed, and what it shows with a condition settled.

    Attributes:
        place: Which of its values was varied, and how.
        inputs: Digest of what went from the test into the program.
        outputs: Digests of what came out.
        settled: The same by settled condition, where that is another answer than its own.
    """

    place: str
    inputs: str
    outputs: Outputs
    settled: Mapping[Settled, Outputs]

    @property
    def depends(self) -> bool:
        """Whether a condition decides on what comes out."""
        return any(outputs not in {(), self.outputs} for outputs in self.settled.values())


ShownByTest = Mapping[str, Sequence[Shown]]
"""A test as it is, twice, and its variants."""


def shown(answer: Mapping[str, Any]) -> ShownByTest:
    """Return what the driver in the sandbox told."""
    return {
        test: tuple(
            Shown(
                one["place"],
                one["inputs"],
                tuple(one["outputs"]),
                {(number, is_so): tuple(outputs) for number, is_so, outputs in one["settled"]},
            )
            for one in told
        )
        for test, told in answer.get("tests", {}).items()
    }


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A condition that keeps inputs near those of the tests from what the patch does for them.

    Attributes:
        condition: Its number.
        answer: That it has for the tests.
        inputs: How many it keeps away.
        of: Inputs that the patch would reach without it.
    """

    condition: int
    answer: bool
    inputs: int
    of: int


_LEAST = 3
"""Inputs that have to be kept away before a condition is worth a word."""

_SHARE = 5
"""Of so many inputs one has to be kept away, where the same value of a test is varied."""

_AS_IT_IS = 2


def held_back(before: ShownByTest, after: ShownByTest) -> tuple[HeldBack, ...]:
    """Return the conditions that keep a patch from having its effect near the tests' inputs.

    Args:
        before: Without the patch.
        after: With it, its conditions watched.
    """
    needed: set[Settled] = set()
    away: Counter[tuple[Settled, str, str]] = Counter()
    reached: Counter[tuple[Settled, str, str]] = Counter()
    for test, told in after.items():
        was = before.get(test, ())
        if not _is_steady(was) or not _is_steady(told):
            continue
        own = told[0]
        needed |= {one for one, outputs in own.settled.items() if outputs != own.outputs}
        old = {one.place: one.outputs for one in was}
        answers = {one for new in told for one in new.settled}
        for new in told[_AS_IT_IS:]:
            for one in answers if old.get(new.place) else ():
                if new.settled.get(one, new.outputs) not in {(), old[new.place]}:
                    value = (one, test, new.place.partition(":")[0])
                    reached[value] += 1
                    away[value] += new.outputs == old[new.place]
    kept = [value for value in reached if away[value] * _SHARE >= reached[value]]
    found = (
        HeldBack(
            *one,
            inputs=sum(away[value] for value in kept if value[0] == one),
            of=sum(reached[value] for value in kept if value[0] == one),
        )
        for one in sorted({value[0] for value in kept} - needed)
    )
    return tuple(one for one in found if one.inputs >= _LEAST)


def _is_steady(told: Sequence[Shown]) -> bool:
    """Whether a test as it is shows the same each time."""
    return len(told) > _AS_IT_IS and bool(told[0].outputs) and told[0].outputs == told[1].outputs
