"""Have GitHub re-run jobs whose failure comes and goes, and have the result looked at."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum

import structlog

from bot.ci.evidence import JobEvidence
from bot.errors import Conflict, NotPermitted
from bot.github.github import GitHub
from bot.model import Report
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.reporting import reruns
from bot.runs.starting_state import Brief
from bot.storage.commits import CommitStore

_log = structlog.get_logger(__name__)


class RerunNeed(StrEnum):
    """What a workflow run with failed jobs needs."""

    ASK = "ask"
    UNDER_WAY = "under way"
    HAD_IT = "had it"


def need_of(failed_at: int, now: int) -> RerunNeed:
    """Return what is to be done for a workflow run: once is enough, whoever asked for it.

    Args:
        failed_at: The attempt whose jobs failed, counted from 1.
        now: The newest attempt.
    """
    if failed_at > 1:
        return RerunNeed.HAD_IT
    return RerunNeed.UNDER_WAY if now > failed_at else RerunNeed.ASK


def is_wanted(request: FixRequest, brief: Brief, report: Report) -> bool:
    """Return whether a run ends with its jobs being run again."""
    asked = brief.config.checks.rerun_flaky and request.failed is not None
    return asked and report.rerun_may_help


class Reruns:
    """Has jobs run again. Asking for the same twice starts them once."""

    def __init__(self, github: GitHub, commits: CommitStore) -> None:
        self._github = github
        self._commits = commits

    async def begin(self, request: FixRequest, failed: tuple[JobEvidence, ...]) -> str:
        """Re-run the failed jobs of the commit; return what was done, as a sentence.

        Raises:
            GitHubError: In an outage; what GitHub refuses is said.
        """
        repo = request.repo
        attempts = {
            each.check.workflow_run_id: each.attempt
            for each in failed
            if each.check.workflow_run_id is not None
        }
        try:
            needs = [await self._run(repo, run, attempt) for run, attempt in attempts.items()]
        except (NotPermitted, Conflict) as error:
            _log.warning("jobs not run again", problem=str(error))
            return reruns.refused(str(error))
        if not needs:
            return reruns.no_jobs()
        if set(needs) == {RerunNeed.HAD_IT}:
            return reruns.had_it()
        await self._watch(repo, request)
        return reruns.begun()

    async def _run(self, repo: Repo, run_id: int, failed_at: int) -> RerunNeed:
        facts = await self._github.workflow_facts(repo, run_id)
        need = need_of(failed_at, facts.attempt)
        if need is RerunNeed.ASK:
            await self._github.rerun_failed_jobs(repo, run_id)
        return need

    async def _watch(self, repo: Repo, request: FixRequest) -> None:
        if request.failed is not None:
            sha, branch, now = request.failed.sha, request.failed.branch, datetime.now(UTC)
            await self._commits.rerun(repo, sha, branch, request.run_id, now)
