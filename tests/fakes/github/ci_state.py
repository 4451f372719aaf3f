"""How checks of a commit come about and end, in the state of the stand-in."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.fakes.github.ci_model import (
    ACTIONS,
    CheckSuite,
    CommitStatus,
    Job,
    RunState,
    Step,
    WorkflowRun,
)
from tests.fakes.github.model import CheckRun, Repository

if TYPE_CHECKING:
    from tests.fakes.github.state import GitHubState

FAILED = frozenset({"failure", "timed_out", "cancelled"})


class ContinuousIntegration:
    """What runners and services do to the commits of a state's repositories."""

    def __init__(self, state: GitHubState) -> None:
        self._state = state

    def workflow_run(
        self, repo: Repository, sha: str, branch: str, *, name: str = "CI", event: str = "push"
    ) -> WorkflowRun:
        """Return the run of a workflow on a commit, begun at first use."""
        for run in repo.workflow_runs.values():
            if (run.head_sha, run.name) == (sha, name):
                return run
        state = self._state
        path = f".github/workflows/{name.lower()}.yml"
        run = WorkflowRun(
            state.next_id(), state.next_id(), name, path, sha, branch, state.now(), event
        )
        repo.workflow_runs[run.id] = run
        return run

    def job(
        self,
        repo: Repository,
        run: WorkflowRun,
        name: str,
        *,
        status: RunState = "completed",
        conclusion: str | None = None,
        steps: list[Step] | None = None,
        log: bytes | None = None,
    ) -> CheckRun:
        """Set what became of a job of a run, and return its check run."""
        state, over = self._state, status == "completed"
        job = next((item for item in run.jobs if item.name == name), None)
        if job is None:
            job = Job(state.next_id(), name, state.now())
            run.jobs.append(job)
            check = CheckRun(job.id, run.head_sha, {"name": name}, started_at=state.now())
            check.app, check.suite_id = ACTIONS, run.suite_id
            repo.check_runs[job.id] = check
        job.status, job.conclusion = status, conclusion
        job.completed_at = state.now() if over else None
        job.steps = steps if steps is not None else [Step("Set up job"), Step(name)]
        job.log = log
        check = repo.check_runs[job.id]
        check.completed_at = job.completed_at
        check.fields["status"] = status
        check.fields.pop("conclusion", None)
        if conclusion is not None:
            check.fields["conclusion"] = conclusion
        return check

    def rerun_failed(self, repo: Repository, run: WorkflowRun) -> None:
        """Put new jobs in the place of those that failed; they are queued."""
        run.attempt += 1
        failed = [job.name for job in run.jobs if job.conclusion in FAILED]
        run.jobs = [job for job in run.jobs if job.name not in failed]
        for name in failed:
            self.job(repo, run, name, status="queued")

    def check(
        self,
        repo: Repository,
        sha: str,
        name: str,
        *,
        app: str,
        conclusion: str | None = None,
        output: dict[str, str] | None = None,
    ) -> CheckRun:
        """Add a check run of another App; without a conclusion it still runs."""
        state = self._state
        run = CheckRun(state.next_id(), sha, {"name": name}, started_at=state.now())
        run.app = app
        run.fields["status"] = "completed" if conclusion else "in_progress"
        if conclusion is not None:
            run.fields["conclusion"] = conclusion
            run.completed_at = state.now()
        if output is not None:
            run.fields["output"] = output
        repo.check_runs[run.id] = run
        return run

    def status(
        self, repo: Repository, sha: str, context: str, state: str, description: str = ""
    ) -> CommitStatus:
        """Add a commit status, as services do that are no Apps."""
        status = CommitStatus(
            self._state.next_id(), sha, context, "pending", self._state.now(), description or None
        )
        match state:
            case "error" | "failure" | "success":
                status.state = state
            case _:
                pass
        repo.statuses.append(status)
        return status

    def suites(self, repo: Repository, sha: str) -> list[CheckSuite]:
        """Return the check suites of a commit; GitHub gives one to our App unasked."""
        found = [
            CheckSuite(
                run.suite_id,
                ACTIONS,
                sha,
                run.branch,
                run.status,
                run.conclusion,
                len(run.jobs),
                run.created_at,
            )
            for run in repo.workflow_runs.values()
            if run.head_sha == sha
        ]
        others = [
            run
            for run in repo.check_runs.values()
            if run.head_sha == sha and (run.app or self._state.app.slug) != ACTIONS
        ]
        others.sort(key=lambda run: run.app or self._state.app.slug)
        for app, group in itertools.groupby(others, lambda run: run.app or self._state.app.slug):
            found.append(self._suite(app, sha, list(group)))
        if not any(suite.app == self._state.app.slug for suite in found):
            ours = CheckSuite(
                1, self._state.app.slug, sha, None, "queued", None, 0, self._state.now()
            )
            found.append(ours)
        return found

    def _suite(self, app: str, sha: str, runs: list[CheckRun]) -> CheckSuite:
        over = all(run.fields.get("status") == "completed" for run in runs)
        ends = {run.fields.get("conclusion") for run in runs}
        conclusion = ("failure" if ends & FAILED else "success") if over else None
        status = "completed" if over else "in_progress"
        first = runs[0].id
        return CheckSuite(first, app, sha, None, status, conclusion, len(runs), self._state.now())
