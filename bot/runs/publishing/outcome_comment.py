"""Say how a run ended: to the people in the thread, and in the table of runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.values import Published
from bot.model import Report, Verdict
from bot.model.fair_queue import Priority
from bot.model.offer import Offer
from bot.model.questions import spoken_id
from bot.model.repository import Repo
from bot.model.request import FixRequest, priority_of
from bot.reporting import (
    approval,
    check_run,
    final_report,
    merge_group,
    messages,
    progress_comment,
)
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import progress_marker
from bot.reporting.patch_comment import patch_comment
from bot.reporting.reasons import publication, run_life
from bot.runs.display import Display, RunDisplay, if_allowed
from bot.runs.publishing.last_words import fixed, not_redone
from bot.storage.runs import RunStatus, RunStore

_DONE = (Verdict.FIXED, Verdict.EXPLAINED)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CouldNotStart:
    """A brief that could not be written, with the comment that says why."""

    comment: str
    reason: str


@dataclass(frozen=True, slots=True)
class PatchOnly:
    """A believed patch that can't become a pull request, and why.

    Attributes:
        reason: As a sentence.
        suggested: Whether it stands in the pull request as suggested changes, with its report.
    """

    reason: str
    suggested: bool = False


@dataclass(frozen=True, slots=True)
class NotPublished:
    """There is no believed patch."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A believed patch is a commit on the pull request's own branch now.

    Attributes:
        commit: 40 hex digits.
        branch: Its name.
        url: Where people see the commit.
    """

    commit: str
    branch: str
    url: str


@dataclass(frozen=True, slots=True)
class AlreadyOpen:
    """A believed patch that a pull request of ours makes already, which is open."""

    number: int
    url: str


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A believed patch for a commit that is no longer its branch's head; `reason` says so."""

    reason: str


@dataclass(frozen=True, slots=True)
class ReportOnly:
    """A believed patch, in a repository that wants diagnoses alone."""


@dataclass(frozen=True, slots=True)
class Offered:
    """There is no believed patch, and a person may approve more budget for the run."""

    offer: Offer


Outcome = (
    Published | Pushed | AlreadyOpen | PatchOnly | LeftBehind | ReportOnly | NotPublished | Offered
)


def said_of(outcome: Outcome) -> str:
    """Return what to say while more of a published repair is found out; "" where none is published."""
    match outcome:
        case Published(url=url) | Pushed(url=url):
            return publication.published_first(url)
        case _:
            return ""


class Ending:
    """The last words of runs. Saying them twice leaves them once.

    Where people made it impossible (a deleted comment, a locked thread, an App without rights),
    the log has what could not be said, and the run is over all the same.
    """

    def __init__(self, github: GitHub, runs: RunStore, display: Display) -> None:
        self._github = github
        self._runs = runs
        self._display = display

    async def refuse(self, request: FixRequest, shown: RunDisplay, why: CouldNotStart) -> None:
        """Say why nothing was started, in the place of the progress."""
        text = why.comment if request.redoes is None else not_redone(request, why.reason)
        await self._display.close(request, shown, text, check_run.without_fix(Verdict.REFUSED))
        await self._react(request, "confused")
        await self._runs.update(
            request.run_id, status=RunStatus.DONE, verdict=Verdict.REFUSED, reason=why.reason
        )

    async def withdraw(self, request: FixRequest) -> None:
        """Say that a run was stopped while it waited, where somebody waited for it."""
        if priority_of(request) is Priority.PERSON:
            shown = await self._display.open(request)
            text = messages.withdrawn(progress_marker(request))
            ended = check_run.without_fix(Verdict.STOPPED)
            await self._display.close(request, shown, text, ended)
            await self._react(request, "confused")
        await self._runs.update(
            request.run_id,
            status=RunStatus.DONE,
            verdict=Verdict.STOPPED,
            reason=run_life.WITHDRAWN,
        )

    async def conclude(  # noqa: C901, PLR0912 - one case per outcome
        self, request: FixRequest, report: Report, outcome: Outcome, shown: RunDisplay
    ) -> None:
        """Say how it ended, in the place of the progress."""
        mark = progress_marker(request)
        more, ended = "", check_run.without_fix(report.verdict)
        by = answer_by(request)
        match outcome:
            case Published(number=number, url=url):
                done = final_report.fixed(report, url, mark)
                if not report.draft:
                    ended = check_run.Ended(check_run.fixed_in(number), success=True)
                await self._runs.update(request.run_id, pull_request=number, pull_request_url=url)
            case Pushed(url=url, commit=commit):
                done = fixed(request, report, url)
                ended = check_run.Ended(check_run.fixed_by(commit), success=True)
                await self._runs.update(request.run_id, pull_request_url=url)
            case AlreadyOpen(number, url):
                done = messages.already_open(number, url, mark)
                ended = check_run.Ended(check_run.fixed_in(number), success=True)
            case LeftBehind(reason):
                done = messages.moved_on(reason, mark)
                ended = check_run.Ended(check_run.superseded(), may_retry=False)
            case PatchOnly(reason, suggested):
                done = progress_comment.finished(report, None, mark)
                more = patch_comment(report, reason, mark, suggested=suggested, by=by)
                ended = check_run.Ended(check_run.fixed_as_patch(), success=True)
            case ReportOnly():
                done = progress_comment.finished(report, None, mark)
                more = approval.diagnosis(report, mark)
                ended = check_run.Ended(check_run.diagnosed(), success=True)
            case NotPublished() if request.failed is not None and request.failed.group is not None:
                done = merge_group.whole(request, report, mark)
                ended = replace(ended, title=merge_group.title(report))
            case NotPublished() if request.only_explains:
                done = final_report.explanation(report, mark, by=by)
            case NotPublished():
                done = progress_comment.finished(report, None, mark)
                more = final_report.not_fixed(report, mark, by=by)
            case Offered(offer):
                question = spoken_id(request.run_id)
                after = approval.more(offer, by, question)
                done = progress_comment.finished(report, None, mark, after=after)
                more = final_report.not_fixed(report, mark, question=question, by=by, after=after)
                ended = replace(ended, question=question)
            case _:
                assert_never(outcome)
        if request.redoes is not None:
            done, more = _said_of_conflict(request, report, outcome), ""
        posted = isinstance(outcome, PatchOnly) and outcome.suggested
        await self._display.close(request, shown, done, ended, more, posted=posted)
        await self._react(request, "rocket" if report.verdict in _DONE else "confused")
        await self._runs.update(
            request.run_id,
            status=RunStatus.DONE,
            verdict=report.verdict,
            reason=report.reason,
            head=report.head,
            report=report,
            cost_usd=report.usage.cost_usd,
            tokens=report.usage.tokens,
        )

    async def tell_group(self, request: FixRequest, report: Report) -> None:
        """Tell each pull request of a merge group what it has to do with the failure, in a check run."""
        group = request.failed.group if request.failed is not None else None
        if group is None or report.verdict is Verdict.STOPPED:
            return
        for place, entry in enumerate(group.entries):
            if entry.pull_head:
                told = merge_group.entry_check(request, report, place)
                await if_allowed(self._display.show(request, told))

    async def end_early(self, request: FixRequest, text: str, reason: str) -> None:
        """Say that there will be no report.

        Args:
            request: Of the run.
            text: Of the comment.
            reason: The same, in one sentence, for the table of runs.
        """
        run = await self._runs.get(request.run_id)
        comment = None if run is None else run.progress_comment_id
        shown = RunDisplay(comment, await self._display.check_of(request))
        done = messages.ended_early(progress_marker(request))
        if request.redoes is not None:
            done, text = not_redone(request, reason), ""
        await self._display.close(
            request, shown, done, check_run.Ended(check_run.ended_early()), text
        )
        await self._react(request, "confused")
        await self.close(request, reason)

    async def close(self, request: FixRequest, reason: str) -> None:
        """Note, without a word to anybody, that a run is over and has no report."""
        await self._runs.update(
            request.run_id, status=RunStatus.DONE, verdict=Verdict.INFRASTRUCTURE, reason=reason
        )

    async def _react(self, request: FixRequest, content: str) -> None:
        if request.number is None or request.comment_id is None or request.in_review:
            return
        await if_allowed(
            self._github.react(
                request.repo,
                comment_id=request.comment_id,
                issue_number=request.number,
                content=content,
            )
        )

    async def forget_tokens(self, repo: Repo) -> None:
        """Make the tokens of a run that is over, or waits, useless."""
        try:
            await self._github.revoke_tokens(repo)
        except GitHubError as error:
            # They expire within the hour anyway.
            _log.warning("tokens not revoked", problem=str(error))


def _said_of_conflict(request: FixRequest, report: Report, outcome: Outcome) -> str:
    """Return the last words in a pull request that conflicted with its base."""
    match outcome:
        case Pushed(url=url):
            return fixed(request, report, url)
        case LeftBehind(reason) | PatchOnly(reason=reason):
            return not_redone(request, reason, report.head)
        case ReportOnly():
            return not_redone(request, publication.ONLY_REPORTED, report.head)
        case NotPublished() | Published() | AlreadyOpen() | Offered():
            gone = report.verdict is Verdict.NOT_REPRODUCED
            return not_redone(request, report.reason, report.head, gone=gone)
        case _:
            assert_never(outcome)
