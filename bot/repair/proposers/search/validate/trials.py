"""Decide what to try next, and remember how it went. Pure: the driver's answers go in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.repair.proposers.search.edits import Candidate
from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.validate.limits import time_limits, usual_limit

_AT_ONCE = 6_000
"""Candidates in one request."""

_URGENT = 0.6
_MOST_URGENT = 12
"""Candidates that go first although each costs an import: a shared default, a missing name."""

_LONG_WAIT = 0.2
"""Seconds; less is what a busy machine makes everything wait."""

_COVERING = 200
"""Passing tests that a candidate has to keep, before the whole suite is run."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How a candidate did.

    Attributes:
        candidate: Which.
        status: `plausible`, `failed`, `slow`, `died`, `invalid`, `same` or `cold`.
        mended: Failing tests that pass with it.
        broken: A passing test that fails with it, if any was seen.
    """

    candidate: Candidate
    status: str
    mended: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


@dataclass(slots=True)
class Trials:
    """The candidates of one search: those to try, and those that were.

    Attributes:
        evidence: What was seen.
        warm: To try in processes that have everything imported, in order.
        cold: To try in processes that import anew, in order.
        tried: By the candidate's number.
    """

    evidence: Evidence
    warm: list[Candidate] = field(default_factory=list)
    cold: list[Candidate] = field(default_factory=list)
    tried: dict[int, Tried] = field(default_factory=dict)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Put candidates at the end of their queues."""
        only_cold = bool(self.evidence.broken)
        for candidate in candidates:
            (self.cold if candidate.cold or only_cold else self.warm).append(candidate)

    def take_urgent(self) -> list[Candidate]:
        """Take the cold candidates off their queue that are too promising to wait for the warm.

        With a plausible candidate at hand those are the ones that promise more than it does.
        """
        least = max((one.candidate.score for one in self.plausible), default=_URGENT)
        urgent = [one for one in self.cold if one.score > least][:_MOST_URGENT]
        self.cold = [one for one in self.cold if one not in urgent]
        return urgent

    def take_cold(self, most: int) -> list[Candidate]:
        """Take the first of the cold candidates off their queue."""
        first, self.cold = self.cold[:most], self.cold[most:]
        return first

    def request(self, queue: Sequence[Candidate], factor: float = 1.0) -> dict[str, Any]:
        """Return the driver's request for the front of a queue."""
        chosen = queue[:_AT_ONCE]
        files = {candidate.file for candidate in chosen}
        units = {candidate.unit for candidate in chosen}
        passing = {unit: self._covering(unit) for unit in units}
        wanted = {*(test.id for test in self.evidence.failing)}.union(*passing.values())
        return {
            "candidates": [
                (
                    one.number,
                    one.file,
                    one.unit,
                    [(r.start, r.end, r.text) for r in one.change.replacements],
                )
                for one in chosen
            ],
            "sources": {file: self.evidence.sources[file] for file in sorted(files)},
            "errors": sorted(self.evidence.broken),
            "failing": [test.id for test in sorted(self.evidence.failing, key=_cost)],
            "passing": passing,
            "limits": time_limits(self.evidence, factor),
            "waits": {
                test.id: test.waited
                for test in self.evidence.tests.values()
                if test.id in wanted and test.waited > _LONG_WAIT
            },
            "limit": factor * usual_limit(self.evidence),
            "test_files": sorted(
                {test.file for test in self.evidence.tests.values() if test.id in wanted}
            )
            if not self.evidence.broken
            else [],
        }

    def _covering(self, unit: str) -> list[str]:
        """Return the passing tests that run a function, the quickest, in the command's order.

        Tests that share state pass in that order and may fail in another one.
        """
        file, _, place = unit.partition(":")
        first, last = 0, 10**9
        if place:
            first = int(place.rpartition(":")[2])
            last = _end_of(self.evidence.sources[file], first)
        tests = [
            self.evidence.tests[index]
            for index, lines in self.evidence.noted.items()
            if any(name == file and first <= line <= last for name, line in lines)
        ]
        quick = sorted(tests, key=_cost)[:_COVERING]
        return [test.id for test in sorted(quick, key=lambda test: test.index)]

    def take(self, answer: Mapping[str, Any], queue: list[Candidate]) -> list[Tried]:
        """Note the driver's results, take what was tried off the queue, and return it."""
        results = answer["results"]
        fresh = []
        left = []
        for candidate in queue:
            result = results.get(str(candidate.number))
            if result is None:
                left.append(candidate)
            elif result["status"] == "cold":
                self.cold.append(candidate)
            else:
                tried = Tried(
                    candidate,
                    result["status"],
                    tuple(result.get("mended", ())),
                    tuple(result.get("broken", ())),
                )
                self.tried[candidate.number] = tried
                fresh.append(tried)
        queue[:] = left
        return fresh

    @property
    def plausible(self) -> tuple[Tried, ...]:
        """Those that mend every failing test and break none of the others that run them."""
        return tuple(one for one in self.tried.values() if one.status == "plausible")

    @property
    def partial(self) -> tuple[Tried, ...]:
        """Those that mend some failing tests, best first."""
        some = [one for one in self.tried.values() if one.mended and one.status != "plausible"]
        return tuple(
            sorted(some, key=lambda t: (-len(t.mended), len(t.broken), t.candidate.number))
        )

    @property
    def slow(self) -> tuple[Candidate, ...]:
        """Those whose time was up, most promising first."""
        found = [one.candidate for one in self.tried.values() if one.status == "slow"]
        return tuple(sorted(found, key=lambda candidate: candidate.number))


def _cost(test: Any) -> tuple[bool, float, int]:
    return test.outcome == "hanging", test.seconds + test.waited, test.index


def _end_of(text: str, line: int) -> int:
    """Return the last line of the block that starts at a line, by its indentation."""
    lines = text.splitlines()
    depth = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for number in range(line, len(lines)):
        code = lines[number]
        if (
            code.strip()
            and len(code) - len(code.lstrip()) <= depth
            and code.strip()[0] not in ")]}"
        ):
            return number
    return len(lines)
