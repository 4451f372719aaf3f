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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.model.culprit import RunCounts

_DOUBT = 0.02
"""Chance of error at which the walk goes on; it comes back when later runs speak against a state."""

_PROOF = 0.0001
"""Chance of error at which a culprit is proven."""

_AT_LEAST = 2
"""Runs on each side, whatever the odds."""

_MOST_RUNS = 32
"""Of a state: what is not decided by then stays open."""

_FLAKY = 0.16
"""Share of tests that fail by chance now and then: J. Micco, The State of Continuous Integration
Testing @Google, 2017."""

_STEADY = 1e-6
_BY_CHANCE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.45)
_WITH_CHANGE = (0.999, 0.95, 0.8, 0.6, 0.4)
_APART = 0.25


def _rates() -> tuple[tuple[float, float, float], ...]:
    """Return how often a test may fail without the change and with it, and how likely that is."""
    pairs = [(low, high) for low in _BY_CHANCE for high in _WITH_CHANGE if high - low >= _APART]
    flaky = [(low, high, _FLAKY / len(pairs)) for low, high in pairs]
    return ((_STEADY, 1 - _STEADY, 1 - _FLAKY), *flaky)


_RATES = _rates()


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
class RunTests:
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


Answer = RunTests | Boundary | FromStart


def next_question(line: StateLine) -> Answer:
    """Return which state to look at next, or what the runs come to."""
    belief = _Belief(line)
    newest = line.length - 1
    green = max((place for place in line.seen if belief.is_green(place)), default=None)
    reds = [place for place in line.seen if belief.is_red(place) and place > (green or -1)]
    red = min(reds, default=newest)
    open_places = (place for place in line.seen if belief.is_open(place) and _may_run(line, place))
    again = next((place for place in sorted(open_places) if _between(green, place, red)), None)
    if again is not None:
        return RunTests(again)
    if green is None:
        return _further_back(line, red)
    between = [place for place in range(green + 1, red) if _untold(line, place)]
    if between:
        return RunTests(_near_middle(line, green, red, between))
    return _confirmed(line, belief, green, red)


def about_steps(line: StateLine) -> int:
    """Return how many further states will be looked at, about."""
    answer = next_question(line)
    if not isinstance(answer, RunTests):
        return 0
    belief = _Belief(line)
    green = max((place for place in line.seen if belief.is_green(place)), default=line.good or 0)
    reds = [place for place in line.seen if belief.is_red(place) and place > green]
    return max(1, math.ceil(math.log2(max(2, min(reds, default=line.length) - green))))


class _Belief:
    """What the runs say of the place where the failure begins."""

    def __init__(self, line: StateLine) -> None:
        self._asked = sorted(
            place for place, runs in line.seen.items() if runs.failed + runs.passed
        )
        runs = [line.seen[place] for place in self._asked]
        # Between two states that were run, every place is as likely as the other.
        edges = (-1, *self._asked, line.length)
        self._weights = _weighed(runs, [high - low for low, high in pairwise(edges)])

    def chance_red(self, place: int) -> float:
        """Return how likely it is that the failure begins at a place that was run, or before it."""
        return sum(self._weights[: self._asked.index(place) + 1])

    def is_red(self, place: int) -> bool:
        return place in self._asked and self.chance_red(place) >= 1 - _DOUBT

    def is_green(self, place: int) -> bool:
        return place in self._asked and self.chance_red(place) <= _DOUBT

    def is_open(self, place: int) -> bool:
        return place in self._asked and not self.is_red(place) and not self.is_green(place)


def _weighed(runs: Sequence[RunCounts], widths: Sequence[int]) -> list[float]:
    """Return how likely it is that the failure begins in each stretch between states that were run."""
    logs: list[list[float]] = []
    for low, high, share in _RATES:
        without = [_log_chance(each, low) for each in runs]
        having = [_log_chance(each, high) for each in runs]
        behind, ahead, row = 0.0, sum(having), []
        for n, width in enumerate(widths):
            row.append(math.log(share) + math.log(width) + behind + ahead)
            if n < len(runs):
                behind, ahead = behind + without[n], ahead - having[n]
        logs.append(row)
    most = max(map(max, logs))
    sums = [sum(math.exp(row[n] - most) for row in logs) for n in range(len(widths))]
    return [each / sum(sums) for each in sums]


def _log_chance(runs: RunCounts, rate: float) -> float:
    return runs.failed * math.log(rate) + runs.passed * math.log1p(-rate)


def _may_run(line: StateLine, place: int) -> bool:
    runs = line.seen[place]
    return runs.failed + runs.passed < _MOST_RUNS


def _between(green: int | None, place: int, red: int) -> bool:
    return (green is None or place > green) and place <= red


def _untold(line: StateLine, place: int) -> bool:
    return place not in line.skipped and place not in line.seen


def _further_back(line: StateLine, red: int) -> Answer:
    """Return the next state of a way back in steps that double, or that there is none."""
    if line.good is not None and _untold(line, line.good):
        return RunTests(line.good)
    looked = len(set(line.seen) | line.skipped) - 1
    newest = line.length - 1
    wanted = max(0, newest - 2**looked)
    left = [place for place in range(red) if _untold(line, place)]
    if not left or (0 in line.skipped and wanted == 0):
        return FromStart(red)
    return RunTests(min(left, key=lambda place: (abs(place - wanted), place)))


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
    doubts = {green: belief.chance_red(green), red: 1 - belief.chance_red(red)}
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
    return RunTests(max(able, key=doubts.__getitem__))
