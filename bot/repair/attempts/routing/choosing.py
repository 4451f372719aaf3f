"""Choose which model the next attempt asks, and tell everybody why."""

from __future__ import annotations

from decimal import Decimal

from bot.model.progress import Noticed
from bot.model.proposers import ProposerTraits
from bot.model.route import ModelStrength, Route, RungRecord
from bot.repair.attempts.routing.rungs import (
    next_rung,
    past_of,
)
from bot.repair.attempts.routing.signals import (
    Circumstances,
    Signal,
    files_of,
    signals_of,
)
from bot.repair.loop import best_partial
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import attempts

_FILES = 30
"""Of those that the failures name, the size is read."""


async def choose_route(run: Run, context: RepairContext, proposer: ProposerTraits) -> Route | None:
    """Return how the next attempt asks a model; None for a proposer that asks none."""
    if not proposer.needs_model:
        return None
    route = next_rung(
        run.rungs,
        await _signals(run, context),
        await _records(run),
        past_of(run.known.attempts, run.known.failing_before),
        money_left(run),
    )
    chosen_before = any(
        attempt.route is not None and attempt.route.reason for attempt in run.known.attempts
    )
    if route.reason and (route.strength is not ModelStrength.DEFAULT or chosen_before):
        names = {rung.strength: rung.model for rung in run.rungs}
        run.listener(Noticed(attempts.chosen(names[route.strength], route.reason)))
    return route


def money_left(run: Run) -> Decimal | None:
    """Return the dollars that the run may still spend; None where nothing limits them."""
    cap, spent = run.job.limits.cost_usd, run.known.usage.cost_usd
    return None if cap is None or spent is None else cap - spent


async def _signals(run: Run, context: RepairContext) -> tuple[Signal, ...]:
    known = run.known
    if known.reproduction is None or len(run.rungs) <= 1:
        return ()
    paths = files_of(known.reproduction.observation)[:_FILES]
    found = await context.source.store.files(context.prepared.tree, paths) if paths else {}
    return signals_of(
        Circumstances(
            known.reproduction,
            file_bytes=sum(map(len, found.values())),
            clues=bool(known.clues),
            improved=best_partial(known.attempts, known.failing_before) is not None,
        )
    )


async def _records(run: Run) -> tuple[RungRecord, ...]:
    """Return what earlier runs of the repository show; asked once, before the first attempt."""
    history = run.tools.history
    if history is None or not run.job.identity or len(run.rungs) <= 1:
        return ()
    if any(attempt.route is not None for attempt in run.known.attempts):
        return ()  # how this run's attempts went decides from now on
    return await run.steps(
        f"records of models {len(run.known.tried)}", history.records, run.job.identity
    )
