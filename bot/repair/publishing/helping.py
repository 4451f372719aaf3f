"""Decide whether a run whose budget is spent may be offered as much again. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.repair.model import Limits, Report, Verdict
from bot.repair.money.accounts import Scope


@dataclass(frozen=True, slots=True)
class Offer:
    """As much again as a run had, for which a person's approval is enough.

    Attributes:
        limits: What there is to spend.
        role: The least role that may approve.
        until: When the offer ends, UTC.
    """

    limits: Limits
    role: str
    until: datetime


def may_have_as_much_again(report: Report, limits: Limits) -> bool:
    """Return whether an approval could let a run go on.

    It could where the run's own budget ended it, and what it shares with other runs (its thread,
    repository, installation, the day) has room for all of another one.

    Args:
        report: Of the run.
        limits: Its budget.
    """
    if report.verdict is not Verdict.BUDGET_SPENT:
        return False
    shared = [one for one in report.balances if one.account.scope is not Scope.RUN]
    wanted = limits.cost_usd
    return wanted is None or all(one.left is None or one.left >= wanted for one in shared)
