"""Ask people whether a tool may be used, and wait for the answer: the run goes on where it was."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from bot.errors import RunStopped
from bot.github.github import GitHub
from bot.model.deadline import StopSign, unless_stopped
from bot.model.questions import question_key, spoken_id
from bot.model.request import FixRequest
from bot.model.tool_rules import ToolAnswer, ToolQuestion
from bot.reporting import approval
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import marker
from bot.reporting.reasons import agent
from bot.storage.approvals import Approval, ApprovalAnswer, ApprovalStore
from bot.storage.runs import RunStatus, RunStore

_POLL_SECONDS = 0.5


class ToolApprovals:
    """Asks for one run. Asking again, as after a restart, waits for the same answer."""

    def __init__(
        self,
        request: FixRequest,
        role: str,
        github: GitHub,
        runs: RunStore,
        approvals: ApprovalStore,
        scrub: Callable[[str], str],
        stopped: StopSign,
    ) -> None:
        """Describe whom to ask.

        Args:
            request: Of the run.
            role: The least role that may approve.
            github: Where the thread is.
            runs: All runs.
            approvals: All questions.
            scrub: Takes secrets out of what people are shown.
            stopped: Set once the run has to stop.
        """
        self._request = request
        self._role = role
        self._github = github
        self._runs = runs
        self._approvals = approvals
        self._scrub = scrub
        self._stopped = stopped
        self._asking = asyncio.Lock()

    async def ask(self, question: ToolQuestion) -> ToolAnswer:
        """Return what people say; without an answer in time, that is no.

        Attempts that are made side by side and want the same tool ask once.

        Raises:
            RunStopped: When the run is stopped meanwhile.
        """
        asked = question_key(self._request.run_id, question.tool)
        answer = await self._put(asked, question)
        if answer is None:
            answer = await unless_stopped(lambda: self._answer(asked, question), self._stopped)
            await self._go_on()
        return ToolAnswer(answer.answer is ApprovalAnswer.APPROVED, answer.by)

    async def _put(self, asked: str, question: ToolQuestion) -> Approval | None:
        """Ask in the thread, unless that was done; return the answer if there is one already."""
        async with self._asking:
            until = datetime.fromtimestamp(question.until, UTC)
            await self._approvals.ask(asked, agent.use_of_tool(question.tool), until)
            kept = await self._approvals.get(asked)
            if kept is not None and kept.answer is not None:
                return kept
            await self._runs.update(
                self._request.run_id,
                status=RunStatus.WAITING,
                reason=agent.tool_waits(question.tool),
            )
            await self._say(asked, question)
            return None

    async def _go_on(self) -> None:
        """Say that the run is at work again, unless another attempt of it still waits."""
        async with self._asking:
            run_id = self._request.run_id
            if not [
                question
                for question in await self._approvals.open_of(run_id)
                if question.key != run_id
            ]:
                await self._runs.update(run_id, status=RunStatus.RUNNING, reason="")

    async def _say(self, asked: str, question: ToolQuestion) -> None:
        request = self._request
        if request.number is None:
            return  # who asked through the API sees it there
        mark = marker(request.run_id, f"tool-{question.tool}")
        until = datetime.fromtimestamp(question.until, UTC)
        shown = replace(question, call=self._scrub(question.call))
        text = approval.tool(shown, self._role, until, mark, answer_by(request), spoken_id(asked))
        repo = request.repo
        comment = await self._github.post_comment(repo, request.number, text, mark)
        if (at := await self._github.comment_time(repo, comment)) is not None:
            await self._approvals.posted(asked, at)

    async def _answer(self, asked: str, question: ToolQuestion) -> Approval:
        """Wait for the answer, or for the end of the time."""
        while True:
            kept = await self._approvals.get(asked)
            if kept is not None and kept.answer is not None:
                return kept
            if time.time() >= question.until:
                await self._approvals.answer(asked, ApprovalAnswer.EXPIRED, "")
                continue
            run = await self._runs.get(self._request.run_id)
            if run is not None and run.status is RunStatus.DONE:
                raise RunStopped(run.reason)
            await asyncio.sleep(_POLL_SECONDS)
