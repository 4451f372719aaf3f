"""Rank lines by everything that was seen: who runs them, where it broke, what ran hot, what is new.

Sources of the formulas: Abreu, Zoeteweij, van Gemund 2006 (Ochiai); Wong, Debroy, Gao, Li 2014
(DStar).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.repair.guards import is_test_file
from bot.repair.proposers.search.evidence import UNPARSABLE, Error, SearchEvidence, TracebackFrame
from bot.reporting.reasons import search

Place = tuple[str, int]
"""A file and a line of it."""

_RAISED = 0.5
"""What the line gains at which a failing test's exception was raised; outer frames gain less."""

_FADING = 0.6
"""Of a frame's gain, what the next outer one gains."""

_HOT = 0.3
"""What the hottest line of a test that never ends gains."""

_RUNNING = 0.2
"""What is left of the suspicion of code that runs the tests: it sees every error pass."""

_NEW = 0.15
"""What a recently changed line gains."""

_DECIDING = 2.0
"""What a line gains that decides whether the tests fail: more than all else together."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line and how suspicious it is.

    Attributes:
        file: Relative to the work tree.
        line: 1-based.
        score: From 0 up, the most suspicious line has 1.
        reasons: Why, a clause each.
    """

    file: str
    line: int
    score: float
    reasons: tuple[str, ...]


def suspects(
    evidence: SearchEvidence,
    recent: frozenset[Place] = frozenset(),
    deciding: frozenset[Place] = frozenset(),
) -> tuple[Suspect, ...]:
    """Return the lines of the project that may be at fault, most suspicious first; tests are not.

    Args:
        evidence: What was seen.
        recent: Lines that were changed lately.
        deciding: Lines of the commit that broke the tests, without which they pass.
    """
    scores: dict[Place, float] = {}
    reasons: dict[Place, list[str]] = {}

    def add(place: Place, score: float, reason: str) -> None:
        if not is_test_file(place[0]):
            scores[place] = scores.get(place, 0.0) + score
            reasons.setdefault(place, []).append(reason)

    traced_all = len(evidence.counted) >= len(evidence.failing)
    for place, spectrum in _spectra(evidence).items():
        add(place, spectrum.suspicion, _words(spectrum, traced_all=traced_all))
    for place, (gain, reason) in _raised(evidence.errors).items():
        add(place, gain, reason)
    for place, gain in _hot(evidence).items():
        add(place, gain, search.HOT)
    for place in recent & scores.keys():
        add(place, _NEW, search.RECENT)
    for place in deciding & scores.keys():
        add(place, _DECIDING, search.DECIDES)
    for place in _running(evidence) & scores.keys():
        scores[place] *= _RUNNING
        reasons[place].append(search.RUNS_TESTS)
    top = max(scores.values(), default=1.0)
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    return tuple(
        Suspect(*place, round(scores[place] / top, 4), tuple(reasons[place])) for place in ranked
    )


def _spectra(evidence: SearchEvidence) -> dict[Place, Spectrum]:
    failing: dict[Place, int] = {}
    for files in evidence.counted.values():
        for file, counts in files.items():
            for line in counts:
                failing[file, line] = failing.get((file, line), 0) + 1
    passing: dict[Place, int] = {}
    for places in evidence.noted.values():
        for place in places:
            passing[place] = passing.get(place, 0) + 1
    total = len(evidence.counted)
    return {
        place: Spectrum(count, passing.get(place, 0), total - count)
        for place, count in failing.items()
    }


def _words(spectrum: Spectrum, *, traced_all: bool) -> str:
    total = spectrum.failing + spectrum.failing_elsewhere
    return search.run_by(
        spectrum.failing, failing=total, passing=spectrum.passing, traced_all=traced_all
    )


def _raised(errors: tuple[Error, ...]) -> Mapping[Place, tuple[float, str]]:
    """Return what the frames of tracebacks gain; the innermost one of the project most."""
    gains: dict[Place, tuple[float, str]] = {}
    for error in errors:
        gain = _RAISED
        frames = [frame for frame in error.frames if not is_test_file(frame.file)]
        for frame in reversed(frames):
            place = (frame.file, frame.line)
            if gain > gains.get(place, (0.0, ""))[0]:
                how = search.raised if gain == _RAISED else search.passed_through
                gains[place] = (gain, how(error.type))
            gain *= _FADING
    return gains


def _hot(evidence: SearchEvidence) -> Mapping[Place, float]:
    """Return what the busiest lines of tests that never end gain."""
    gains: dict[Place, float] = {}
    for index, files in evidence.counted.items():
        if evidence.tests[index].outcome != "hanging":
            continue
        most = max((count for counts in files.values() for count in counts.values()), default=1)
        for file, counts in files.items():
            for line, count in counts.items():
                if count * 2 >= most:
                    gains[file, line] = _HOT
    return gains


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Of one line: how many failing and passing tests run it, and do not."""

    failing: int
    passing: int
    failing_elsewhere: int

    @property
    def ochiai(self) -> float:
        """From 0 to 1: the cosine between running the line and failing."""
        product = (self.failing + self.failing_elsewhere) * (self.failing + self.passing)
        return self.failing / math.sqrt(product) if product else 0.0

    @property
    def dstar(self) -> float:
        """DStar with exponent 2, brought to 0..1: infinity, which it often is, becomes 1."""
        others = self.passing + self.failing_elsewhere
        return self.failing**2 / (self.failing**2 + others) if self.failing else 0.0

    @property
    def suspicion(self) -> float:
        """The mean of both: DStar trusts many failing tests more, Ochiai few passing ones."""
        return (self.ochiai + self.dstar) / 2


def _running(evidence: SearchEvidence) -> frozenset[Place]:
    """Return the lines of the functions that call tests, and that no test calls where it fails.

    They run other lines when a test fails, whatever the fault is; and an edit there can keep the
    runner from seeing failures.
    """
    around: set[TracebackFrame] = set()
    called: set[tuple[str, str]] = set()
    for error in evidence.errors:
        first = _first_of_test(error)
        around |= set(error.frames[:first])
        called |= {(frame.file, frame.function) for frame in error.frames[first:]}
    callers = {frame for frame in around if (frame.file, frame.function) not in called}
    return frozenset(place for caller in callers for place in _function(evidence, caller))


def _first_of_test(error: Error) -> int:
    """Return which frame is the first one of a test, 0 where none is."""
    files = [frame.file for frame in error.frames]
    return next((n for n, file in enumerate(files) if is_test_file(file)), 0)


def _function(evidence: SearchEvidence, frame: TracebackFrame) -> Iterator[Place]:
    """Yield the lines of the function that a frame is in."""
    try:
        tree = ast.parse(evidence.sources.get(frame.file, ""))
    except UNPARSABLE:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == frame.function:
            last = node.end_lineno or node.lineno
            if node.lineno <= frame.line <= last:
                yield from ((frame.file, line) for line in range(node.lineno, last + 1))
