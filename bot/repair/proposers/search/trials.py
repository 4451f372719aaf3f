"""Decide what to try next, and remember how it went. Pure: the driver's answers go in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.repair.proposers.search.evidence import SearchEvidence, SeenTest
from bot.repair.proposers.search.limits import time_limits, usual_limit
from bot.repair.proposers.search.mutations import TOGETHER, Candidate

_AT_ONCE = 6_000
"""Candidates in one request."""

_URGENT = 0.6
_MOST_URGENT = 12
"""Candidates that go first although each costs an import: a shared default, a missing name."""

_LONG_WAIT = 0.2
"""Seconds of waiting that a test's limit takes into account; less is what a busy machine causes."""

_COVERING = 200
"""Passing tests that a candidate has to keep, before the whole suite is run."""

_ENDING = frozenset({"crashed", "hanging"})
"""Outcomes of a test that ends the process in which it runs."""

_QUICK = 0.25
"""Seconds of processor time of one test: what takes longer is left to the verifier."""


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """How a candidate did.

    Attributes:
        candidate: Which.
        status: `plausible`, `failed`, `slow`, `died`, `invalid`, `same` or `cold`; of those that
            were plausible, `harmful` breaks another test of the whole suite, and `refused` did not
            stand up to the failing command or to the verifier.
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
        known: By function, which passing tests run it.
        writing: Tests were seen to write into the work tree.
    """

    evidence: SearchEvidence
    warm: list[Candidate] = field(default_factory=list)
    cold: list[Candidate] = field(default_factory=list)
    tried: dict[int, CandidateResult] = field(default_factory=dict)
    known: dict[str, frozenset[int]] = field(default_factory=dict)
    writing: bool = False

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Put candidates at the end of their queues."""
        only_cold = bool(self.evidence.broken)
        for candidate in candidates:
            (self.cold if candidate.cold or only_cold else self.warm).append(candidate)

    def take_urgent(self) -> list[Candidate]:
        """Take the cold candidates off their queue that are too promising to wait for the warm.

        With a plausible candidate at hand those are the ones that promise more than it does.
        """
        least = max((tried.candidate.score for tried in self.plausible), default=_URGENT)
        urgent = [candidate for candidate in self.cold if candidate.score > least][:_MOST_URGENT]
        self.cold = [candidate for candidate in self.cold if candidate not in urgent]
        return urgent

    def take_cold(self, most: int) -> list[Candidate]:
        """Take the first of the cold candidates off their queue."""
        first, self.cold = self.cold[:most], self.cold[most:]
        return first

    def request(self, queue: Sequence[Candidate], factor: float = 1.0) -> dict[str, Any]:
        """Return the driver's request for the front of a queue."""
        chosen = queue[:_AT_ONCE]
        files = {candidate.file for candidate in chosen}
        units = {unit for candidate in chosen for unit in candidate.unit.split(TOGETHER)}
        passing = {unit: self.covering(unit) for unit in units}
        wanted = {*(test.id for test in self.evidence.failing)}.union(*passing.values())
        return {
            "candidates": [
                (
                    item.number,
                    item.file,
                    item.unit,
                    [(r.start, r.end, r.text) for r in item.change.replacements],
                )
                for item in chosen
            ],
            "sources": {file: self.evidence.sources[file] for file in sorted(files)},
            "errors": sorted(self.evidence.broken),
            "failing": [test.id for test in self._shortest_first()],
            "ending": [test.id for test in self.evidence.failing if test.outcome in _ENDING],
            "passing": passing,
            "together": TOGETHER,
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
            "stateful": self.evidence.stateful,
            "writing": self.writing or self.evidence.writing,
            "settle": False,
            "tolerated": self.evidence.tolerated,
        }

    def discard(self, candidate: Candidate, status: str, broken: tuple[str, ...] = ()) -> None:
        """Note that a plausible candidate is `harmful` or `refused`."""
        number = candidate.number
        self.tried[number] = replace(self.tried[number], status=status, broken=broken)

    def _shortest_first(self) -> list[SeenTest]:
        """Return the failing tests, those first that run few lines; last those that end all."""
        lines = self.evidence.lines_run
        most = max(lines.values(), default=0)
        return sorted(
            self.evidence.failing,
            key=lambda test: (test.outcome in _ENDING, lines.get(test.index, most), test.index),
        )

    def covering(self, unit: str) -> list[str]:
        """Return the passing tests that run a function, in the command's order.

        Tests that share state pass in that order and may fail in another one. Of many, those in
        the files of failing tests are kept.
        """
        indexes = frozenset().union(*(self._running(part) for part in unit.split(TOGETHER)))
        tests = [self.evidence.tests[index] for index in sorted(indexes)]
        near = {test.file for test in self.evidence.failing}
        quick = [test for test in tests if test.seconds <= _QUICK] or tests[:1]
        kept = sorted(quick, key=lambda test: test.file not in near)[:_COVERING]
        return [test.id for test in sorted(kept, key=lambda test: test.index)]

    def _running(self, unit: str) -> frozenset[int]:
        """Return the passing tests that run one function."""
        if unit not in self.known:
            file, span = _lines_of(self.evidence.sources, unit)
            self.known[unit] = frozenset(
                index
                for index, lines in self.evidence.noted.items()
                if any(name == file and line in span for name, line in lines)
            )
        return self.known[unit]

    def take(self, answer: Mapping[str, Any], queue: list[Candidate]) -> list[CandidateResult]:
        """Note the driver's results, take what was tried off the queue, and return it."""
        results = answer["results"]
        self.writing = self.writing or answer["writing"]
        fresh = []
        left = []
        for candidate in queue:
            result = results.get(str(candidate.number))
            if result is None:
                left.append(candidate)
            elif result["status"] == "cold":
                self.cold.append(candidate)
            else:
                tried = CandidateResult(
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
    def plausible(self) -> tuple[CandidateResult, ...]:
        """Those that mend every failing test and break none of the others that run them."""
        return tuple(tried for tried in self.tried.values() if tried.status == "plausible")

    @property
    def partial(self) -> tuple[CandidateResult, ...]:
        """Those that mend some failing tests and no more than that is wrong with them, best first."""
        out = {"plausible", "refused"}
        some = [tried for tried in self.tried.values() if tried.mended and tried.status not in out]
        return tuple(
            sorted(some, key=lambda t: (-len(t.mended), len(t.broken), t.candidate.number))
        )

    @property
    def harmful(self) -> tuple[CandidateResult, ...]:
        """Those that mend every failing test and break one of the whole suite."""
        return tuple(tried for tried in self.tried.values() if tried.status == "harmful")

    @property
    def slow(self) -> tuple[Candidate, ...]:
        """Those whose time was up, most promising first."""
        found = [tried.candidate for tried in self.tried.values() if tried.status == "slow"]
        return tuple(sorted(found, key=lambda candidate: candidate.number))


def _lines_of(sources: Mapping[str, str], unit: str) -> tuple[str, range]:
    """Return where a unit stands: a function's lines, or all lines of a file."""
    file, _, place = unit.partition(":")
    if not place:
        return file, range(10**9)
    first = int(place.rpartition(":")[2])
    return file, range(first, _end_of(sources[file], first) + 1)


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
