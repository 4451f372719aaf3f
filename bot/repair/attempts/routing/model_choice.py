"""Choose which model the next attempt asks, and tell everybody why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from bot.model import Attempt
from bot.model.progress import Noticed
from bot.model.proposers import ProposerTraits
from bot.model.route import ModelStrength, Route, Rung, RungRecord
from bot.repair.attempts.routing.difficulty import (
    Circumstances,
    Signal,
    difficulty,
    files_of,
    signals_of,
)
from bot.repair.loop import best_partial
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import attempts
from bot.reporting.reasons import attempts as reasons

_EASY, _HARD = -2, 3
"""Difficulty from which a run begins with the small model, or with the stronger one."""

_LEARNT_FROM = 4
"""Attempts of a rung in earlier runs, below which they say nothing."""

_RARELY, _MOSTLY = 0.3, 0.7
"""Smoothed share of a rung's attempts that held."""


class Went(StrEnum):
    """How an attempt of a model went that was not accepted."""

    NOTHING = "nothing"
    NO_BETTER = "no better"
    BETTER = "better"


@dataclass(frozen=True, slots=True)
class Past:
    """An attempt of this run that asked a model."""

    strength: ModelStrength
    went: Went


def next_rung(
    rungs: Sequence[Rung],
    signals: tuple[Signal, ...],
    records: Sequence[RungRecord],
    past: Sequence[Past],
    left: Decimal | None,
) -> Route:
    """Return which model the next attempt asks.

    Args:
        rungs: The configured models, small to large.
        signals: What makes the failure look easy or hard.
        records: What became of the rungs in earlier runs of the repository.
        past: Attempts of this run, in order.
        left: Dollars that the run may still spend; None where nothing limits it.
    """
    if len(rungs) <= 1:
        return Route(rungs[0].strength if rungs else ModelStrength.DEFAULT)
    place, why = _climbed(rungs, past) if past else _first(rungs, signals, records)
    afforded = _affordable(rungs, place, left)
    rung = rungs[place if afforded is None else afforded]
    if afforded is not None and afforded != place:
        why = reasons.not_covered(rungs[place].model, rungs[place].first_call_usd, left)
    return Route(rung.strength, reason=why)


def past_of(attempts: Sequence[Attempt], failing_before: frozenset[str]) -> tuple[Past, ...]:
    """Return how the attempts went that asked a model, in order."""
    return tuple(
        Past(attempt.route.strength, went(attempt, failing_before))
        for attempt in attempts
        if attempt.route is not None
    )


def went(attempt: Attempt, failing_before: frozenset[str]) -> Went:
    """Return how an attempt went that was not accepted."""
    verification = attempt.verification
    if not attempt.proposal.patch or verification is None:
        return Went.NOTHING
    target = verification.target
    if target is None or verification.new_failures or verification.problem:
        return Went.NO_BETTER
    return Went.BETTER if target.failing_ids < failing_before else Went.NO_BETTER


def _first(
    rungs: Sequence[Rung], signals: tuple[Signal, ...], records: Sequence[RungRecord]
) -> tuple[int, str]:
    """Return the rung to begin with: by how the failure looks, and by what was learnt here."""
    points = difficulty(signals)
    wanted = ModelStrength.DEFAULT
    if points <= _EASY:
        wanted = ModelStrength.SMALL
    elif points >= _HARD:
        wanted = ModelStrength.STRONGER
    place = _place(rungs, wanted)
    learnt = {record.strength: record for record in records if record.tried >= _LEARNT_FROM}
    below = learnt.get(rungs[place - 1].strength) if place else None
    if below is not None and _share(below) >= _MOSTLY:
        return place - 1, reasons.mostly_accepted(below)
    here = learnt.get(rungs[place].strength)
    if here is not None and _share(here) < _RARELY and place + 1 < len(rungs):
        return place + 1, reasons.rarely_accepted(rungs[place].model, here)
    return place, reasons.looks(tuple(signal.value for signal in signals))


def _climbed(rungs: Sequence[Rung], past: Sequence[Past]) -> tuple[int, str]:
    """Return the rung after these attempts: up after one without a patch, or two in vain."""
    last = past[-1]
    place, top = _place(rungs, last.strength), len(rungs) - 1
    if last.went is Went.BETTER:
        return place, reasons.MADE_PROGRESS
    same = [item for item in past[-2:] if item.strength is last.strength and item.went is last.went]
    if last.went is Went.NO_BETTER and len(same) == 1:
        return place, reasons.ONCE_MORE
    if place == top:
        return place, reasons.NOTHING_LARGER
    if last.went is Went.NOTHING:
        return place + 1, reasons.no_patch(rungs[place].model)
    return place + 1, reasons.no_progress(rungs[place].model, len(same))


def _affordable(rungs: Sequence[Rung], place: int, left: Decimal | None) -> int | None:
    """Return the largest rung from `place` down whose first call is covered, if any is."""
    for index in range(place, -1, -1):
        usd = rungs[index].first_call_usd
        if left is None or usd is None or usd <= left:
            return index
    return None


def _place(rungs: Sequence[Rung], wanted: ModelStrength) -> int:
    """Return where that strength is among the rungs, or the nearest one to the default."""
    strengths = [rung.strength for rung in rungs]
    if wanted in strengths:
        return strengths.index(wanted)
    return 0 if wanted is ModelStrength.SMALL else len(rungs) - 1


def _share(record: RungRecord) -> float:
    """Return the share of attempts that held, with one success and one failure more than were seen.

    What people closed or reverted did not hold, and what they merged counts twice: they know more
    than the tests.
    """
    held = record.accepted - record.undone + record.merged
    return (held + 1) / (record.tried + record.merged + 2)


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
