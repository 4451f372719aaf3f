"""Add up what a repair has cost: the run that published it, and those that it follows."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from bot.intake.followup_policy import ChainSpending
from bot.storage.runs import RunRecord, RunStore


async def spent_by(runs: RunStore, run: RunRecord) -> ChainSpending:
    """Return what a run used, with those that it follows: only attempts that were made."""
    chain = await _chain(runs, run)
    return ChainSpending(sum(map(_attempts, chain)), _cost(chain))


async def spent_in_vain(
    runs: RunStore, run: RunRecord, failed: Iterable[RunRecord]
) -> ChainSpending:
    """Return what a repair has cost, and which attempts led nowhere.

    Args:
        runs: Where those are that the run follows.
        run: The last one that published something.
        failed: Later ones that did not; each is an attempt at least.
    """
    chain, failed = await _chain(runs, run), list(failed)
    attempts = sum(_attempts(record) - _published(record) for record in chain)
    attempts += sum(max(1, _attempts(record)) for record in failed)
    return ChainSpending(attempts, _cost([*chain, *failed]))


async def _chain(runs: RunStore, run: RunRecord) -> list[RunRecord]:
    found: list[RunRecord] = []
    at: RunRecord | None = run
    while at is not None:
        found.append(at)
        before = at.request.follows
        at = await runs.get(before) if before is not None else None
    return found


def _attempts(run: RunRecord) -> int:
    return len(run.report.attempts) if run.report is not None else 0


def _published(run: RunRecord) -> int:
    attempts = run.report.attempts if run.report is not None else ()
    return sum(attempt.accepted for attempt in attempts)


def _cost(chain: Iterable[RunRecord]) -> Decimal | None:
    costs = [run.cost_usd for run in chain]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None
