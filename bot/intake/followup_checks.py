"""Watch the repository's own checks on what a run published; report them, or start the next run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from bot.config.repo_config import RepoConfig
from bot.errors import RepoConfigError
from bot.github.check_values import Check, CommitChecks
from bot.github.github import GitHub
from bot.github.values import PullRequest
from bot.intake.check_policy import failing, running
from bot.intake.commit_look import begin, wait_after
from bot.intake.followup_policy import (
    Budget,
    Continuation,
    Leave,
    Result,
    after_publication,
    blamed,
)
from bot.intake.repair_spending import spent_by
from bot.model import Report
from bot.model.repository import Repo
from bot.model.request import FailedCheck, FailedCommit, FixRequest, Options
from bot.reporting import check_run, final_report, progress_comment, reruns
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import marker
from bot.reporting.reasons import publication, run_life
from bot.reporting.reasons.deliveries import still_running
from bot.runs.config_file import read_config
from bot.runs.display import Display, RunDisplay
from bot.runs.publishing.last_words import fixed
from bot.storage.commits import CommitState, WatchedCommit
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.stores import Stores

LONGEST = timedelta(hours=6)
"""After this long the jobs are no longer waited for: GitHub ends jobs of its own runners then."""


class RerunAftermath:
    """Looks at one commit whose failed jobs are re-run."""

    def __init__(
        self, github: GitHub, stores: Stores, display: Display, *, first_wait: float
    ) -> None:
        self._github = github
        self._stores = stores
        self._display = display
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
        more = final_report.not_fixed(report, mark, by=answer_by(request), after=sentence)
        shown = RunDisplay(run.progress_comment_id, await self._display.check_of(request))
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


WATCHED = timedelta(hours=6)
"""After this long the checks of a published commit are no longer waited for: GitHub ends a job of
its own runners then. https://docs.github.com/en/actions/reference/limits"""

FIRST_CHECK = timedelta(minutes=10)
"""A commit without any check after this long has none."""


class Aftermath:
    """Looks at one published commit at a time."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        start: Callable[[FixRequest], Awaitable[None]],
        display: Display,
        *,
        first_wait: float,
    ) -> None:
        self._github = github
        self._stores = stores
        self._start = start
        self._display = display
        self._first_wait = first_wait
        self._rerun = RerunAftermath(github, stores, display, first_wait=first_wait)

    async def __call__(self, commit: WatchedCommit) -> str:
        """Do what the checks of a published commit ask for; return what that was."""
        run = await self._stores.runs.get(commit.published_by or "")
        if run is not None and run.status is not RunStatus.DONE:
            return await self._wait(commit, publication.RUN_NOT_OVER)
        if run is not None and run.report is not None and run.report.rerun_may_help:
            return await self._rerun(commit, run, run.report)
        pulls = await self._github.pull_requests_of(commit.repo, commit.sha)
        if run is None or not pulls:
            return await self._done(commit, publication.NO_OPEN_PULL_REQUEST)
        checks = await self._github.commit_checks(commit.repo, commit.sha)
        slug = (await self._github.app_identity()).slug
        waiting = _waiting(commit, checks, slug)
        if waiting:
            return await self._wait(commit, waiting)
        if run.report is None or not _has_checks(checks, slug):
            return await self._done(commit, publication.NO_CHECKS)
        return await self._conclude(commit, run, run.report, pulls[0], checks)

    async def _conclude(
        self,
        commit: WatchedCommit,
        run: RunRecord,
        report: Report,
        pull: PullRequest,
        checks: CommitChecks,
    ) -> str:
        config = await self._config(commit.repo, pull)
        failed = await self._blamed(commit.repo, run, report, config, checks)
        wanted = run.request.original.failed is not None or config.checks.pull_requests
        decision = after_publication(
            failed,
            wanted=wanted,
            spent=await spent_by(self._stores.runs, run),
            budget=Budget(config.attempts, config.budget_usd),
        )
        match decision:
            case Leave(result, named, limit):
                await self._tell(run, report, publication.checks_ended(named, limit=limit), result)
                return await self._done(commit, _note(result))
            case Continuation() if await self._stores.queue.is_full():
                return await self._wait(commit, run_life.CHECKS_PUT_OFF)
            case Continuation():
                request = _following(commit, run, pull, decision)
                await self._tell(
                    run, report, publication.checks_go_on(decision.checks, pull.url), Result.RED
                )
                return await begin(request, commit, self._stores, self._start)
            case _:
                assert_never(decision)

    async def _blamed(
        self, repo: Repo, run: RunRecord, report: Report, config: RepoConfig, checks: CommitChecks
    ) -> tuple[FailedCheck, ...]:
        slug = (await self._github.app_identity()).slug
        failed = failing(checks, config.checks, slug)
        if not failed:
            return ()
        parent = await self._github.commit_checks(repo, report.head)
        before = frozenset(check.name for check in parent.checks if check.failed)
        target = run.request.original.failed
        claimed = frozenset(check.name for check in (target.checks if target else ()))
        return blamed(failed, before, claimed)

    async def _config(self, repo: Repo, pull: PullRequest) -> RepoConfig:
        """Return the config that the run had; one that broke since then asks for nothing."""
        facts = await self._github.facts(repo)
        try:
            return await read_config(
                self._github, repo, facts.default_branch if pull is None else pull.base_ref
            )
        except RepoConfigError:
            return RepoConfig()

    async def _tell(self, run: RunRecord, report: Report, sentence: str, result: Result) -> None:
        """Add to the run's last words how the checks of its publication ended."""
        request = run.request
        where = run.pull_request_url or ""
        text = fixed(request, report, where, run.pull_request, after=sentence)
        shown = RunDisplay(run.progress_comment_id, await self._display.check_of(request))
        title = publication.checks_title(result is Result.GREEN, run.pull_request)
        ended = check_run.Ended(title, success=result is Result.GREEN)
        await self._display.close(request, shown, text, ended)

    async def _wait(self, commit: WatchedCommit, reason: str) -> str:
        due = datetime.now(UTC) + wait_after(commit.looks, self._first_wait)
        await self._stores.commits.wait(commit, due, reason)
        return reason

    async def _done(self, commit: WatchedCommit, note: str) -> str:
        await self._stores.commits.decided(commit, CommitState.PASSED_BY, note)
        return publication.checks_of(commit.published_by or "", note)


def _waiting(commit: WatchedCommit, checks: CommitChecks, slug: str) -> str:
    """Return what is still waited for, or ""."""
    age = datetime.now(UTC) - commit.first_at
    under_way = running(checks, slug)
    if under_way and age < WATCHED:
        return still_running(under_way)
    if not _has_checks(checks, slug) and age < FIRST_CHECK:
        return publication.NO_CHECK_YET
    return ""


def _note(result: Result) -> str:
    match result:
        case Result.GREEN:
            return publication.CHECKS_PASSED
        case Result.RED:
            return publication.CHECKS_FAILED
        case Result.NONE:
            return publication.NO_CHECKS
        case _:
            assert_never(result)


def _has_checks(checks: CommitChecks, slug: str) -> bool:
    """Whether the commit has a check that is not ours."""
    return any(check.app != slug for check in checks.checks)


def _following(
    commit: WatchedCommit, run: RunRecord, pull: PullRequest, decision: Continuation
) -> FixRequest:
    """Return the request of the run that continues, with the rest of the budget."""
    return FixRequest(
        repository=commit.repo.full_name,
        installation_id=commit.repo.installation_id,
        repository_id=commit.repo.id,
        number=pull.number,
        is_pull_request=True,
        actor=run.request.actor,
        comment_id=None,
        asked_at=datetime.now(UTC),
        instructions=run.request.instructions,
        options=Options(
            attempts=decision.attempts,
            budget_usd=decision.cost_usd,
            model=run.request.options.model,
            effort=run.request.options.effort,
            timeout=run.request.options.timeout,
        ),
        failed=FailedCommit(
            sha=commit.sha,
            branch=pull.head_ref,
            base=pull.base_ref,
            pull_request=pull.number,
            checks=decision.checks,
        ),
        follows=run.id,
    )
