"""Decide whether a failed check is tried with the packages of the day when it ran. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.ci.evidence import JobEvidence
from bot.model import Cause
from bot.repair.reproduction.checks.verdict import CheckConclusion
from bot.reporting.reasons import package_dates


def worth_its_date(
    conclusion: CheckConclusion,
    evidence: JobEvidence,
    as_of: datetime | None,
    only_here: int = 0,
    *,
    unseen: bool = False,
) -> datetime | None:
    """Return the moment as of which a check may show its failure and no more; None for none.

    Args:
        conclusion: What the check shows here.
        evidence: Of it.
        as_of: The moment of its packages; None for today's.
        only_here: How many failures it shows here that GitHub's log does not have.
        unseen: Whether its command goes on with checks that GitHub skipped: newer tools would find
            in them what those of its day do not.
    """
    wanted = only_here or unseen or conclusion.cause is Cause.NOT_REPRODUCED
    if as_of is not None or not wanted:
        return None
    return min((step.started for step in evidence.steps if step.started), default=None)


def trying(today: CheckConclusion, only_here: int, check: str, moment: datetime) -> str:
    """Return the sentence with which a check is tried as of a moment."""
    if only_here:
        return package_dates.trying_for_less(check, moment)
    if shows_more(today):
        return package_dates.trying_for_skipped(check, moment)
    return package_dates.trying_as_of(check, moment)


def with_skipped(then: CheckConclusion, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check whose skipped steps are judged by the tools of its day."""
    return replace(then, reason=f"{then.reason} {package_dates.skipped_as_of(moment)}")


def shows_more(then: CheckConclusion) -> bool:
    """Whether the packages of its day show why a check failed, after today's did not."""
    return then.cause not in {Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE}


def shows_less(then: CheckConclusion, only_here: int, only_here_today: int) -> bool:
    """Whether the packages of its day show GitHub's failure with less beside it than today's."""
    return only_here < only_here_today and then.cause in {Cause.REAL, Cause.RED_ON_BASE}


def as_then(then: CheckConclusion, check: str, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check that fails with more than GitHub's failure today."""
    return replace(then, reason=f"{then.reason} {package_dates.less_as_of(check, moment)}")


def only_then(then: CheckConclusion, check: str, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check that fails with the packages of its day alone."""
    return replace(then, reason=f"{then.reason} {package_dates.fails_as_of(check, moment)}")


def neither(today: CheckConclusion, then: CheckConclusion, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check that no packages show the failure of."""
    told = package_dates.not_as_of_either(today.reason, then.reason, moment)
    return replace(today, reason=told)
