"""What the runs of a failed job show, and which of two tries counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bot.model import Cause, Observation, OtherFailure
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.checks.run_date import (
    as_then,
    neither,
    only_then,
    shows_less,
    shows_more,
    with_skipped,
)
from bot.repair.reproduction.checks.targets import CheckTarget
from bot.repair.reproduction.checks.verdict import CheckConclusion


@dataclass(frozen=True, slots=True)
class JobReproduction:
    """A failed job, its runs here, and the conclusion so far.

    Attributes:
        context: Its prepared tree; None when its setup fails.
        runs: Its command at the failing commit.
        conclusion: Why it fails.
        others: What fails here and not on GitHub.
        only_here: How many failures the command shows that GitHub's log does not have.
    """

    chosen: CheckTarget
    context: RepairContext | None
    runs: tuple[Observation, ...]
    conclusion: CheckConclusion
    others: tuple[OtherFailure, ...] = ()
    only_here: int = 0


def of_both(
    today: JobReproduction, then: JobReproduction, check: str, moment: datetime
) -> JobReproduction:
    """Return the try that counts: with today's packages, or with those of the day of the run."""
    found = then.conclusion
    if today.only_here:
        if not shows_less(found, then.only_here, today.only_here):
            return today
        return replace(then, conclusion=as_then(found, check, moment))
    if shows_more(today.conclusion):
        if found.cause is not Cause.REAL:
            return today
        return replace(then, conclusion=with_skipped(found, moment))
    if not shows_more(found):
        return replace(today, conclusion=neither(today.conclusion, found, moment))
    return replace(then, conclusion=only_then(found, check, moment))
