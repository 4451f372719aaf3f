"""Decide which waiting run is next: fair between installations, repositories and threads.

A round robin at each level, as in https://doi.org/10.1145/217382.217453 (Shreedhar and Varghese):
whoever has the fewest runs at work is first, then whoever has waited longest for a turn. People go
before checks and checks before what follows; one turn in four belongs to what has waited for long.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush
from typing import Any, Generic, TypeVar

T = TypeVar("T")

LONG_SECONDS = 600.0
"""After which a run has waited for long."""

OTHERS_FIRST = 3
"""Turns of others between two of those that have waited for long."""

_STEP = 1e-6
"""Seconds between two turns of one moment."""


class Priority(IntEnum):
    """Who waits for a run; a lower number goes first."""

    PERSON = 0
    CHECKS = 1
    FOLLOW_UP = 2


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """A run that waits, or is at work.

    Attributes:
        run_id: Of it.
        installation: Of the App.
        repository: Its identity.
        thread: Number of the issue or pull request, or what stands in its place.
        priority: Who waits for it.
        since: When it began to wait, or to work, in seconds.
    """

    run_id: str
    installation: int
    repository: str
    thread: int
    priority: Priority
    since: float

    @property
    def flows(self) -> tuple[str, str, str, str]:
        """Names of all that it belongs to: everything, installation, repository, thread."""
        installation = str(self.installation)
        repository = f"{installation}/{self.repository}"
        return "", installation, repository, f"{repository}#{self.thread}"


@dataclass(frozen=True, slots=True)
class QueueTurn:
    """What is remembered of an installation, a repository or a thread.

    Attributes:
        served: When a run of it was last let through, in seconds.
        passed: How many of its runs were let through since one that had waited for long.
    """

    served: float = float("-inf")
    passed: int = 0


@dataclass(frozen=True, slots=True)
class ConcurrencyLimits:
    """How many runs may be at work at once.

    Attributes:
        total: Of all.
        installation: Of each installation; None for no limit of its own.
        repository: Of each repository, likewise.
    """

    total: int = sys.maxsize
    installation: int | None = None
    repository: int | None = None


@dataclass(frozen=True, slots=True)
class NextRun:
    """A run that is next, and what is to be remembered of it, by the names of its flows."""

    run: QueuedRun
    turns: Mapping[str, QueueTurn]


class _Lane(IntEnum):
    """By what a run is chosen: who waits for it, or that it has waited for long."""

    PERSON = Priority.PERSON
    CHECKS = Priority.CHECKS
    FOLLOW_UP = Priority.FOLLOW_UP
    LONG = 3


class _Least(Generic[T]):
    """Things with a key that may change; the one with the least is found quickly."""

    def __init__(self) -> None:
        self._heap: list[tuple[Any, str]] = []
        self._known: dict[str, tuple[Any, T]] = {}

    def put(self, name: str, key: Any, thing: T) -> None:
        """Have a thing there under its name, with that key from now on."""
        self._known[name] = key, thing
        heappush(self._heap, (key, name))

    def drop(self, name: str) -> None:
        """Have it there no more."""
        self._known.pop(name, None)

    def first(self) -> tuple[Any, T] | None:
        """Return the least key, and what has it."""
        while self._heap:
            key, name = self._heap[0]
            known = self._known.get(name)
            if known is not None and known[0] == key:
                return known
            heappop(self._heap)
        return None


class _Flow:
    """Everything, an installation, a repository or a thread, while runs are chosen."""

    def __init__(self, name: str, turn: QueueTurn, most: int | None) -> None:
        self.name = name
        self.turn = turn
        self.working = 0
        self.below: dict[str, _Flow] = {}
        self._most = most
        self._runs: dict[_Lane, _Least[QueuedRun]] = {}
        self._ages: dict[_Lane, _Least[_Flow]] = {}
        self._places: dict[_Lane, _Least[_Flow]] = {}

    @property
    def lanes(self) -> tuple[_Lane, ...]:
        """In which there is, or was, something to choose."""
        return tuple(self._ages or self._runs)

    def add(self, run: QueuedRun, long_before: float) -> None:
        """Have a run of this thread wait."""
        lanes = [_Lane(run.priority)] + [_Lane.LONG] * (run.since <= long_before)
        for lane in lanes:
            waiting = self._runs.setdefault(lane, _Least())
            waiting.put(run.run_id, (run.since, run.run_id), run)

    def pop(self, lane: _Lane) -> QueuedRun:
        """Take the oldest run of this thread in a lane."""
        found = self._runs[lane].first()
        assert found is not None  # noqa: S101 - whoever chose the flow saw it
        for run in self._runs.values():
            run.drop(found[1].run_id)
        return found[1]

    def since(self, lane: _Lane) -> float | None:
        """Return since when the oldest run waits that may be chosen in a lane; None without one."""
        if self._most is not None and self.working >= self._most:
            return None
        if lane in self._ages:
            age = self._ages[lane].first()
            return None if age is None else age[0]
        run = self._runs[lane].first() if lane in self._runs else None
        return None if run is None else run[0][0]

    def look_at(self, flow: _Flow) -> None:
        """See anew what may be chosen of a flow below this one.

        The one is next that has the fewest runs at work, then the one that has waited longest for
        a turn: since its last one, or since it had something to wait for.
        """
        for lane in flow.lanes:
            ages = self._ages.setdefault(lane, _Least())
            places = self._places.setdefault(lane, _Least())
            since = flow.since(lane)
            if since is None:
                ages.drop(flow.name)
                places.drop(flow.name)
            else:
                place = flow.working, max(flow.turn.served, since), flow.name
                ages.put(flow.name, since, flow)
                places.put(flow.name, place, flow)

    def next_below(self, lane: _Lane) -> _Flow:
        """Return the flow below this one whose turn it is."""
        found = self._places[lane].first()
        assert found is not None  # noqa: S101 - since() saw one
        return found[1]


class FairQueue:
    """What waits and what is at work, at one moment; runs leave it in order."""

    def __init__(
        self,
        waiting: Iterable[QueuedRun],
        working: Iterable[QueuedRun],
        turns: Mapping[str, QueueTurn],
        places: ConcurrencyLimits,
        now: float,
    ) -> None:
        self._turns = turns
        self._places = places
        # Turns stay in order also where a clock went back, or two of them are of one moment.
        self._last = max([now, *(turn.served for turn in turns.values())])
        self._flows: dict[str, _Flow] = {}
        self._working: deque[QueuedRun] = deque(sorted(working, key=lambda run: run.since))
        for run in self._working:
            for flow in self._path(run):
                flow.working += 1
        for run in waiting:
            self._path(run)[-1].add(run, now - LONG_SECONDS)
        self._root = self._flows.get("", _Flow("", QueueTurn(), None))
        _look_everywhere(self._root)

    def admitted(self) -> Iterator[NextRun]:
        """Yield the runs for which there is a place now, in order."""
        while len(self._working) < self._places.total and (choice := self._next()) is not None:
            yield choice

    def in_order(self) -> Iterator[QueuedRun]:
        """Yield all that waits in the order in which it is let through.

        As far as that can be known: those at work are taken to end in the order in which they began.
        """
        while True:
            while len(self._working) >= max(1, self._places.total):
                self._end_oldest()
            while (choice := self._next()) is None and self._working:
                self._end_oldest()
            if choice is None:
                return
            yield choice.run

    def _next(self) -> NextRun | None:
        """Choose the next run that no limit holds back, and take it to be at work."""
        flow = self._root
        wanted = next((lane for lane in _Lane if flow.since(lane) is not None), None)
        if wanted is None:
            return None
        lane = _lane_in(flow, wanted)
        path = [(flow, lane)]
        while flow.below:
            flow = flow.next_below(lane)
            lane = _lane_in(flow, lane)
            path.append((flow, lane))
        run = flow.pop(lane)
        self._last += _STEP
        self._working.append(run)
        for item, by in path:
            passed = 0 if by is _Lane.LONG else min(item.turn.passed + 1, OTHERS_FIRST)
            item.turn = QueueTurn(self._last, passed)
            item.working += 1
        _look_along([item for item, _ in path])
        return NextRun(run, {item.name: item.turn for item, _ in path})

    def _end_oldest(self) -> None:
        path = self._path(self._working.popleft())
        for flow in path:
            flow.working -= 1
        _look_along(path)

    def _path(self, run: QueuedRun) -> list[_Flow]:
        """Return the flows of a run, from everything to its thread, making those that are new."""
        limits = (None, self._places.installation, self._places.repository, None)
        path: list[_Flow] = []
        for name, most in zip(run.flows, limits, strict=True):
            flow = self._flows.get(name)
            if flow is None:
                flow = _Flow(name, self._turns.get(name, QueueTurn()), most)
                self._flows[name] = flow
                if path:
                    path[-1].below[name] = flow
            path.append(flow)
        return path


def _look_along(path: list[_Flow]) -> None:
    """See anew what changed on the way from everything to a thread."""
    for below, above in zip(reversed(path), reversed(path[:-1]), strict=False):
        above.look_at(below)


def _look_everywhere(flow: _Flow) -> None:
    for item in flow.below.values():
        _look_everywhere(item)
        flow.look_at(item)


def _lane_in(flow: _Flow, lane: _Lane) -> _Lane:
    """Return the lane in which a flow's next run is chosen: of four turns, one is of the long."""
    if flow.turn.passed >= OTHERS_FIRST and flow.since(_Lane.LONG) is not None:
        return _Lane.LONG
    return lane
