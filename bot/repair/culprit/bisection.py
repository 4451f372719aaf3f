"""Decide which state of a line to look at next, and when the first bad one is known. Pure.

A test that fails with a change may also fail without it, by chance. So nothing is concluded from one
run: what every run so far says is weighed for every place where the change may be and for every rate at
which the test may fail by chance, and a state is judged once the odds are long enough. That is Wald's
sequential test (A. Wald, Sequential Tests of Statistical Hypotheses, 1945) with the rates unknown, over
the places of a noisy binary search (R. M. Karp and R. Kleinberg, Noisy Binary Search and Its
Applications, 2007). How often a state has to run follows from what was seen: a test that never
contradicts itself runs about twice at each side of the change, one that does runs more often.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, TypeVar

from bot.model.culprit import RunCounts, StateResults

Place = TypeVar("Place", bound=Hashable)

_DOUBT = 0.02
"""Chance of error at which the walk goes on; it comes back when later runs speak against a state."""

_PROOF = 0.0001
"""Chance of error at which a culprit is proven."""

_AT_LEAST = 2
"""Runs on each side, whatever the odds."""

_MOST_RUNS = 32
"""Of a state: what is not decided by then stays open."""

_ALONE = 4
"""Runs of a state that is open still, before those on both sides are run as often."""

_FLAKY = 0.16
"""Share of tests that fail by chance now and then: J. Micco, The State of Continuous Integration
Testing @Google, 2017."""

_STEADY = 1e-6
_BY_CHANCE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.45)
_WITH_CHANGE = (0.999, 0.95, 0.8, 0.6, 0.4)
_APART = 0.25


@dataclass(frozen=True, slots=True)
class _Rates:
    """How often a test may fail without the change and with it, all as logarithms.

    Attributes:
        share: How likely these rates are.
        fails_with: A failure with the change.
        passes_with: A pass with it.
        fails_less: By how much likelier a failure is without it.
        passes_more: By how much likelier a pass is without it.
    """

    share: float
    fails_with: float
    passes_with: float
    fails_less: float
    passes_more: float


def _of(low: float, high: float, share: float) -> _Rates:
    fails, passes = math.log(high), math.log1p(-high)
    return _Rates(math.log(share), fails, passes, math.log(low) - fails, math.log1p(-low) - passes)


def _rates() -> tuple[_Rates, ...]:
    pairs = [(low, high) for low in _BY_CHANCE for high in _WITH_CHANGE if high - low >= _APART]
    flaky = [_of(low, high, _FLAKY / len(pairs)) for low, high in pairs]
    return (_of(_STEADY, 1 - _STEADY, 1 - _FLAKY), *flaky)


_RATES = _rates()


@dataclass(slots=True)
class SeenRuns(Generic[Place]):
    """What was seen of each failing test, in the states that were looked at.

    Attributes:
        tests: Ids of the failing tests.
        seen: Runs, by test and place.
        why: Why a place tells nothing of a test, by test and place.
    """

    tests: tuple[str, ...]
    seen: dict[str, dict[Place, RunCounts]] = field(init=False)
    why: dict[str, dict[Place, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.seen = {test: {} for test in self.tests}
        self.why = {test: {} for test in self.tests}

    def add(self, place: Place, told: StateResults) -> None:
        """Add what a run told of each test."""
        for test in self.tests:
            runs = self.seen[test].get(place, RunCounts())
            if test in told.failing:
                self.seen[test][place] = RunCounts(runs.failed + 1, runs.passed)
            elif test in told.passing:
                self.seen[test][place] = RunCounts(runs.failed, runs.passed + 1)
            elif runs == RunCounts():
                self.why[test][place] = told.why

    def groups(self) -> list[tuple[str, ...]]:
        """Return the tests, those together of which the same was seen; the largest group first."""
        found: dict[object, list[str]] = {}
        for test in self.tests:
            key = (frozenset(self.seen[test].items()), frozenset(self.why[test]))
            found.setdefault(key, []).append(test)
        return sorted(map(tuple, found.values()), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class StateLine:
    """States from old to new, and what was seen of one failure in them.

    Attributes:
        length: How many; the last one is red.
        seen: Runs by place.
        skipped: Places where nothing can be told.
        good: Place that is said to be green, None where nobody says.
    """

    length: int
    seen: Mapping[int, RunCounts]
    skipped: frozenset[int] = frozenset()
    good: int | None = None


@dataclass(frozen=True, slots=True)
class StateRun:
    """Run the failing tests there, perhaps once more."""

    place: int


@dataclass(frozen=True, slots=True)
class Boundary:
    """The failure begins behind one state, and is there in another.

    Attributes:
        green: Newest place that passes.
        red: Oldest place above it that fails; what lies between can't be told.
        is_sure: Whether the runs prove it.
    """

    green: int
    red: int
    is_sure: bool


@dataclass(frozen=True, slots=True)
class FromStart:
    """It fails as far back as anything can be told: at this place still."""

    oldest: int


Answer = StateRun | Boundary | FromStart


def next_question(line: StateLine, *, proving: bool = True) -> Answer:
    """Return which state to look at next, or what the runs come to.

    Args:
        line: What was seen so far.
        proving: Whether a boundary that is found is run until it is proven.
    """
    belief = _Belief(line)
    green, red = belief.sides
    undecided = [
        place
        for place in sorted(line.seen)
        if belief.is_open(place) and _between(green, place, red)
    ]
    again = next((place for place in undecided if _may_run(line, place)), None)
    if again is not None:
        return StateRun(_compared(line, green, again, red))
    if green is None:
        return _further_back(line, red)
    if undecided:
        return Boundary(green, red, is_sure=False)
    between = [place for place in range(green + 1, red) if _untold(line, place)]
    if between:
        return StateRun(_near_middle(line, green, red, between))
    return _confirmed(line, belief, green, red) if proving else Boundary(green, red, is_sure=False)


def so_far(line: StateLine) -> Boundary | None:
    """Return what the runs come to when there can't be more of them; None where no state is green."""
    green, red = _Belief(line).sides
    return None if green is None else Boundary(green, red, is_sure=False)


def about_steps(line: StateLine) -> int:
    """Return how many further states will be looked at, about."""
    answer = next_question(line)
    if not isinstance(answer, StateRun):
        return 0
    green, red = _Belief(line).sides
    return max(1, math.ceil(math.log2(max(2, red + 1 - (green or line.good or 0)))))


class _Belief:
    """What the runs say of the place where the failure begins."""

    def __init__(self, line: StateLine) -> None:
        self._newest = line.length - 1
        asked = sorted(place for place in line.seen if _runs(line, place))
        runs = [line.seen[place] for place in asked]
        # Between two states that were run, every place is as likely as the other.
        edges = (-1, *asked, line.length)
        weighed = _weighed(runs, [high - low for low, high in pairwise(edges)])
        self._red, self._red_if_flaky = (
            dict(zip(asked, itertools.accumulate(weights), strict=False)) for weights in weighed
        )

    @property
    def sides(self) -> tuple[int | None, int]:
        """The newest state that is green, if any, and the oldest above it that is red."""
        green = max((place for place in self._red if self.is_green(place)), default=None)
        above = -1 if green is None else green
        reds = (place for place in self._red if place > above and self.is_red(place))
        return green, min(reds, default=self._newest)

    def is_red(self, place: int) -> bool:
        return place in self._red and self._red[place] >= 1 - _DOUBT

    def is_green(self, place: int) -> bool:
        return place in self._red and self._red[place] <= _DOUBT

    def is_open(self, place: int) -> bool:
        return place in self._red and not self.is_red(place) and not self.is_green(place)

    def doubts(self, green: int, red: int) -> dict[int, float]:
        """Return for both sides of a boundary how likely it is that they are on the other one.

        Most tests are steady, but whoever asks because of one that isn't gets no comfort from that:
        the greater doubt counts, as things are and if the test were known to be flaky.
        """
        known = (self._red, self._red_if_flaky)
        return {
            green: max(chance[green] for chance in known),
            red: max(1 - chance[red] for chance in known),
        }


def _weighed(
    runs: Sequence[RunCounts], widths: Sequence[int]
) -> tuple[Sequence[float], Sequence[float]]:
    """Return how likely it is that the failure begins in each stretch between states that were run.

    The second row says the same for a test of which it is known that it is flaky.
    """
    spread = [math.log(width) for width in widths]
    logs = []
    for rates in _RATES:
        moved = (each.failed * rates.fails_less + each.passed * rates.passes_more for each in runs)
        shared = sum(
            each.failed * rates.fails_with + each.passed * rates.passes_with for each in runs
        )
        row = itertools.accumulate(moved, initial=rates.share + shared)
        logs.append([place + width for place, width in zip(row, spread, strict=True)])
    return _shares(logs), _shares(logs[1:])


def _shares(logs: Sequence[Sequence[float]]) -> Sequence[float]:
    most = max(map(max, logs))
    sums = [sum(math.exp(each - most) for each in column) for column in zip(*logs, strict=True)]
    whole = sum(sums)
    return [each / whole for each in sums]


def _may_run(line: StateLine, place: int) -> bool:
    return _runs(line, place) < _MOST_RUNS


def _between(green: int | None, place: int, red: int) -> bool:
    return (green is None or place > green) and place <= red


def _untold(line: StateLine, place: int) -> bool:
    return place not in line.skipped and place not in line.seen


def _compared(line: StateLine, green: int | None, place: int, red: int) -> int:
    """Return where to run next for the sake of an open state: there, or beside it.

    How often a test fails on both sides is what an open state is judged by. After a few runs these
    count for as much as its own.
    """
    own = _runs(line, place)
    if own < _ALONE:
        return place
    sides = [side for side in (green, red) if side is not None and side in line.seen]
    return min((place, *sides), key=lambda each: min(own, _runs(line, each)))


def _runs(line: StateLine, place: int) -> int:
    runs = line.seen[place]
    return runs.failed + runs.passed


def _further_back(line: StateLine, red: int) -> Answer:
    """Return the next state of a way back in steps that double, or that there is none."""
    if line.good is not None and _untold(line, line.good):
        return StateRun(line.good)
    looked = len(set(line.seen) | line.skipped) - 1
    newest = line.length - 1
    wanted = max(0, newest - 2**looked)
    left = [place for place in range(red) if _untold(line, place)]
    if not left or (0 in line.skipped and wanted == 0):
        return FromStart(red)
    return StateRun(min(left, key=lambda place: (abs(place - wanted), place)))


def _near_middle(line: StateLine, green: int, red: int, left: Sequence[int]) -> int:
    """Return the state in the middle; beside those that can't be told, as many as these suggest are left out."""
    lost = [place for place in line.skipped if green < place < red]
    room = min(2 ** (len(lost) - 1), (red - green) // 4) if lost else 0
    away = [place for place in left if all(abs(place - other) >= room for other in lost)]
    middle = (green + red) // 2
    return min(away or left, key=lambda place: (abs(place - middle), place))


def _confirmed(line: StateLine, belief: _Belief, green: int, red: int) -> Answer:
    """Return the boundary once the runs on both sides prove it, else the side that is in more doubt."""
    before, after = line.seen[green], line.seen[red]
    doubts = belief.doubts(green, red)
    few = [
        place
        for place, times in ((green, before.passed), (red, after.failed))
        if times < _AT_LEAST and _may_run(line, place)
    ]
    is_sure = sum(doubts.values()) <= _PROOF
    if not few and is_sure:
        return Boundary(green, red, is_sure=red - green == 1)
    able = few or [place for place in (red, green) if _may_run(line, place)]
    if not able:
        return Boundary(green, red, is_sure=False)
    return StateRun(max(able, key=doubts.__getitem__))
