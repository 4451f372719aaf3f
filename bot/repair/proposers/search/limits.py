"""What a search may take: edits, and the time of a test with one, learned from what tests take without.

Edits decide what is found. Seconds end what takes too long.
"""

from __future__ import annotations

import math

from bot.repair.proposers.search.evidence import SearchEvidence

_LEAST = 0.04
"""Seconds of processor time: less is lost in noise."""

_SLOWER = 10
"""How many times the usual time a test may take."""

_AGAIN = 1.5
"""How much longer than its failure a slow test may take to pass."""

_MANY = 3
_MOST = 0.8

_UNKNOWN = 0.08
"""Seconds where no test passes, so that nothing is known of the usual time.

Where a test never ends, most candidates do not either, so what this costs it costs many times; those
that are too slow for it get more time later.
"""

_SHARE = 0.8
"""Of the run's time, the most that a search may take: the verification comes after it."""

_LINES = 3 * 10**9
"""Lines of the project that all edits together may run: some minutes of work."""

_FEWEST = 500
"""Edits that are tried however long the tests are."""


def wall_seconds(most: float, *, load: float, left: float) -> float:
    """Return the seconds of wall time that a search may take: on a busy machine, more of them.

    Args:
        most: On a machine that does nothing else.
        load: Processes that want each processor.
        left: Seconds of the run.
    """
    return min(most * max(1.0, load), _SHARE * left)


def edits_to_try(evidence: SearchEvidence, most: int) -> int:
    """Return how many edits a search tries: fewer where each has many lines to run.

    Lines are counted and seconds are not, so that a busy machine tries the same.
    """
    run = evidence.lines_run
    lines = [run.get(test.index, 0) for test in evidence.failing if test.outcome == "failed"]
    return min(most, max(_FEWEST, _LINES // max(1, min(lines, default=1))))


def time_limits(evidence: SearchEvidence, factor: float = 1.0) -> dict[str, float]:
    """Return the seconds of processor time that each test may take, by id."""
    usual = usual_limit(evidence)
    quick = any(0 < seen_test.seconds <= usual for seen_test in evidence.failing)
    limits = {}
    for test in evidence.tests.values():
        own = 0.0 if test.outcome in {"hanging", "crashed"} else test.seconds
        limit = max(_LEAST, _SLOWER * own)
        if test.outcome != "passed":
            limit = _failing(own, usual, quick=quick)
        limits[test.id] = round(factor * limit, 3)
    return limits


def usual_limit(evidence: SearchEvidence) -> float:
    """Return the limit of a test that has never passed: what most of those like it stay below.

    The slowest ones say little of it, and candidates that never end use all of it.
    """
    near = {test.file for test in evidence.failing}
    passing = sorted(test.seconds for test in evidence.passing if test.file in near)
    passing = passing or sorted(test.seconds for test in evidence.passing)
    if len(passing) >= _MANY:
        passing.pop()  # the first test of all pays for what is done once
    return (
        max(_LEAST, _SLOWER * passing[math.ceil(_MOST * (len(passing) - 1))])
        if passing
        else _UNKNOWN
    )


def _failing(own: float, usual: float, *, quick: bool) -> float:
    """Return the limit of a failing test: one that fails late may have waited for its own limit.

    Where others fail quickly, few candidates come to it, so that it may take its time.
    """
    return max(usual, min(3 * own, _SLOWER * usual), _AGAIN * own if quick else 0.0)
