"""Let attempts work side by side, verify each as it comes, and stop the rest once one is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from bot.errors import BudgetExhausted, ProviderError
from bot.model import Attempt, Patch, Proposal, Usage
from bot.model.money.accounts import Amount, Balance
from bot.model.money.budget import Shortage, affordable
from bot.model.money.reservations import Reservations
from bot.model.progress import (
    CommandOutput,
    Phase,
    PhaseStarted,
    Planned,
    Progress,
    SideBySide,
    Spent,
    TurnFinished,
    UnderWay,
)
from bot.model.route import Route
from bot.model.steps import now
from bot.repair.attempts.attempt import (
    Proposed,
    propose,
    verified_attempt,
)
from bot.repair.attempts.candidates.patch_choice import (
    agreements,
    believed,
    chosen,
)
from bot.repair.attempts.candidates.patch_comparison import (
    behaviour_of,
    crossed,
)
from bot.repair.attempts.candidates.plan import share_of
from bot.repair.loop import Try
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import attempts as reasons
from sandbox.base import SandboxError


class Share:
    """`Reservations` of one attempt: a call has to fit into its share, and into the run's accounts.

    What it reserved is known here, so that an attempt that is stopped leaves no call open.
    """

    def __init__(self, whole: Reservations) -> None:
        """Say what pays in the end."""
        self._whole = whole
        self._open: dict[str, Amount] = {}
        self.sandbox_seconds = whole.sandbox_seconds

    async def reserve(self, call: str, offers: Sequence[Amount], own: Balance) -> int:
        """Reserve the first offer that the share and the run's accounts cover; see `Reservations`."""
        first = affordable([own], offers)
        if isinstance(first, Shortage):
            first.refuse()
        chosen = first + await self._whole.reserve(call, offers[first:], own)
        self._open[call] = offers[chosen]
        return chosen

    def settle(self, call: str, usage: Usage | None) -> None:
        """Say what a call cost; see `Reservations`."""
        self._open.pop(call, None)
        self._whole.settle(call, usage)

    def use_sandbox(self, seconds: float) -> None:
        """Record how long a command ran."""
        self._whole.use_sandbox(seconds)

    def abandon(self) -> Usage:
        """Take what calls under way reserved for spent, and return it: nobody tells their cost."""
        lost = Usage()
        for call, amount in self._open.items():
            self._whole.settle(call, None)
            lost += Usage(input=amount.tokens, cost_usd=amount.usd, calls=1)
        self._open = {}
        return lost


@dataclass(slots=True)
class _Contender:
    """One of the attempts; its events are told when it is over, so that they stay together."""

    n: int
    route: Route | None
    run: Run
    share: Share
    before: Usage
    shown: UnderWay
    events: list[Progress] = field(default_factory=list)
    attempt: Attempt | None = None
    lost: Usage = field(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """What it cost, with what a call that was stopped may have cost."""
        return self.run.known.usage - self.before + self.lost


class Contest:
    """Attempts side by side, in one process.

    Attributes:
        broke_off: Why the run must end, as a sentence: no attempt could go on. Else "".
        error: Why no model answered, if that is how every attempt ended.
    """

    def __init__(
        self,
        run: Run,
        context: RepairContext,
        move: Try,
        routes: Sequence[Route | None],
        key: str,
    ) -> None:
        """Say what each attempt works with.

        Args:
            run: Whose steps may end in any order.
            context: Of the run.
            move: Whom to ask.
            routes: How each attempt asks.
            key: Front of the names of the contest's own steps.
        """
        self._run = run
        self._context = context
        self._move = move
        self._key = key
        self._started = 0.0
        self._ends: list[str] = []
        self._errors: list[ProviderError] = []
        self._contenders = [
            self._contender(place, route, len(routes)) for place, route in enumerate(routes)
        ]

    @property
    def usage(self) -> Usage:
        """Of all attempts."""
        return sum((contender.usage for contender in self._contenders), Usage())

    @property
    def broke_off(self) -> str:
        """Why the run must end; "" while an attempt came to an end of its own."""
        return self._ends[-1] if len(self._ends) == len(self._contenders) else ""

    @property
    def error(self) -> ProviderError | None:
        """Why no model answered any of them."""
        return self._errors[-1] if len(self._errors) == len(self._contenders) else None

    async def held(self) -> tuple[Attempt, ...]:
        """Hold it, and return the attempts in order, one of them taken if any passes."""
        self._started = await self._run.steps(f"{self._key}: start", now)
        works = {
            asyncio.create_task(
                propose(contender.run, self._context, self._move, contender.n, contender.route)
            ): contender
            for contender in self._contenders
        }
        try:
            await self._verify_as_they_come(works)
        except (
            Exception
        ):  # of the run, whoever met it first; one that is cancelled goes on elsewhere
            await _ended(works)
            await self._drop(self._contenders)
            raise
        finally:
            await _ended(works)
        await self._stop_others()
        attempts = await self._ranked()
        for contender in self._contenders:
            for event in contender.events:
                self._run.listener(event)
        return attempts

    def _contender(self, place: int, route: Route | None, count: int) -> _Contender:
        run, name = self._run, self._move.proposer.name
        share, events = Share(run.reservations), list[Progress]()
        n = len(run.known.attempts) + 1 + place

        def hear(event: Progress, /) -> None:
            if not isinstance(event, CommandOutput):
                events.append(event)
                self._show(contender, advanced(contender.shown, event))

        known = replace(
            run.known,
            tried=[*run.known.tried, *[name] * place],
            notes=[],
            on_spent=lambda _: self._tell_spent(),
        )
        alone = replace(
            run,
            known=known,
            listener=hear,
            reservations=share,
            job=replace(run.job, limits=share_of(run.job.limits, known.usage, count)),
        )
        contender = _Contender(n, route, alone, share, known.usage, UnderWay(n), events)
        return contender

    def _show(self, contender: _Contender, now: UnderWay) -> None:
        """Tell those who watch how far each attempt is, where one of them got further."""
        if now != contender.shown:
            contender.shown = now
            self._run.listener(SideBySide(tuple(item.shown for item in self._contenders)))

    def _tell_spent(self) -> None:
        self._run.listener(Spent(self._run.known.usage + self.usage))

    async def _verify_as_they_come(
        self, works: Mapping[asyncio.Task[Proposed], _Contender]
    ) -> None:
        pending = set(works)
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda item: works[item].n):
                contender = works[task]
                contender.attempt = await self._verified(contender, task)
                self._show(contender, replace(contender.shown, phase=Phase.DONE))
                others = [entry.attempt for entry in self._contenders if entry.attempt is not None]
                others.remove(contender.attempt)
                if believed(contender.attempt, others):
                    return

    async def _verified(self, contender: _Contender, task: asyncio.Task[Proposed]) -> Attempt:
        """Return an attempt whose proposer is done. One verification at a time: they share a baseline."""
        try:
            proposed = task.result()
        except ProviderError as error:
            self._errors.append(error)
            return self._without_patch(contender, str(error))
        contender.run.known.reproduction = self._run.known.reproduction
        attempt, out_of_time = await verified_attempt(
            contender.run, self._context, self._move, proposed, contender.route
        )
        self._run.known.reproduction = contender.run.known.reproduction
        if proposed.broke_off or out_of_time:
            self._ends.append(proposed.broke_off or out_of_time)
        return attempt

    async def _stop_others(self) -> None:
        """End the attempts that were under way when another one was believed."""
        stopped = [contender for contender in self._contenders if contender.attempt is None]
        if not stopped:
            return
        await self._drop(stopped)
        ended = await self._run.steps(f"{self._key}: stopped", now)
        winner = next(item.n for item in self._contenders if item.attempt and item.attempt.accepted)
        for item in stopped:
            attempt = self._without_patch(item, reasons.stopped(winner))
            item.attempt = replace(attempt, seconds=ended - self._started)

    async def _drop(self, stopped: Sequence[_Contender]) -> None:
        """Leave neither a call nor a sandbox open."""
        for contender in stopped:
            contender.lost += contender.share.abandon()
            place = len(self._run.known.tried) + self._contenders.index(contender)
            name = f"{self._run.job.run_id}-{self._move.proposer.name}-{place}"
            with suppress(SandboxError):
                await self._run.tools.sandboxes.remove(name)

    def _without_patch(self, contender: _Contender, why: str) -> Attempt:
        return Attempt(
            n=contender.n,
            proposer=self._move.proposer.name,
            proposal=Proposal(Patch(), summary="", usage=contender.usage, ended=why),
            verification=None,
            failing_before=self._run.known.named_before,
            seconds=0.0,
            started=datetime.fromtimestamp(self._started, UTC),
            route=contender.route,
        )

    async def _ranked(self) -> tuple[Attempt, ...]:
        """Return the attempts; where several pass, they were run against each other."""
        attempts = [
            contender.attempt for contender in self._contenders if contender.attempt is not None
        ]
        passing = [attempt for attempt in attempts if attempt.accepted]
        if len(passing) < 2:  # noqa: PLR2004 - a patch alone needs no comparison
            return tuple(attempts)
        behaviour, crossings = {}, {}
        if len({attempt.proposal.patch.data for attempt in passing}) > 1:
            with suppress(BudgetExhausted):  # then what is known decides
                behaviour = await behaviour_of(self._run, self._context, self._key, passing)
                crossings = await crossed(self._run, self._context, self._key, passing)
        ranked = {
            attempt.n: attempt for attempt in chosen(passing, agreements(behaviour), crossings)
        }
        return tuple(ranked.get(attempt.n, attempt) for attempt in attempts)


def advanced(shown: UnderWay, event: Progress) -> UnderWay:
    """Return how far an attempt is after something happened in it."""
    match event:
        case PhaseStarted(phase):
            return replace(shown, phase=phase)
        case TurnFinished(turn=turn, model=model, action=action, usage=usage):
            return replace(shown, turn=turn, model=model, action=action, usage=usage)
        case Planned(steps=steps):
            return replace(shown, plan=steps)
        case _:
            return shown


async def _ended(works: Mapping[asyncio.Task[Proposed], _Contender]) -> None:
    """Cancel what is under way, and wait until it has ended."""
    for task in works:
        task.cancel()
    await asyncio.gather(*works, return_exceptions=True)
