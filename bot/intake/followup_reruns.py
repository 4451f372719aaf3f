"""Look at jobs that GitHub re-runs, and add to the report how they end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.github.check_values import Check, CommitChecks
from bot.github.github import GitHub
from bot.intake.commit_look import wait_after
from bot.model import Report
from bot.model.request import FailedCheck
from bot.reporting import check_run, final_report, progress_comment, reruns
from bot.reporting.answering import answer_by
from bot.reporting.marker import marker
from bot.reporting.reasons import publication
from bot.runs.display import Display, Shown
from bot.storage.commits import CommitState, WatchedCommit
from bot.storage.runs import RunRecord
from bot.storage.stores import Stores

LONGEST = timedelta(hours=6)
"""After this long the jobs are no longer waited for: GitHub ends jobs of its own runners then."""


class RerunAftermath:
    """Looks at one commit whose failed jobs are re-run."""

    def __init__(self, github: GitHub, stores: Stores, *, first_wait: float) -> None:
        self._github = github
        self._stores = stores
        self._display = Display(github, stores.last_words)
        self._first_wait = first_wait

    async def __call__(self, commit: WatchedCommit, run: RunRecord, report: Report) -> str:
        """Say how the jobs ended once they are over; return what was done."""
        claimed = run.request.failed.checks if run.request.failed is not None else ()
        checks = await self._github.commit_checks(commit.repo, commit.sha)
        failed = failed_again(claimed, checks)
        if failed is None and datetime.now(UTC) - commit.first_at < LONGEST:
            due = datetime.now(UTC) + wait_after(commit.looks, self._first_wait)
            waiting = publication.RERUN_NOT_OVER
            await self._stores.commits.wait(commit, due, waiting)
            return waiting
        await self._tell(run, report, failed)
        sentence = reruns.no_end() if failed is None else reruns.ended(failed)
        # A commit that had its run gets no other one automatically, however its jobs end.
        await self._stores.commits.decided(commit, CommitState.STARTED, sentence)
        return sentence

    async def _tell(self, run: RunRecord, report: Report, failed: Sequence[str] | None) -> None:
        request, mark = run.request, marker(run.id, "progress")
        sentence = reruns.no_end() if failed is None else reruns.ended(failed)
        text = progress_comment.finished(report, None, mark, after=sentence)
        more = final_report.not_fixed(report, marker(run.id, "report"), by=answer_by(request))
        shown = Shown(run.progress_comment_id, await self._display.check_of(request))
        ended = check_run.Ended(reruns.title(failed, report.verdict))
        await self._display.close(request, shown, text, ended, more)


def failed_again(claimed: tuple[FailedCheck, ...], checks: CommitChecks) -> tuple[str, ...] | None:
    """Return the names of the jobs that failed again; None while one has not ended.

    A job that runs again is another check run of the same name.
    """
    first = {check.check_run_id for check in claimed}
    jobs = {check.name for check in claimed if check.job_id is not None}
    again = [entry for entry in checks.checks if entry.name in jobs and _is_new(entry, first)]
    if {item.name for item in again} < jobs or any(item.conclusion is None for item in again):
        return None
    return tuple(item.name for item in again if item.failed)


def _is_new(check: Check, first: set[int | None]) -> bool:
    return check.check_run_id is not None and check.check_run_id not in first
