"""Take a person's answer to a waiting run and let the run continue, even days later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

import structlog

from bot.background import again_and_again
from bot.model import Verdict
from bot.model.request import FixRequest
from bot.storage.approvals import ApprovalAnswer, ApprovalStore, specification_question
from bot.storage.runs import RunRecord, RunStatus, RunStore

EVERY = 300.0
"""Seconds between two looks for questions that nobody answered in time."""

_log = structlog.get_logger(__name__)


class GoOn(Protocol):
    """Lets a waiting run continue; to ask twice changes nothing."""

    async def __call__(self, request: FixRequest, *, specified: bool) -> None:
        """Continue behind the specification, or else behind the patch that waited."""
        ...


class Approvals:
    """Lets waiting runs continue: at once with an answer, or without one when it is overdue.

    What an earlier process kept and did not act on is found by the first look.
    """

    def __init__(
        self,
        runs: RunStore,
        store: ApprovalStore,
        go_on: GoOn,
        start: Callable[[FixRequest], Awaitable[None]],
        *,
        every: float = EVERY,
    ) -> None:
        """Describe what answers act on.

        Args:
            runs: All runs.
            store: Of questions.
            go_on: Lets a waiting run continue.
            start: Starts a run.
            every: Seconds between two looks.
        """
        self._runs = runs
        self._store = store
        self._go_on = go_on
        self._start = start
        self._every = every

    async def asks(self, run: RunRecord) -> bool:
        """Return whether an answer is wanted: a run waits for it, or is over and could be continued."""
        if run.status is not RunStatus.DONE:
            return run.status is RunStatus.WAITING
        asked = await self._store.get(run.id)
        return (
            run.verdict is Verdict.BUDGET_SPENT
            and asked is not None
            and asked.answer is None
            and asked.until > datetime.now(UTC)
        )

    async def answer(self, run_id: str, answer: ApprovalAnswer, by: str) -> None:
        """Keep the answer and let the run continue; the first answer counts.

        A run that asked about a tool hears of it by itself: it is still at work, and waits until it
        has heard. A second answer that comes meanwhile is to no question; a no still ends the run.
        """
        run = await self._runs.get(run_id)
        if run is not None and run.status is RunStatus.DONE:
            await self._answer_offer(run, answer, by)
            return
        if run is not None and (question := await self._store.open_question(run_id)) is not None:
            await self._store.answer(question, answer, by)
            if question == specification_question(run_id):
                await self._go_on(run.request, specified=True)
                return
            if answer is ApprovalAnswer.REJECTED:
                await self._runs.request_stop(run_id)
            return
        if run is not None and await self._store.get(run_id) is not None:
            await self._store.answer(run_id, answer, by)
            await self._go_on(run.request, specified=False)
        elif answer is ApprovalAnswer.REJECTED:
            await self._runs.request_stop(run_id)

    async def _answer_offer(self, run: RunRecord, answer: ApprovalAnswer, by: str) -> None:
        """Start what continues a run that is over; remembered before the answer is kept."""
        if not await self.asks(run):
            return
        request = run.request.continued(by, datetime.now(UTC))
        if answer is ApprovalAnswer.APPROVED:
            await self._runs.create(request, run.delivery_id)
        await self._store.answer(run.id, answer, by)
        if answer is ApprovalAnswer.APPROVED:
            await self._start(request)

    async def look(self) -> None:
        """Continue runs that have an answer or have waited long enough."""
        for run in await self._runs.active():
            if run.status is not RunStatus.WAITING:
                continue
            await self._look_at(run)

    async def _look_at(self, run: RunRecord) -> None:
        """Continue a waiting run by the answer to its last question, if there is one."""
        patch = await self._store.get(run.id)
        approval = patch or await self._store.get(specification_question(run.id))
        if approval is None:
            return
        if approval.answer is None and approval.until <= datetime.now(UTC):
            await self.answer(run.id, ApprovalAnswer.EXPIRED, "")
        elif approval.answer is not None:
            await self._go_on(run.request, specified=patch is None)

    async def keep_looking(self, turn: Callable[[], Awaitable[object]] | None = None) -> None:
        """Look for ever, when it is this server's turn."""
        await again_and_again(
            self.look, pause=self._every, failed="waiting runs not looked for", turn=turn
        )
