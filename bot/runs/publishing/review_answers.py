"""Answer the review comments that a run acted on, and resolve what is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

import structlog

from bot.errors import Conflict, NotPermitted
from bot.github.github import GitHub
from bot.github.review_threads import ReviewThread
from bot.github.values import Published
from bot.model import Report, RequestKind
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.reporting import review_replies as replies
from bot.reporting.marker import marker
from bot.runs.publishing.outcome_comment import (
    AlreadyOpen,
    LeftBehind,
    NotPublished,
    Offered,
    Outcome,
    PatchOnly,
    Pushed,
    ReportOnly,
)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ThreadAnswer:
    """What is said in a thread, and whether it is done with."""

    text: str
    done: bool = False


def answer_in(path: str, report: Report, outcome: Outcome, mark: str) -> ThreadAnswer:  # noqa: PLR0911 - one case per outcome
    """Return the answer in a thread about a file.

    It is done only when a commit on the branch mends everything and changes that file, and something
    besides the model's word shows that it does what was asked.
    """
    match outcome:
        case Pushed(url=url) if report.draft:
            return ThreadAnswer(replies.partly(url, mark))
        case Pushed(url=url) if path not in report.patch.files:
            return ThreadAnswer(replies.another_file(url, mark))
        case Pushed(url=url) if report.kind is RequestKind.CHANGE:
            return ThreadAnswer(replies.done_untested(url, _summary(report), mark))
        case Pushed(url=url):
            return ThreadAnswer(replies.done(url, _summary(report), mark), done=True)
        case Published(url=url) | AlreadyOpen(url=url):
            return ThreadAnswer(replies.not_on_this_branch(url, mark))
        case PatchOnly(reason=reason) | LeftBehind(reason=reason):
            return ThreadAnswer(replies.not_pushed(reason, mark))
        case ReportOnly():
            return ThreadAnswer(replies.only_reported(mark))
        case NotPublished() | Offered():
            return ThreadAnswer(replies.not_fixed(report.verdict, report.reason, mark))
        case _:
            assert_never(outcome)


class ReviewAnswers:
    """Answers each thread once; doing it again changes nothing."""

    def __init__(self, github: GitHub) -> None:
        self._github = github

    async def give(self, request: FixRequest, report: Report, outcome: Outcome) -> None:
        """Answer the threads with the review comments that were asked to be acted on."""
        if request.number is None or not request.remarks:
            return
        repo = request.repo
        threads: tuple[ReviewThread, ...] = ()
        with _if_possible():
            threads = await self._github.review_threads(repo, request.number)
        for thread in threads:
            if not set(request.remarks).isdisjoint(thread.comments):
                with _if_possible():
                    await self._give(repo, request, thread, report, outcome)

    async def _give(
        self,
        repo: Repo,
        request: FixRequest,
        thread: ReviewThread,
        report: Report,
        outcome: Outcome,
    ) -> None:
        assert request.number is not None  # noqa: S101 - seen by the caller
        mark = marker(request.run_id, f"thread-{thread.comments[0]}")
        answer = answer_in(thread.path, report, outcome, mark)
        await self._github.reply_in_thread(repo, request.number, thread, answer.text, mark)
        if answer.done and not thread.resolved:
            await self._github.resolve_thread(repo, thread)


@contextmanager
def _if_possible() -> Iterator[None]:
    """Log what GitHub refuses: the run's own comment says the same."""
    try:
        yield
    except (NotPermitted, Conflict) as error:
        _log.warning("review comment not answered", problem=str(error))


def _summary(report: Report) -> str:
    attempt = report.accepted_attempt
    return "" if attempt is None else attempt.proposal.summary
