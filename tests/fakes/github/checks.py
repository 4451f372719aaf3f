"""Endpoints of check runs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tests.fakes.github.endpoint import Call, Endpoint, Fields, Needs, Refusal, Reply, not_found
from tests.fakes.github.model import CheckRun

READ: Needs = ({"checks": "read"},)
WRITE: Needs = ({"checks": "write"},)

Status = Literal["queued", "in_progress", "completed"]
Conclusion = Literal[
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "success",
    "skipped",
    "timed_out",
]


class AnnotationSent(Fields):
    """A remark at lines of a file."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["notice", "warning", "failure"]
    message: str
    title: str | None = None
    start_column: int | None = None
    end_column: int | None = None
    raw_details: str | None = None


class Output(Fields):
    """What a check run says."""

    title: str | None = None
    summary: str = Field(max_length=65535)
    text: str | None = Field(default=None, max_length=65535)
    annotations: list[AnnotationSent] = Field(default=[], max_length=50)


class Action(Fields):
    """A button."""

    label: str = Field(max_length=20)
    description: str = Field(max_length=40)
    identifier: str = Field(max_length=20)


class CheckChange(Fields):
    """What of a check run to set."""

    name: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    status: Status | None = None
    conclusion: Conclusion | None = None
    started_at: str | None = None
    completed_at: str | None = None
    output: Output | None = None
    actions: list[Action] | None = Field(default=None, max_length=3)


class NewCheck(CheckChange):
    """A check run."""

    name: str
    head_sha: str


def create_check(call: Call) -> Reply:
    """Create a check run of the App."""
    repo, new = call.repo, call.given(NewCheck)
    if repo.git.type_of(new.head_sha) != "commit":
        raise Refusal(422, f"No commit found for SHA: {new.head_sha}")
    run = CheckRun(call.state.next_id(), new.head_sha, {}, started_at=call.state.now())
    _set(call, run, new)
    repo.check_runs[run.id] = run
    return Reply(201, call.views.check_run(repo, run))


def change_check(call: Call) -> Reply:
    """Set fields of a check run; annotations are added."""
    run = _check(call)
    _set(call, run, call.given(CheckChange))
    return Reply(200, call.views.check_run(call.repo, run))


def show_check(call: Call) -> Reply:
    """Show a check run."""
    return Reply(200, call.views.check_run(call.repo, _check(call)))


def list_annotations(call: Call) -> Reply:
    """List a check run's annotations."""
    repo, run = call.repo, _check(call)
    return call.page(run.annotations, lambda sent: call.views.annotation(repo, run, sent))


def list_checks(call: Call) -> Reply:
    """List the check runs of a commit, newest first."""
    repo = call.repo
    head, name = repo.git.resolve(call.parameters["ref"]), call.query.get("check_name")
    if head is None:
        raise Refusal(422, f"No commit found for SHA: {call.parameters['ref']}")
    runs = [
        run
        for run in reversed(repo.check_runs.values())
        if run.head_sha == head and name in {None, run.fields["name"]}
    ]
    if call.query.get("filter", "latest") == "latest":
        runs = list({run.fields["name"]: run for run in reversed(runs)}.values())
    return call.page(runs, lambda run: call.views.check_run(repo, run), key="check_runs")


def _set(call: Call, run: CheckRun, change: CheckChange) -> None:
    fields: dict[str, Any] = change.model_dump(exclude_none=True, exclude={"head_sha"})
    run.annotations += fields.get("output", {}).pop("annotations", [])
    run.fields.update(fields)
    if "conclusion" in fields:
        run.fields["status"] = "completed"
    if run.fields.get("status") == "completed":
        if "conclusion" not in run.fields:
            raise Refusal(422, 'Invalid request.\n\nMissing required key "conclusion".')
        run.completed_at = run.completed_at or call.state.now()


def _check(call: Call) -> CheckRun:
    run = call.repo.check_runs.get(call.number("check_run_id"))
    if run is None:
        raise not_found()
    return run


_CHECK = "/repos/{owner}/{repo}/check-runs/{check_run_id}"

ENDPOINTS = (
    Endpoint("POST", "/repos/{owner}/{repo}/check-runs", create_check, WRITE, NewCheck),
    Endpoint("GET", _CHECK, show_check, READ),
    Endpoint("PATCH", _CHECK, change_check, WRITE, CheckChange),
    Endpoint("GET", f"{_CHECK}/annotations", list_annotations, READ),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", list_checks, READ),
)
