"""Decide whether a failed check is tried with the packages of the day when it ran. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.ci.evidence import JobEvidence
from bot.model import Cause
from bot.repair.checks.verdict import CheckConclusion
from bot.reporting.reasons import package_dates

_YOUNG = timedelta(days=1)
"""The packages of a run that is not older are as good as today's."""


def worth_its_date(
    conclusion: CheckConclusion, evidence: JobEvidence, as_of: datetime | None
) -> datetime | None:
    """Return the moment as of which a check may show its failure; None where there is none.

    Args:
        conclusion: What the check shows here.
        evidence: Of it.
        as_of: The moment of its packages; None for today's.
    """
    if as_of is not None or conclusion.cause is not Cause.NOT_REPRODUCED:
        return None
    return min((step.started for step in evidence.steps if step.started), default=None)


def is_old(moment: datetime, now: float) -> bool:
    """Whether packages have changed since; `now` is in seconds since the epoch."""
    return datetime.fromtimestamp(now, UTC) - moment > _YOUNG


def shows_more(then: CheckConclusion) -> bool:
    """Whether the packages of its day show why a check failed, after today's did not."""
    return then.cause not in {Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE}


def only_then(then: CheckConclusion, check: str, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check that fails with the packages of its day alone."""
    return replace(then, reason=f"{then.reason} {package_dates.fails_as_of(check, moment)}")


def neither(today: CheckConclusion, then: CheckConclusion, moment: datetime) -> CheckConclusion:
    """Return the conclusion of a check that no packages show the failure of."""
    told = package_dates.not_as_of_either(today.reason, then.reason, moment)
    return replace(today, reason=told)
