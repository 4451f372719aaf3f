"""Prove that a release is the cause: runs with it and without it, all other packages at the same versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from bot.model.culprit import Certainty, ChangeEvent, Culprit, EventKind, RunCounts
from bot.repair.culprit.bisection import Answer, Boundary, StateLine, StateRun, next_question
from bot.repair.culprit.package_runs import PackageRuns, PackageSet, ReleaseOutcome, Upload
from bot.reporting.reasons import releases as said

_PROOF = 2
"""Times that tests fail with a release and pass without it before it is proven."""

FAILURES = 5
"""Runs with a release that have to fail once it is suspected: a test that fails by chance in one of
five runs does that once in 3,000 times, and many states are looked at."""

_MOST_RUNS = 40
"""Of both sides together."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How often the tests failed and passed with a release and without it, and whether that tells."""

    with_it: RunCounts
    without_it: RunCounts
    is_sure: bool = False


async def confirmed(walk: PackageRuns, bad: PackageSet, good: PackageSet | None) -> Evidence:
    """Run the tests with a release and without it until the odds tell, as in `walk.py`.

    The runs that led here don't count: of many states, it is one that failed in them.
    """
    if good is None or walk.aim is ReleaseOutcome.OTHERWISE:
        return Evidence(walk.counts_of(bad), RunCounts() if good is None else walk.counts_of(good))
    sides = (good, bad)
    first = [walk.counts_of(side) for side in sides]
    answer: Answer = StateRun(0)
    for n in range(_MOST_RUNS):
        answer = StateRun(n) if n < len(sides) else next_question(_line(walk, sides, first))
        fails = walk.counts_of(bad).failed - first[1].failed
        if isinstance(answer, Boundary) and answer.is_sure and fails < FAILURES:
            answer = StateRun(1)
        if not isinstance(answer, StateRun):
            break
        side = sides[answer.place]
        before = walk.counts_of(side)
        await walk.outcome(side, said.AGAIN, again=True)
        if walk.counts_of(side) == before:
            break  # the tests did not run, or fail otherwise
    is_sure = isinstance(answer, Boundary) and answer.is_sure
    return Evidence(walk.counts_of(bad), walk.counts_of(good), is_sure=is_sure)


def _line(walk: PackageRuns, sides: Sequence[PackageSet], first: Sequence[RunCounts]) -> StateLine:
    """Return what the two sides have shown beside their first runs."""
    seen = {}
    for n, (side, before) in enumerate(zip(sides, first, strict=True)):
        now = walk.counts_of(side)
        seen[n] = RunCounts(now.failed - before.failed, now.passed - before.passed)
    return StateLine(len(sides), seen, good=0)


def release_event(
    name: str, before: str | None, after: str | None, uploads: Sequence[Upload]
) -> ChangeEvent:
    """Return the step from a version to the next as what happened, on the day of its upload."""
    at = (item.moment for item in uploads if (item.package, item.version) == (name, after))
    moment = next(at, None)
    date = moment.astimezone(UTC).isoformat(timespec="seconds") if moment else ""
    return ChangeEvent(EventKind.RELEASE, name, before or "", after or "", date=date)


def culprit_of(
    tests: tuple[str, ...],
    event: ChangeEvent,
    evidence: Evidence,
    *,
    alone: bool,
    narrow: bool,
    aim: ReleaseOutcome,
) -> Culprit:
    """Return what an event explains, proven where nothing is missing of a proof."""
    missing, with_it, without_it = "", evidence.with_it, evidence.without_it
    if aim is ReleaseOutcome.OTHERWISE:
        missing = said.FAILS_OTHERWISE_WITHOUT
    elif with_it.failed < _PROOF or without_it.passed < _PROOF:
        missing = said.too_few_runs(with_it.failed, without_it.passed)
    elif not evidence.is_sure:
        missing = said.VARIES
    elif not alone:
        missing = said.NOT_ALONE
    elif not narrow:
        missing = said.RELEASES_SKIPPED
    certainty = Certainty.LIKELY if missing else Certainty.PROVEN
    return Culprit(event, certainty, tests, with_it, without_it, missing)
