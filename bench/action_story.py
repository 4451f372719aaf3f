"""A failed job on a GitHub of this machine, and the real server beside it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.action_cases import ActionCase, FailedJob, ended
from bench.case import run_git
from bench.processes import Failed, without_settings
from bench.serving import settings_of
from bot.model import Report
from bot.storage.runs import RunStatus
from bot.storage.stored_json import load_report
from demo.serving import serve
from tests.fakes.github import GitHubServer, GitHubState, Issue, Repository
from tests.fakes.github.ci_model import Step

_CONFIG = "checks: {auto: all, settle: 0, red_on_base: true}\n"
_ENDED = frozenset({RunStatus.DONE, RunStatus.WAITING})
_LONGEST = 3600.0
_POLL_SECONDS = 0.5


class Story:
    """A pull request whose check fails, on a GitHub of this machine, and the server beside it."""

    def __init__(
        self, case: ActionCase, job: FailedJob, log: bytes, folder: Path, mirror: Path
    ) -> None:
        self._case = case
        self._job = job
        self._log = log
        self._folder = folder
        self._state = GitHubState(folder / "github")
        self._head = case.sha
        self.repository = self._repository(mirror)
        self._pull: Issue = self._state.open_pull_request(
            self.repository, "ada", "A change", head="feature"
        )
        self._state.install(self.repository.owner.login)
        self._github = GitHubServer(self._state)
        self._webhook = ""

    @asynccontextmanager
    async def told(self) -> AsyncIterator[Story]:
        """Run GitHub and the server while the block lasts."""
        async with self._github:
            environment = without_settings() | settings_of(self._github, self._folder)
            async with serve(environment, self._folder / "server.log") as process:
                self._webhook = f"{process.url}/webhook"
                yield self

    async def check_fails(self) -> None:
        """GitHub Actions ran the job on the head of the pull request, and it failed."""
        ci, case = self._state.ci, self._case
        event = "pull_request" if self._job.plan.event.name.startswith("pull") else "push"
        run = ci.workflow_run(self.repository, self._head, "feature", name="CI", event=event)
        run.path, run.created_at = case.workflow, ended(case)[0]
        check = ci.job(
            self.repository,
            run,
            self._name(),
            conclusion="failure",
            steps=self._steps(),
            log=self._log,
        )
        run.jobs[0].started_at, run.jobs[0].completed_at = ended(case)
        for sent in self._github.check_events(self.repository, check):
            await self._github.deliver(sent, self._webhook)

    async def report(self) -> Report:
        """Return the run's report, once there is one.

        Raises:
            Failed: When there is none in time, or the run ended without.
        """
        file = self._folder / "data" / "fixpoint.db"
        deadline = time.monotonic() + _LONGEST
        while time.monotonic() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
            with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
                rows = database.execute("select status, reason, report from runs").fetchall()
            for status, reason, report in rows:
                if status in _ENDED:
                    if report is None:
                        raise Failed(f"{self._case.id}: {reason}")
                    return load_report(report)
        raise Failed(f"{self._case.id}: no verdict in time.")

    def published(self) -> str | None:
        """Return the commit that Fixpoint's pull request offers, or None."""
        git = self.repository.git
        pulls = [issue for issue in self.repository.issues.values() if issue.pull is not None]
        ours = [pull.pull for pull in pulls if pull is not self._pull and pull.pull is not None]
        return git.resolve(ours[0].head_ref) if ours else None

    def said(self) -> str:
        """Return all that people read of it."""
        issues = self.repository.issues.values()
        return "\n\n---\n\n".join(comment.body for issue in issues for comment in issue.comments)

    def _repository(self, mirror: Path) -> Repository:
        """Return a repository with the failing commit, and the one before it as its base."""
        repo = self._state.add_repository(self._case.repo, roles={"ada": "admin"})
        objects = run_git(mirror, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        (repo.git.path / "objects/info/alternates").write_text(objects)
        before = repo.git.resolve(f"{self._head}^") or self._head
        if _has_gaps(mirror, self._head):
            before = _commit(repo.git.path, f"{before}^{{tree}}")
            self._head = _commit(repo.git.path, f"{self._head}^{{tree}}", "-p", before)
        config: dict[str, str | bytes | None] = {".github/fixpoint.yml": _CONFIG}
        self._state.push(repo, "main", config, onto=before)
        repo.git.set_reference("refs/heads/feature", self._head)
        return repo

    def _name(self) -> str:
        """Return what the check is called; GitHub knows the values of every matrix."""
        name = self._job.plan.name
        return (
            name.replace("(*)", f"({self._case.python})") if self._job.plan.target.unknown else name
        )

    def _steps(self) -> list[Step]:
        steps, conclusion = [Step("Set up job", "success")], "success"
        for planned in self._job.plan.steps:
            failed = planned is self._job.step
            steps.append(Step(planned.step.title, "failure" if failed else conclusion))
            conclusion = "skipped" if failed else conclusion
        return steps


def _has_gaps(mirror: Path, commit: str) -> bool:
    """Whether a clone lacks something of a commit's history, so that nobody can fetch that."""
    listed = run_git(mirror, "rev-list", "--objects", "--missing=print", commit)
    return any(line.startswith("?") for line in listed.split("\n"))


def _commit(git: Path, tree: str, *parents: str) -> str:
    """Return a new commit of a tree that is there."""
    author = ("-c", "user.name=ada", "-c", "user.email=ada@example.com")
    return run_git(git, *author, "commit-tree", tree, "-m", "A commit", *parents).strip()
