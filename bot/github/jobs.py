"""Read what GitHub Actions and other Apps know of a failed check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from bot.github.client import Connection
from bot.github.downloads import Archive, Sink
from bot.model.check_report import Annotation

S = TypeVar("S", bound=Sink)

MOST_ANNOTATIONS = 100


@dataclass(frozen=True, slots=True)
class JobStep:
    """A step of a job. Times are UTC, to the second; `conclusion` is "" while it runs."""

    name: str
    number: int
    conclusion: str
    started: datetime | None
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class WorkflowJob:
    """A job of a workflow run.

    Attributes:
        id: Its own, and its check run's.
        run_id: Of the workflow run.
        name: Its check's name.
        labels: Of the runner that it asked for.
        attempt: How often the workflow run was started.
    """

    id: int
    run_id: int
    name: str
    labels: tuple[str, ...]
    attempt: int
    steps: tuple[JobStep, ...]


class ReferencedWorkflow(NamedTuple):
    """A reusable workflow that a run called: `owner/name/path@ref`, and the commit that it had."""

    path: str
    sha: str


@dataclass(frozen=True, slots=True)
class WorkflowFacts:
    """A workflow run.

    Attributes:
        path: Of its workflow file.
        event: What it ran for.
        attempt: How often it was started.
        referenced: The reusable workflows that it called.
    """

    id: int
    path: str
    event: str
    branch: str
    attempt: int = 1
    referenced: tuple[ReferencedWorkflow, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """What a check run says of itself: title, summary and text put together."""

    text: str


@dataclass(frozen=True, slots=True)
class ArtifactFacts:
    """A file that a workflow run left. `size` is in bytes, of the zip."""

    id: int
    name: str
    size: int
    expired: bool


async def read_job(actions: Connection, job_id: int) -> WorkflowJob:
    """Return a job with its steps."""
    answer = await actions.get("/actions/jobs/{job}", job=job_id)
    return WorkflowJob(
        id=answer["id"],
        run_id=answer["run_id"],
        name=answer["name"],
        labels=tuple(answer["labels"]),
        attempt=answer.get("run_attempt") or 1,
        steps=tuple(_step(step) for step in answer.get("steps") or ()),
    )


async def read_run(actions: Connection, run_id: int) -> WorkflowFacts:
    """Return a workflow run."""
    answer = await actions.get("/actions/runs/{run}", run=run_id)
    path = answer["path"].partition("@")[0]  # of a workflow in another place: `path@ref`
    return WorkflowFacts(
        answer["id"],
        path,
        answer["event"],
        answer["head_branch"] or "",
        answer.get("run_attempt") or 1,
        tuple(
            ReferencedWorkflow(item["path"], item["sha"])
            for item in answer.get("referenced_workflows") or ()
        ),
    )


async def rerun_failed(actions: Connection, run_id: int) -> None:
    """Start the failed jobs of a run, and those that need them, once more.

    Source: https://docs.github.com/en/rest/actions/workflow-runs#re-run-failed-jobs-from-a-workflow-run
    """
    await actions.post("/actions/runs/{run}/rerun-failed-jobs", {}, run=run_id)


async def read_annotations(checks: Connection, check_run: int) -> tuple[Annotation, ...]:
    """Return the first annotations of a check run."""
    found = await checks.get_all(
        "/check-runs/{check}/annotations",
        check=check_run,
        enough=lambda items: len(items) >= MOST_ANNOTATIONS,
    )
    return tuple(_annotation(each) for each in found[:MOST_ANNOTATIONS])


async def read_output(checks: Connection, check_run: int) -> CheckOutput:
    """Return what a check run says of itself."""
    answer = await checks.get("/check-runs/{check}", check=check_run)
    output = answer["output"]
    parts = (output.get("title"), output.get("summary"), output.get("text"))
    return CheckOutput("\n\n".join(part for part in parts if part))


async def passed_at(checks: Connection, commit: str, name: str) -> bool | None:
    """Return whether the check of that name passed at a commit; None when it did not run there."""
    found = await checks.get_all(
        "/commits/{commit}/check-runs?check_name={name}",
        items="check_runs",
        commit=commit,
        name=name,
    )
    ends = {run["conclusion"] for run in found if run["status"] == "completed"}
    return "success" in ends and "failure" not in ends if ends else None


async def list_artifacts(actions: Connection, run_id: int) -> tuple[ArtifactFacts, ...]:
    """Return what a workflow run left."""
    found = await actions.get_all("/actions/runs/{run}/artifacts", items="artifacts", run=run_id)
    return tuple(
        ArtifactFacts(item["id"], item["name"], item["size_in_bytes"], item["expired"])
        for item in found
    )


async def read_artifact(actions: Connection, artifact: ArtifactFacts) -> Archive:
    """Return an artifact's zip."""
    return await actions.download(
        "/actions/artifacts/{artifact}/zip",
        lambda: Archive(f"The artifact `{artifact.name}`"),
        artifact=artifact.id,
    )


async def read_log(actions: Connection, job_id: int, make: Callable[[], S]) -> S:
    """Return the log of a job, fed into what `make` returns; raises `Gone` when it is not there."""
    return await actions.download("/actions/jobs/{job}/logs", make, job=job_id)


async def read_run_logs(actions: Connection, run_id: int) -> Archive:
    """Return the logs of all jobs of a run, as a zip with a text file for each."""
    return await actions.download(
        "/actions/runs/{run}/logs", lambda: Archive("The log archive"), run=run_id
    )


def _step(step: Mapping[str, Any]) -> JobStep:
    return JobStep(
        name=step["name"],
        number=step["number"],
        conclusion=step["conclusion"] or "",
        started=_moment(step.get("started_at")),
        ended=_moment(step.get("completed_at")),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _annotation(answer: Mapping[str, Any]) -> Annotation:
    return Annotation(
        path=answer["path"],
        start_line=answer["start_line"],
        end_line=answer["end_line"],
        level=answer["annotation_level"] or "notice",
        message=answer["message"] or "",
        title=answer["title"] or "",
    )
