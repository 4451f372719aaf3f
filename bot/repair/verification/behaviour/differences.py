"""Where the answers of both sides differ: near the tests' own inputs, or elsewhere. Pure.

A repair changes what goes the same way as the inputs of the tests that prove it, and nothing else.
So an input is near these where it takes no step through changed lines that they don't take; where
no changed line runs (a constant, a pattern), where the same becomes of it, or it is almost the same.
It is not where it leaves to their defaults what another test gives, and no longer gets the answer
that this test still gets (a default that was turned round), nor where it is beyond what tests hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.model.proof_card import Answers, Nearness
from bot.repair.verification.behaviour.bounds import Bounds
from bot.repair.verification.behaviour.inputs import Input, Told

_LEAST = 8
"""Inputs near the tests' own from which it can be said that nothing changes there."""

_SHOWN = {Nearness.OWN: 3, Nearness.NEIGHBOUR: 4, Nearness.ELSEWHERE: 5}
"""Differences of one function that are shown."""

_LONG = 120
"""Characters of an answer that are shown."""

_LEAVING = ", leaving "
"""Between what a call returns and what it does to what it is given, as the driver writes it."""

_SIBLINGS = 2
"""Inputs of another type that are shown where they still raise what the tests' own did."""


@dataclass(frozen=True, slots=True)
class Group:
    """Differences that are alike.

    Attributes:
        example: The one that is shown.
        count: How many there are.
    """

    example: Answers
    count: int


class Differences:
    """The differences of all functions."""

    def __init__(self, said: Told, *, brings: bool) -> None:
        self._said = said = replace(said, inputs=tuple(_told_once(said.inputs)))
        own = [item for item in said.inputs if item.origin == "own"]
        self._own = own
        self._after = said.way.union(*(item.after.way for item in own))
        self._before: frozenset[str] = frozenset().union(*(item.before.way for item in own))
        self._known = {item.target for item in own}
        self._turns = {(item.target, item.turn) for item in own if item.differs}
        self._brings = brings
        self._bounds = Bounds(said.inputs, brings=brings)
        self.differing = [item for item in said.inputs if item.differs]

    def nearness(self, item: Input) -> Nearness:
        """Return how near an input is to those of the tests that the change turns green."""
        if item.origin == "own":
            return Nearness.OWN
        if item.is_spelled_out or not (self._own or self._said.way) or self._bounds.beyond(item):
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
        """How many inputs stay as they were near tests' own, where nothing of a function but these changes.

        A change that brings no values holds no answers: it may move a boundary by one.
        """
        return (
            sum(map(self._alone, {item.target for item in self.differing})) if self._brings else 0
        )

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

    def pinned(self, target: int) -> list[tuple[Input, str, int, bool]]:
        """Return what a function's new answers hang on alone, as `Bounds` has it."""
        return [*self._bounds.pinned(target)][:_SIBLINGS]

    def worn(self, target: int) -> list[tuple[str, str, int, str]]:
        """Return the tests' own inputs whose new answers wear off: call, answer, at which call, then."""
        found = [
            (item.call, item.after.text, *item.worn)
            for item in self._own
            if item.target == target and item.worn is not None
        ]
        return found[:_SIBLINGS]

    def marked(self, target: int) -> list[tuple[str, str]]:
        """Return the tests' own calls that return a value and newly change an argument: call, change.

        What a call does to its own object, or instead of returning anything, may be what it is for.
        """
        found = []
        for item in self._own:
            was, now = (answer.text.partition(_LEAVING)[2] for answer in (item.before, item.after))
            if item.target == target and now and not was and item.after.kind != "None":
                found += [(item.call, now)] if not now.startswith("self.") else []
        return found[:_SIBLINGS]

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
