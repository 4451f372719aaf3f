"""End runs on superseded commits that nobody asked for: nothing of them would be published."""

from __future__ import annotations

from bot.github.github import GitHub
from bot.intake.approval_answers import Approvals
from bot.intake.pull_events import HeadLeft
from bot.model.repository import Repo
from bot.model.request import FailedCommit
from bot.reporting.reasons import deliveries as did
from bot.storage.approvals import ApprovalAnswer
from bot.storage.runs import RunRecord, RunStatus, RunStore


class LeftHeads:
    """Ends runs. Each looks for itself whether it was left behind, and says so."""

    def __init__(self, github: GitHub, runs: RunStore, approvals: Approvals) -> None:
        self._github = github
        self._runs = runs
        self._approvals = approvals

    async def pushed(self, event: HeadLeft) -> str:
        """End runs on a pull request that was pushed to, or closed; return what was done."""
        found = await self._by_themselves(event.repo, event.number)
        if not found or event.by == (await self._github.app_identity()).bot_login:
            return did.NO_RUN_AFFECTED
        pull = await self._github.pull_request(event.repo, event.number)
        left = [run for run, head in found if pull.state != "open" or head != pull.head_sha]
        return await self._end(left)

    async def newer(self, repo: Repo, sha: str, branch: str, number: int | None) -> None:
        """End runs on older commits of a branch or pull request whose newest commit is `sha`."""
        found = await self._of_checks(repo, number)
        await self._end(
            [
                run
                for run, failed in found
                if failed.sha != sha
                and failed.pull_request == number
                and (number is not None or failed.branch == branch)
            ]
        )

    async def merged(self, repo: Repo, head: str) -> str:
        """End runs on a merge group that was merged; return what was done."""
        found = await self._of_checks(repo, None)
        return await self._end([run for run, failed in found if failed.sha == head])

    async def _by_themselves(self, repo: Repo, number: int) -> list[tuple[RunRecord, str]]:
        """Return runs on a pull request that nobody asked for, each with the head that it is for."""
        heads: list[tuple[RunRecord, str]] = []
        for run in await self._runs.active(repo, number):
            if run.request.failed is not None:
                heads.append((run, run.request.failed.sha))
            elif run.request.redoes is not None:
                heads.append((run, run.request.redoes.head))
        return heads

    async def _of_checks(
        self, repo: Repo, number: int | None
    ) -> list[tuple[RunRecord, FailedCommit]]:
        active = await self._runs.active(repo, number)
        return [(run, run.request.failed) for run in active if run.request.failed is not None]

    async def _end(self, runs: list[RunRecord]) -> str:
        for run in runs:
            if run.status is RunStatus.WAITING:
                await self._approvals.end(run, ApprovalAnswer.EXPIRED, "")
            else:
                await self._runs.request_stop(run.id)
        return did.superseded([run.id for run in runs]) if runs else did.NO_RUN_AFFECTED
