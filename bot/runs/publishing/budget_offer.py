"""Decide whether a run that used up its budget may be offered more. Pure."""

from __future__ import annotations

from bot.model import Limits, Report, Verdict
from bot.model.money.accounts import AccountScope


def may_have_as_much_again(report: Report, limits: Limits) -> bool:
    """Return whether an approval could let a run continue.

    It could where the run's own budget ended it, and what it shares with other runs (its thread,
    repository, installation, the day) has room for all of another one.

    Args:
        report: Of the run.
        limits: Its budget.
    """
    if report.verdict is not Verdict.BUDGET_SPENT:
        return False
    shared = [
        balance for balance in report.balances if balance.account.scope is not AccountScope.RUN
    ]
    wanted = limits.cost_usd
    return wanted is None or all(
        balance.left is None or balance.left >= wanted for balance in shared
    )
