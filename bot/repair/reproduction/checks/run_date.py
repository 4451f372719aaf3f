"""Decide whether a failed check is tried with the packages of the day when it ran, and which try counts. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.ci.evidence import JobEvidence
from bot.model import Cause
from bot.repair.reproduction.checks.verdict import CheckConclusion
from bot.reporting.reason import because
from bot.reporting.reasons import package_dates


def worth_its_date(
    today: CheckConclusion,
    evidence: JobEvidence,
    as_of: datetime | None,
    *,
    unseen: bool = False,
) -> datetime | None:
    """Return the moment as of which a check may show its failure and no more; None for none.

    Args:
        today: What the check shows here.
        evidence: Of it.
        as_of: The moment of its packages; None for today's.
        unseen: Whether its command goes on with checks that GitHub skipped: newer tools would find
            in them what those of its day do not.
    """
    wanted = today.only_here or unseen or today.cause is Cause.NOT_REPRODUCED
    if as_of is not None or not wanted:
        return None
    return min((step.started for step in evidence.steps if step.started), default=None)


def trying(today: CheckConclusion, check: str, moment: datetime) -> str:
    """Return the sentence with which a check is tried as of a moment."""
    if today.only_here:
        return package_dates.trying_for_less(check, moment)
    if _shows(today):
        return package_dates.trying_for_skipped(check, moment)
    return package_dates.trying_as_of(check, moment)


def of_both(
    today: CheckConclusion, then: CheckConclusion, check: str, moment: datetime
) -> tuple[bool, CheckConclusion]:
    """Return whether the packages of its day count, and what both tries of a check say together.

    They count where they show GitHub's failure with less beside it, or alone show it; and for steps
    that GitHub skipped.
    """
    if today.only_here:
        shows_less = then.only_here < today.only_here and then.cause in _SHOWN
        reason = because(package_dates.less_as_of, check, moment)
    elif _shows(today):
        shows_less = then.cause is Cause.REAL
        reason = because(package_dates.skipped_as_of, moment)
    elif _shows(then):
        shows_less, reason = True, because(package_dates.fails_as_of, check, moment)
    else:
        neither = (*today.reasons, because(package_dates.not_then_either, moment), *then.reasons)
        return False, replace(today, reasons=neither)
    return (True, replace(then, reasons=(*then.reasons, reason))) if shows_less else (False, today)


_SHOWN = (Cause.REAL, Cause.RED_ON_BASE)


def _shows(conclusion: CheckConclusion) -> bool:
    """Whether a try shows why a check failed."""
    return conclusion.cause not in {Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE}
