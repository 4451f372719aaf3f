"""Make several attempts of a model side by side, and take one of the patches that pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from bot.errors import ProviderError
from bot.model import Attempt, Reproduction, Usage
from bot.model.progress import AttemptFinished, Noticed, Phase, PhaseStarted
from bot.model.route import Route
from bot.model.steps import Steps
from bot.repair.attempts.attempt import Made
from bot.repair.attempts.candidates.parallel_attempts import Contest
from bot.repair.attempts.candidates.plan import share_of
from bot.repair.attempts.repository_map import map_repository
from bot.repair.loop import Try
from bot.repair.memory.recall import recalled_notes
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import attempts as reasons

T = TypeVar("T")


class StepsAtOnce:
    """Every step a light one: those are kept by name, the others by their order in the run."""

    def __init__(self, steps: Steps) -> None:
        """Say where they are kept."""
        self._steps = steps
        self.lasting = steps.lasting

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name`; see `bot.model.steps.Steps`."""
        return await self._steps.light(name, act, *args)

    light = __call__


@dataclass(frozen=True, slots=True)
class _Result:
    """What a batch came to: all that a restarted run has to know of it.

    Attributes:
        attempts: In order, those that were stopped too.
        usage: Of all of them.
        broke_off: Why the run must end, as a sentence, or "".
        reproduction: With the baseline that the first verification needed.
        error: Why no model answered any of them, or None.
    """

    attempts: tuple[Attempt, ...]
    usage: Usage
    broke_off: str
    reproduction: Reproduction | None
    error: ProviderError | None


async def make_batch(
    run: Run, context: RepairContext, move: Try, routes: Sequence[Route | None]
) -> Made:
    """Make an attempt by each of `routes`, side by side; see `make_attempt`.

    All of it is one step, whose own steps are kept by their names: a restarted run goes on with
    each attempt where it was, and does not decide anew what was decided.

    Raises:
        ProviderError: When no model answered any of them.
    """
    name, first = move.proposer.name, len(run.known.attempts) + 1
    key = f"{name} {len(run.known.tried)} side by side"
    await map_repository(run, context, move.proposer)
    last, share = first + len(routes) - 1, _share_usd(run, len(routes))
    said = reasons.begun(first, last, share)
    run.listener(PhaseStarted(Phase.ATTEMPT, attempt=first, detail=name))
    run.listener(Noticed(said))
    result = await run.steps(key, _held, run, context, move, tuple(routes), key)
    known = run.known
    known.tried.extend([name] * len(routes))
    known.spend(result.usage)
    known.reproduction = result.reproduction
    known.note(said, *recalled_notes(run, move))
    for attempt in result.attempts:
        known.note(*attempt.proposal.notes)
        known.attempts.append(attempt)
        run.listener(AttemptFinished(attempt))
    if result.error is not None:
        raise result.error
    taken = next((item for item in result.attempts if item.accepted), None)
    return Made(taken, "" if taken is not None else result.broke_off)


async def _held(
    run: Run, context: RepairContext, move: Try, routes: tuple[Route | None, ...], key: str
) -> _Result:
    """Hold the contest; nothing of the run is changed meanwhile but its money and its sandboxes."""
    apart = replace(run, known=replace(run.known), steps=StepsAtOnce(run.steps))
    contest = Contest(apart, context, move, routes, key)
    attempts = await contest.held()
    return _Result(
        attempts,
        contest.usage,
        contest.broke_off,
        apart.known.reproduction,
        contest.error,
    )


def _share_usd(run: Run, count: int) -> Decimal | None:
    """Return the dollars that each may spend; None where nothing limits them."""
    share = share_of(run.job.limits, run.known.usage, count).cost_usd
    spent = run.known.usage.cost_usd
    return None if share is None or spent is None else share - spent
