"""Questions to people: patches that wait for approval, offers of more budget, and the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.errors import UsageError
from bot.model import Limits, Report, Verdict
from bot.model.offer import Offer
from bot.model.questions import BUDGET, PATCH, SPECIFICATION, specification_key, spoken_id
from bot.model.request import FixRequest
from bot.reporting import approval
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import progress_marker
from bot.reporting.reasons import publication
from bot.reporting.reasons import test_first as of_specification
from bot.runs.display import Display, RunDisplay
from bot.runs.publishing.destination import HeldPatch
from bot.runs.starting_state import Brief
from bot.storage.approvals import ApprovalAnswer, ApprovalStore
from bot.storage.runs import RunStatus, RunStore


@dataclass(frozen=True, slots=True)
class Answered:
    """What waited for a person, and whether it may be published or gone on with."""

    report: Report
    shown: RunDisplay
    approved: bool


class ApprovalRequests:
    """Keeps questions for people and takes their answers up; every method is a step's act."""

    def __init__(
        self, runs: RunStore, approvals: ApprovalStore, display: Display, waits: timedelta
    ) -> None:
        self._runs = runs
        self._approvals = approvals
        self._display = display
        self._waits = waits

    async def hold(
        self, request: FixRequest, report: Report, brief: Brief, held: HeldPatch, shown: RunDisplay
    ) -> None:
        """Ask for an approval: in the place of the progress, and in the table of runs."""
        until = await self._ask(request.run_id, PATCH)
        await self._runs.update(
            request.run_id, status=RunStatus.WAITING, report=report, reason=publication.WAITING
        )
        mark, role = progress_marker(request), brief.config.who.approve
        by, question = answer_by(request), spoken_id(request.run_id)
        text = approval.waiting(report, held.risks, role, until, mark, by, question)
        await self._display.question(request, shown, text, question)
        await self.posted(request.run_id, request, shown)

    async def hold_specification(
        self, request: FixRequest, report: Report, brief: Brief, shown: RunDisplay
    ) -> None:
        """Ask whether a person agrees with the specification, before more is spent."""
        key = specification_key(request.run_id)
        until = await self._ask(key, SPECIFICATION)
        await self._runs.update(
            request.run_id,
            status=RunStatus.WAITING,
            report=report,
            reason=of_specification.WAITING,
        )
        mark, role = progress_marker(request), brief.config.who.approve
        by, question = answer_by(request), spoken_id(key)
        text = approval.specification(report, role, until, mark, by, question)
        await self._display.question(request, shown, text, question)
        await self.posted(key, request, shown)

    async def offer(self, request: FixRequest, limits: Limits, role: str) -> Offer:
        """Keep the offer of more budget: an approval starts a run that continues this one."""
        return Offer(limits, role, await self._ask(request.run_id, BUDGET))

    async def _ask(self, key: str, about: str) -> datetime:
        until = datetime.now(UTC) + self._waits
        await self._approvals.ask(key, about, until)
        return until

    async def posted(self, key: str, request: FixRequest, shown: RunDisplay) -> None:
        """Note since when a question stands in its thread; an answer from before is to another."""
        at = await self._display.time_of(request, shown)
        if at is not None:
            await self._approvals.posted(key, at)

    async def recall(self, run_id: str, commit: str) -> Report | None:
        """Return the report of an earlier run, if it was about that commit."""
        run = await self._runs.get(run_id)
        report = None if run is None else run.report
        return None if report is None or report.head != commit else report

    async def take_up(self, request: FixRequest) -> Answered:
        """Return what waited, with the answer.

        Raises:
            UsageError: Nothing waits.
        """
        run = await self._runs.get(request.run_id)
        if run is None or run.report is None:
            raise UsageError(publication.QUESTION_LOST)
        key = specification_key(run.id) if run.report.asks else run.id
        asked = await self._approvals.get(key)
        if asked is None:
            raise UsageError(publication.QUESTION_LOST)
        await self._runs.update(request.run_id, status=RunStatus.RUNNING)
        shown = RunDisplay(run.progress_comment_id, await self._display.check_of(request))
        said = of_specification if run.report.asks else publication
        if asked.answer is ApprovalAnswer.APPROVED:
            note = said.approved(asked.by)
            return Answered(
                replace(run.report, notes=(*run.report.notes, note)), shown, approved=True
            )
        reason = said.rejected(asked.by) if asked.by else publication.APPROVAL_EXPIRED
        report = replace(
            run.report, verdict=Verdict.STOPPED, reason=reason, patch_accepted=False, asks=False
        )
        return Answered(report, shown, approved=False)
