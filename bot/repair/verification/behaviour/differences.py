"""Where the answers of both sides differ: near the tests' own inputs, or elsewhere. Pure.

A repair changes what goes the same way as the inputs of the tests that prove it, and nothing else.
So an input is near these where it takes no step through changed lines that they don't take; where
no changed line runs (a constant, a pattern), where the same becomes of it, or it is almost the same.
It is not where it leaves to their defaults what another test gives, and no longer gets the answer
that this test still gets: a default that was turned round. Nor where it lies between two inputs whose
answers tests hold, and all that a repair had to change lies outside: a curve through the tests' points.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.model.proof_card import Answers, Nearness

_LEAST = 8
"""Inputs near the tests' own from which it can be said that nothing changes there."""

_COMMON = frozenset({"", "0", "1", "-1", "0.0", "1.0", "''", "[]", "()", "{}", "None", "b''", "True",
                     "False"})  # fmt: skip
"""Values for which programs often have a case of their own."""

_SHOWN = {Nearness.OWN: 3, Nearness.NEIGHBOUR: 4, Nearness.ELSEWHERE: 5}
"""Differences of one function that are shown."""

_LONG = 120
"""Characters of an answer that are shown."""

_RAISES = "raises "
_REFUSED = frozenset({"raises TypeError", "raises AttributeError"})
_FEW = frozenset({"True", "False", "None", "not taken"})
_SIBLINGS = 2
"""Inputs of another type that are shown where they still raise what the tests' own did."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one side answers.

    Attributes:
        kind: By which answers are alike: a type's name, `raises KeyError`, `endless`, ...
        text: For people.
        way: Steps that the call takes through changed lines; only where the sides differ, and for
            the tests' own inputs.
    """

    kind: str
    text: str
    way: frozenset[str] = frozenset()

    @property
    def sort(self) -> str:
        """An error's kind, a truth value or None; `value` for all other values."""
        return self.kind if self.is_error or self.kind in _FEW else "value"

    @property
    def is_error(self) -> bool:
        """Whether it is an exception, or there is none."""
        return self.kind.startswith(_RAISES) or self.kind == "endless"


@dataclass(frozen=True, slots=True)
class Input:
    """An input, and what both sides answer.

    Attributes:
        target: Number of the function.
        origin: `own`, `tested`, `near`, `far`, `sibling` or `type`, as the driver has it.
        varied: What was exchanged: an argument, or a part of one; empty for a test's own.
        seed: Number of the call that it was grown from.
        call: As a person would write it.
        before: At the base.
        after: At the head.
        is_equal: Whether it equals the test's own input that it was grown from.
        is_spelled_out: Whether a test gives what this call leaves to its defaults, and gets from
            both sides what this call gets from the base.
    """

    target: int
    origin: str
    varied: str
    seed: int
    call: str
    before: Answer
    after: Answer
    is_equal: bool = False
    is_spelled_out: bool = False

    @property
    def differs(self) -> bool:
        """Whether the sides answer differently; a type that both refuse, they may in other words."""
        refused = {self.before.kind, self.after.kind} <= _REFUSED
        refused |= self.is_retyped and self.before.is_error and self.after.is_error
        return self.before.text != self.after.text and not refused

    @property
    def turn(self) -> tuple[str, str]:
        """What becomes of what, whatever the types of values."""
        return self.before.sort, self.after.sort

    @property
    def is_retyped(self) -> bool:
        """Whether a value of another type was put in place of a test's."""
        return self.origin in {"sibling", "type"}

    @property
    def is_common(self) -> bool:
        """Whether programs often have a case of their own for it."""
        return self.call.partition("(")[2].removesuffix(")") in _COMMON


@dataclass(frozen=True, slots=True)
class Group:
    """Differences that are alike.

    Attributes:
        example: The one that is shown.
        count: How many there are.
    """

    example: Answers
    count: int


@dataclass(frozen=True, slots=True)
class Told:
    """What the driver told.

    Attributes:
        inputs: That both sides answered.
        left_out: Why other inputs are not compared, by function and reason, how many.
        way: The steps that the proving tests take through changed lines of the head.
        there: Numbers of the functions that live on both sides.
        called: Of those that a test calls.
        uncopied: By function, an argument of a call that could not be copied.
        tests: How many were run to record their calls.
    """

    inputs: tuple[Input, ...]
    left_out: Mapping[int, Mapping[str, int]]
    way: frozenset[str]
    there: frozenset[int] = frozenset()
    called: frozenset[int] = frozenset()
    uncopied: Mapping[int, str] = field(default_factory=dict)
    tests: int = 0


def told(answer: Mapping[str, Any]) -> Told:
    """Return what the driver told, read from JSON that was written where foreign code runs.

    Raises:
        KeyError, TypeError, ValueError: It is something else.
    """
    inputs: list[Input] = []
    left_out: dict[int, dict[str, int]] = {}
    for entry in answer["inputs"]:
        target = int(entry["target"])
        if "left_out" in entry:
            reasons = left_out.setdefault(target, {})
            reason = str(entry["left_out"])
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        inputs.append(
            Input(
                target,
                str(entry["origin"]),
                str(entry["varied"]),
                int(entry["seed"]),
                str(entry["call"]),
                _answer(entry["before"]),
                _answer(entry["after"]),
                bool(entry["same"]),
                bool(entry["spelled_out"]),
            )
        )
    return Told(
        tuple(inputs),
        left_out,
        frozenset(map(str, answer["way"])),
        frozenset(map(int, answer["there"])),
        frozenset(map(int, answer["called"])),
        {int(number): str(text) for number, text in answer["uncopied"].items()},
        int(answer["recorded"]),
    )


def _answer(entry: Mapping[str, Any]) -> Answer:
    return Answer(str(entry["kind"]), str(entry["text"]), frozenset(map(str, entry["edges"])))


class Differences:
    """The differences of all functions."""

    def __init__(self, said: Told) -> None:
        self._said = said = replace(said, inputs=tuple(_told_once(said.inputs)))
        own = [item for item in said.inputs if item.origin == "own"]
        self._own = own
        self._after = said.way.union(*(item.after.way for item in own))
        self._before: frozenset[str] = frozenset().union(*(item.before.way for item in own))
        self._known = {item.target for item in own}
        self._turns = {(item.target, item.turn) for item in own if item.differs}
        self._held = _Held(item for item in said.inputs if item.origin in {"own", "tested"})
        self.differing = [item for item in said.inputs if item.differs]

    def nearness(self, item: Input) -> Nearness:
        """Return how near an input is to those of the tests that the change turns green."""
        if item.origin == "own":
            return Nearness.OWN
        if item.is_spelled_out or not (self._own or self._said.way) or self._held.around(item):
            return Nearness.ELSEWHERE
        if item.before.way or item.after.way:
            same = item.after.way <= self._after and (
                item.before.way <= self._before or item.target not in self._known
            )
        else:
            same = item.origin == "near" or (item.target, item.turn) in self._turns
        return Nearness.NEIGHBOUR if same else Nearness.ELSEWHERE

    def count(self, nearness: Nearness) -> int:
        """Return how many differences there are so near."""
        return sum(self.nearness(item) is nearness for item in self.differing)

    @property
    def leaves_the_neighbourhood(self) -> bool:
        """Whether an input elsewhere differs that a program may well be given."""
        return any(
            self.nearness(item) is Nearness.ELSEWHERE and not _is_idle(item)
            for item in self.differing
        )

    @property
    def alone(self) -> int:
        """How many inputs stay as they were near tests' own, where nothing of a function but these changes."""
        return sum(map(self._alone, {item.target for item in self.differing}))

    def _alone(self, target: int) -> int:
        differing = [item for item in self.differing if item.target == target]
        seeds = {item.seed for item in differing if item.origin == "own"}
        if any(item.origin != "own" for item in differing) or all(
            item.is_common for item in differing
        ):
            return 0
        near = [
            item
            for item in self._said.inputs
            if item.target == target and item.origin in {"near", "far"} and item.seed in seeds
        ]
        return len(near) if len(near) >= _LEAST else 0

    @property
    def inputs(self) -> int:
        """How many inputs were compared."""
        return len(self._said.inputs)

    def groups(self, target: int) -> list[Group]:
        """Return what is shown of a function: its own, near, elsewhere; most telling first."""
        shown: list[Group] = []
        for nearness, most in _SHOWN.items():
            alike: dict[tuple[object, str], list[Input]] = {}
            for item in self.differing:
                if item.target == target and self.nearness(item) is nearness:
                    alike.setdefault((_kind(item), _argument(item)), []).append(item)
            groups = sorted(alike.values(), key=_telling)
            if len(groups) > most:
                groups = _merged(groups)
            shown += [_group(items, nearness) for items in groups[:most]]
        return shown

    def still(self, target: int) -> list[Input]:
        """Return inputs of a sibling type that still raise what the tests' own input no longer does."""
        mended = {
            (item.seed, item.before.kind)
            for item in self.differing
            if item.target == target and item.origin == "own" and item.before.is_error
        }
        found = [
            item
            for item in self._said.inputs
            if item.target == target
            and item.origin == "sibling"
            and not item.differs
            and item.call
            and (item.seed, item.before.kind) in mended
        ]
        return sorted(found, key=lambda item: (len(item.call), item.call))[:_SIBLINGS]


class _Held:
    """The numbers that tests give a function, by the rest of the call: whose answers stay, and whose change."""

    def __init__(self, tested: Iterable[Input]) -> None:
        self._stays: dict[tuple[object, ...], list[float]] = {}
        self._changes: dict[tuple[object, ...], list[float]] = {}
        for item in tested:
            numbers = self._changes if item.differs else self._stays
            for rest, number in _numbers(item):
                numbers.setdefault(rest, []).append(number)

    def around(self, item: Input) -> bool:
        """Whether two answers that stay lie around a number of a call, and none that changes does."""
        if item.origin == "tested" or item.is_retyped:
            return False
        for rest, number in _numbers(item):
            stays = self._stays.get(rest, ())
            if not stays or not min(stays) < number < max(stays):
                continue
            changes = self._changes.get(rest, ())
            if changes and not any(min(stays) < other < max(stays) for other in changes):
                return True
        return False


def _numbers(item: Input) -> Iterator[tuple[tuple[object, ...], float]]:
    """Yield each number of a call as it is shown, with all else of the call."""
    try:
        tree = ast.parse(item.call, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        number = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(node, ast.Constant) or not isinstance(number, (int, float)):
            continue
        node.value = type(number).__name__
        yield (item.target, ast.dump(tree)), number
        node.value = number


def _argument(item: Input) -> str:
    return item.varied.partition("[")[0].partition(".")[0]


def _kind(item: Input) -> tuple[object, ...]:
    """Return what becomes of what, and whether a value's type changes; of odd types only whether they fail."""
    if item.is_retyped:
        return item.before.is_error, item.after.is_error, True
    return *item.turn, item.before.kind != item.after.kind


def _told_once(inputs: Sequence[Input]) -> Iterator[Input]:
    """Yield inputs without those that are a test's own in another guise, or read the same."""
    own = {(item.target, item.seed): item.turn for item in inputs if item.origin == "own"}
    known: set[tuple[int, str]] = set()
    for item in inputs:
        again = (
            item.origin != "own"
            and item.is_equal
            and own.get((item.target, item.seed)) == item.turn
        )
        if item.differs and (again or (item.target, item.call) in known):
            continue
        if item.call:
            known.add((item.target, item.call))
        yield item


def _is_idle(item: Input) -> bool:
    """Whether an input is of a type that both sides refuse."""
    return item.before.is_error and item.after.is_error


def _telling(items: Sequence[Input]) -> tuple[bool, int, int]:
    """Order groups: what is let through first, then what is refused, then other values."""
    before, after = items[0].before, items[0].after
    if before.is_error != after.is_error:
        rank = 0 if before.is_error else 1
    else:
        rank = 3 if before.is_error else 0 if (before.kind, after.kind) == ("False", "True") else 2
    return all(item.is_retyped for item in items), rank, -len(items)


def _merged(groups: Sequence[Sequence[Input]]) -> list[list[Input]]:
    """Return groups that are alike by what becomes of what, whichever argument was exchanged."""
    alike: dict[object, list[Input]] = {}
    for items in groups:
        alike.setdefault(_kind(items[0]), []).extend(items)
    return sorted(alike.values(), key=_telling)


def _group(items: Sequence[Input], nearness: Nearness) -> Group:
    chosen = min(items, key=lambda item: (item.is_retyped, len(item.call), item.call))
    before, after = shortened(chosen.before.text, chosen.after.text)
    return Group(Answers(chosen.call, before, after, nearness), len(items))


def shortened(before: str, after: str) -> tuple[str, str]:
    """Return two texts so short that a person reads them, with the place where they differ."""
    if max(len(before), len(after)) <= _LONG:
        return before, after
    same = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        same += 1
    start = max(0, same - _LONG // 3)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    front = "…" if start else ""
    piece = text[start : start + _LONG]
    return f"{front}{piece}{'…' if start + _LONG < len(text) else ''}"
