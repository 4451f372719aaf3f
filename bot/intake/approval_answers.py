"""Take a person's answer to a waiting run and let the run continue, even days later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol

import structlog

from bot.background import again_and_again
from bot.model import Verdict
from bot.model.questions import Question, specification_key
from bot.model.request import FixRequest
from bot.storage.approvals import ApprovalAnswer, ApprovalStore
from bot.storage.runs import RunRecord, RunStatus, RunStore

EVERY = 300.0
"""Seconds between two looks for questions that nobody answered in time."""

_log = structlog.get_logger(__name__)


class ResumeRun(Protocol):
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
        go_on: ResumeRun,
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

    async def open_of(self, run: RunRecord) -> tuple[Question, ...]:
        """Return what a run asks people: while it waits, or when it is over and could be continued."""
        if run.status is RunStatus.WAITING:
            return await self._store.open_of(run.id)
        if run.status is not RunStatus.DONE or run.verdict is not Verdict.BUDGET_SPENT:
            return ()
        asked = await self._store.get(run.id)
        is_open = (
            asked is not None and asked.answer is None and asked.question.until > datetime.now(UTC)
        )
        return (asked.question,) if asked is not None and is_open else ()

    async def answer(self, question: Question, answer: ApprovalAnswer, by: str) -> None:
        """Keep the answer to a question and let its run continue; the first answer counts.

        A run that asked about a tool hears of it by itself: it is still at work, and waits until it
        has heard; a no ends it.
        """
        run = await self._runs.get(question.run_id)
        if run is None:
            return
        if run.status is RunStatus.DONE:
            await self._answer_offer(run, answer, by)
            return
        counts = await self._store.answer(question.key, answer, by)
        if question.key == specification_key(run.id):
            await self._go_on(run.request, specified=True)
        elif question.key == run.id:
            await self._go_on(run.request, specified=False)
        elif answer is ApprovalAnswer.REJECTED and counts:
            await self._runs.request_stop(run.id)

    async def end(self, run: RunRecord, answer: ApprovalAnswer, by: str) -> None:
        """End a run that waits, whatever it asks."""
        asked = await self.open_of(run)
        for question in asked:
            await self.answer(question, answer, by)
        if not {item.key for item in asked} & {run.id, specification_key(run.id)}:
            await self._runs.request_stop(run.id)  # it is at work, and asks about tools

    async def _answer_offer(self, run: RunRecord, answer: ApprovalAnswer, by: str) -> None:
        """Start what continues a run that is over; remembered before the answer is kept."""
        if not await self.open_of(run):
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
        approval = patch or await self._store.get(specification_key(run.id))
        if approval is None:
            return
        if approval.answer is None and approval.question.until <= datetime.now(UTC):
            await self.answer(approval.question, ApprovalAnswer.EXPIRED, "")
        elif approval.answer is not None:
            await self._go_on(run.request, specified=patch is None)

    async def keep_looking(self, turn: Callable[[], Awaitable[object]] | None = None) -> None:
        """Look for ever, when it is this server's turn."""
        await again_and_again(
            self.look, pause=self._every, failed="waiting runs not looked for", turn=turn
        )
