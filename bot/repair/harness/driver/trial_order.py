"""The tests that a candidate has to pass: the failing ones first, then those that pass already."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Sequence

from .fork import Child, Send, limit_processor
from .suite import Outcome, Suite

WALL = 8
"""Wall time that a child may take for each second of processor time, and 2 s more."""

_WAITING = 4
"""How much longer than without a candidate its tests may wait for something."""

PATIENCE = 3
"""Failing tests that a candidate may fail before the rest of them is not looked at."""


class Trial:
    """The tests that a candidate has to pass, each within its time."""

    def __init__(self, request: dict[str, Any], suite: Suite) -> None:
        self._places = {name: index for index, name in enumerate(suite.ids)}
        self._suite = suite
        self._limits: dict[str, float] = request["limits"]
        self._limit = float(request["limit"])
        self._waits: dict[str, float] = request["waits"]
        self._passing: dict[str, list[str]] = request["passing"]
        self._together: str = request["together"]
        self._known: dict[str, list[str]] = {}
        # Tests that could not be collected before are there to be mended too.
        fresh = [name for name in suite.ids if name not in self._limits]
        self._ending = frozenset(request["ending"])
        self.failing: list[str] = [*request["failing"], *(fresh if request["errors"] else ())]

    def seconds(self, names: Sequence[str]) -> float:
        """Return how much wall time these tests may take."""
        processor = sum(self._limits.get(name, self._limit) for name in names)
        return 2 + WALL * processor + _WAITING * sum(self._waits.get(name, 0) for name in names)

    def passing(self, group: str) -> list[str]:
        """Return the tests that a candidate of a group has to keep."""
        known = self._known.get(group)
        if known is None:
            names = {
                name for unit in group.split(self._together) for name in self._passing.get(unit, ())
            }
            known = sorted(names, key=lambda name: self._places.get(name, -1))
            self._known[group] = known
        return known

    def settle(self, deadline: float) -> None:
        """Leave out the passing tests that fail when they are run this way without a candidate."""
        for group, names in self._passing.items():
            child = Child(partial(self._told, names=names), self.seconds(names))
            told = child.wait(deadline)
            passed = {name for name, ok in told[-1] if ok} if told else set()
            self._passing[group] = [name for name in names if name in passed]

    def _told(self, send: Send, *, names: Sequence[str]) -> None:
        send(self.run(names, len(names) + 1))

    def run(
        self, names: Sequence[str], patience: int, tell: Callable[[list[Any]], None] | None = None
    ) -> list[Any]:
        """Return for each of these tests whether it passed, until too many have failed.

        What is known is told before each test that may end this process.
        """
        told: list[Any] = [[name, False] for name in names if name not in self._places]

        def started(index: int) -> None:
            if tell is not None and self._suite.ids[index] in self._ending:
                tell(told)
            limit_processor(self._limits.get(self._suite.ids[index], self._limit))

        def finished(index: int, outcome: Outcome) -> bool:
            told.append([self._suite.ids[index], outcome.outcome == "passed"])
            return sum(not ok for _, ok in told) < patience

        self._suite.run([self._places[n] for n in names if n in self._places], started, finished)
        limit_processor(None)
        return told

    def run_all(self, group: str, tell: Callable[[list[Any]], None] | None = None) -> list[Any]:
        """Run the failing tests and, when they pass, the others; `[]` at the end says: all pass."""
        told = self.run(self.failing, PATIENCE, tell)
        if all(ok for _, ok in told):
            told += self.run(self.passing(group), 1)
        return [*told, []] if all(ok for _, ok in told) else told
