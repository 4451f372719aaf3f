"""Where people watch a run: a comment in its thread, a check run on the commit that failed."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot.errors import NotPermitted
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.model.check_report import CheckReport
from bot.model.quota import Urgency
from bot.model.request import FixRequest
from bot.model.waiting_time import QueuePosition
from bot.reporting import check_run, messages
from bot.reporting.marker import marker_of, progress_marker, with_page
from bot.reporting.progress_comment import is_under_way
from bot.storage.last_words import LastWords, StoredComment

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunDisplay:
    """Where a run is shown.

    Attributes:
        comment: Id of the comment with its progress; None when there is no thread.
        check_run: Id of its check run; None when a comment asked for the run, or the App may not.
    """

    comment: int | None
    check_run: int | None

    @property
    def somewhere(self) -> bool:
        """Whether people see it at all, and can answer."""
        return self.comment is not None or self.check_run is not None


class Display:
    """Shows runs. Showing the same twice changes nothing."""

    def __init__(self, github: GitHub, last_words: LastWords, dashboard: str | None) -> None:
        """Say where they are shown.

        Args:
            github: Where people ask for them.
            last_words: What was said at their ends.
            dashboard: Address under which people reach the dashboard, without a slash at its end;
                None where nobody said.
        """
        self._github = github
        self._words = last_words
        self._dashboard = dashboard

    def page_of(self, run_id: str) -> str | None:
        """Return the address of a run's page, if it is known."""
        return None if self._dashboard is None else f"{self._dashboard}/runs/{run_id}"

    async def open(self, request: FixRequest) -> RunDisplay:
        """Say that a run is accepted, in every place where it will be shown."""
        comment = None
        if request.number is not None:
            mark = progress_marker(request)
            text = messages.queued(mark)
            comment = await self._github.post_comment(request.repo, request.number, text, mark)
        return RunDisplay(comment, await self.check_of(request))

    async def standing(
        self, request: FixRequest, comment: int | None, at: QueuePosition
    ) -> int | None:
        """Show a run's position in the queue where its progress will be; return the comment's id."""
        if request.number is None:
            return None
        mark = progress_marker(request)
        text = messages.in_queue(at, mark)
        if comment is None:
            return await self._github.post_comment(request.repo, request.number, text, mark)
        await self._github.edit_comment(request.repo, comment, text, Urgency.PROGRESS)
        return comment

    async def check_of(self, request: FixRequest) -> int | None:
        """Return the check run of a run that failed checks started, making it if need be."""
        if request.failed is None:
            return None
        report = self._with_page(check_run.accepted(request))
        try:
            return await self._github.create_check_run(request.repo, report)
        except NotPermitted as error:  # granted later than the rest: the comment must do
            _log.warning("no check run", problem=str(error))
            return None

    async def show(self, request: FixRequest, report: CheckReport) -> None:
        """Show a check run of a run on another commit than its own.

        Raises:
            GitHubError: `NotPermitted` where the App may not, `Gone` where the commit is no more.
        """
        report = self._with_page(report)
        made = await self._github.create_check_run(request.repo, report)
        await self._github.update_check_run(request.repo, made, report)

    async def progress(self, request: FixRequest, shown: RunDisplay, text: str) -> None:
        """Show how far the run is."""
        repo, text = request.repo, with_page(text, self.page_of(request.run_id))
        if shown.comment is not None:
            await self._github.edit_comment(repo, shown.comment, text, Urgency.PROGRESS)
        if shown.check_run is not None:
            report = self._with_page(check_run.under_way(request, text))
            await self._github.update_check_run(repo, shown.check_run, report, Urgency.PROGRESS)

    async def time_of(self, request: FixRequest, shown: RunDisplay) -> datetime | None:
        """Return when the comment got the text that it has, by GitHub's clock; None without one."""
        if shown.comment is None:
            return None
        return await self._github.comment_time(request.repo, shown.comment)

    async def question(
        self, request: FixRequest, shown: RunDisplay, text: str, question: str
    ) -> None:
        """Show what the run waits for; `question` is the id that an answer names."""
        text = with_page(text, self.page_of(request.run_id))
        if shown.comment is not None:
            await self._github.edit_comment(request.repo, shown.comment, text)
        if shown.check_run is not None:
            report = self._with_page(check_run.waiting(request, text, question))
            await self._github.update_check_run(request.repo, shown.check_run, report)

    async def close(
        self,
        request: FixRequest,
        shown: RunDisplay,
        text: str,
        ended: check_run.Ended,
        more: str = "",
        *,
        posted: bool = False,
    ) -> None:
        """Show how the run ended.

        Args:
            request: Of the run.
            shown: Where it was shown.
            text: In a line or two: what the check run says, and the comment where there is no more.
            ended: What the check run makes of it.
            more: The whole report, in place of `text` in the comment; below it in the check run.
            posted: Whether `more` stands in the thread already.
        """
        page, report = self.page_of(request.run_id), None
        said_in_full = with_page(text if posted or not more else more, page)
        text = with_page(text, page)
        if shown.check_run is not None:
            report = self._with_page(check_run.over(request, ended, text, more))
        if shown.somewhere:
            said = StoredComment(
                request.run_id, request.repo, shown.comment, said_in_full, shown.check_run, report
            )
            await self._words.say(said)
        if shown.comment is not None:
            await if_allowed(self._last_words(request, shown.comment, said_in_full))
        if shown.check_run is not None and report is not None:
            await if_allowed(self._github.update_check_run(request.repo, shown.check_run, report))

    def _with_page(self, report: CheckReport) -> CheckReport:
        return replace(report, details_url=self.page_of(report.external_id))

    async def _last_words(self, request: FixRequest, comment: int, text: str) -> None:
        """Put the end in the place of the progress; where somebody deleted that, say it again."""
        try:
            await self._github.edit_comment(request.repo, comment, text)
        except Gone:
            if request.number is not None:
                mark = progress_marker(request)
                await self._github.post_comment(request.repo, request.number, text, mark)

    async def put_right(self, said: StoredComment) -> bool:
        """Say last words again where a late edit replaced them, and once what came twice.

        Returns whether anything had to be put right.

        Raises:
            GitHubError: When that can't be seen or said at the moment.
        """
        wrong = False
        if said.comment is not None:
            shown = await self._github.comment_in(said.repo, said.comment)
            if shown is not None:
                number, text = shown
                if is_under_way(text):
                    await self._github.edit_comment(said.repo, said.comment, said.text)
                    wrong = True
                doubles = self._github.remove_doubles(said.repo, number, marker_of, said.comment)
                wrong = await doubles > 0 or wrong
        if said.check_run is None or said.report is None:
            return wrong
        if not await self._github.check_run_is_over(said.repo, said.check_run):
            await self._github.update_check_run(said.repo, said.check_run, said.report)
            wrong = True
        return wrong


async def if_allowed(telling: Awaitable[object]) -> None:
    """Tell people something, or log that we may not: a run ends all the same."""
    try:
        await telling
    except NotPermitted as error:
        _log.warning("could not tell how the run ended", problem=str(error))
