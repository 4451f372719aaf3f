"""What continuous integration leaves on a commit: workflow runs with their jobs, and statuses.

A job is a check run, as on GitHub: both have the same id. A workflow run is a check suite.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ACTIONS = "github-actions"
"""Slug of the App that GitHub's own runners report as."""

RunState = Literal["queued", "in_progress", "completed"]


@dataclass(slots=True, eq=False)
class Step:
    """A step of a job."""

    name: str
    conclusion: str | None = None


@dataclass(slots=True, eq=False)
class Job:
    """A job of a workflow run; `log` is what its steps printed, None once GitHub dropped it."""

    id: int
    name: str
    started_at: datetime
    status: RunState = "queued"
    conclusion: str | None = None
    steps: list[Step] = field(default_factory=list)
    log: bytes | None = None
    completed_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Artifact:
    """A file that a workflow run left; `content` is the zip, None once it expired."""

    id: int
    name: str
    content: bytes | None


@dataclass(slots=True, eq=False)
class WorkflowRun:
    """One run of a workflow on a commit; `archive` are its logs when they differ from the jobs'."""

    id: int
    suite_id: int
    name: str
    path: str
    head_sha: str
    branch: str
    created_at: datetime
    event: str = "push"
    attempt: int = 1
    jobs: list[Job] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    archive: bytes | None = None
    referenced: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> RunState:
        """What its jobs come to."""
        states = {job.status for job in self.jobs}
        if states <= {"completed"}:
            return "completed"
        return "queued" if states == {"queued"} else "in_progress"

    @property
    def conclusion(self) -> str | None:
        """The worst of its jobs; None while one is not over."""
        if self.status != "completed":
            return None
        ends = [job.conclusion for job in self.jobs]
        worst = ("failure", "timed_out", "cancelled", "success")
        return next((end for end in worst if end in ends), "success")


@dataclass(slots=True, eq=False)
class CommitStatus:
    """What a service that is no App says of a commit."""

    id: int
    sha: str
    context: str
    state: Literal["error", "failure", "pending", "success"]
    created_at: datetime
    description: str | None = None
    target_url: str | None = None


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """The check runs of one App on a commit, or of one workflow run."""

    id: int
    app: str
    head_sha: str
    branch: str | None
    status: str
    conclusion: str | None
    runs: int
    created_at: datetime
