"""Add up what a repair has cost: the run that published it, and those that it follows."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from bot.intake.followup_policy import Spent
from bot.storage.runs import RunRecord, RunStore


async def spent_by(runs: RunStore, run: RunRecord, in_vain: Iterable[RunRecord] = ()) -> Spent:
    """Return what runs used: only attempts that were made.

    Args:
        runs: Where those are that a run follows.
        run: The last one that published something.
        in_vain: Later ones that published nothing; each counts as an attempt at least.
    """
    attempts, cost, unknown = 0, Decimal(0), False
    at: RunRecord | None = run
    chain: list[tuple[RunRecord, int]] = [(one, 1) for one in in_vain]
    while at is not None:
        chain.append((at, 0))
        before = at.request.follows
        at = await runs.get(before) if before is not None else None
    for one, least in chain:
        made = len(one.report.attempts) if one.report is not None else 0
        attempts += max(made, least)
        unknown = unknown or one.cost_usd is None
        cost += one.cost_usd or Decimal(0)
    return Spent(attempts, None if unknown else cost)
