"""The contexts that expressions see: what is known of the event, the runner and the job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.ci.workflow.expressions import JobStatus, Partly, Unknown, Value
from bot.ci.workflow.literal_outputs import outputs_of
from bot.ci.workflow.specification import JobSpec
from sandbox.base import SCRATCH, WORKSPACE

_UNKNOWN_WHOLE = ("secrets", "vars")


@dataclass(frozen=True, slots=True)
class EventFacts:
    """What is known of the event that a workflow ran for. Empty text means: not known.

    Attributes:
        name: `push`, `pull_request`.
        ref: `refs/heads/main`.
        repository: `owner/name`.
        base_ref: Branch that a pull request goes into.
        head_ref: Branch that a pull request comes from.
        payload: The webhook's payload as far as it is known.
        inputs: `inputs` of a manual or calling run.
        ran: Outputs of jobs that were run here before, by the workflow's path and the job's id.
    """

    name: str = "push"
    ref: str = ""
    sha: str = ""
    repository: str = ""
    base_ref: str = ""
    head_ref: str = ""
    default_branch: str = ""
    payload: Mapping[str, Value] = field(default_factory=dict)
    inputs: Mapping[str, Value] = field(default_factory=dict)
    ran: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)

    def outputs_in(self, workflow: str) -> Mapping[str, Mapping[str, str]]:
        """Return the outputs of the jobs of one workflow that were run here, by their ids."""
        return {job: outputs for (path, job), outputs in self.ran.items() if path == workflow}


@dataclass(frozen=True, slots=True)
class Runner:
    """What `runner` tells: the machine at GitHub, so that conditions decide as they did there."""

    os: str = "Linux"
    arch: str = "X64"


def github_context(event: EventFacts, workflow: str, job: str) -> Partly:
    """Return the `github` context; what an event does not tell is unknown."""
    known: dict[str, Value] = {
        "event_name": event.name,
        "workflow": workflow,
        "job": job,
        "workspace": WORKSPACE,
        "server_url": "https://github.com",
        "api_url": "https://api.github.com",
        "graphql_url": "https://api.github.com/graphql",
        "run_attempt": "1",
        "event": Partly("github.event", _payload(event)),
    }
    if event.ref:
        known |= {"ref": event.ref, **_ref_parts(event.ref)}
    if event.sha:
        known["sha"] = event.sha
    if event.repository:
        owner, _, _ = event.repository.partition("/")
        known |= {"repository": event.repository, "repository_owner": owner}
    if event.name.startswith("pull_request"):
        known |= {
            key: value
            for key, value in (("base_ref", event.base_ref), ("head_ref", event.head_ref))
            if value
        }
    else:
        known |= {"base_ref": "", "head_ref": ""}
    return Partly("github", known)


def _payload(event: EventFacts) -> Mapping[str, Value]:
    """Return the payload; what this event can't have is null instead of unknown."""
    payload = {key: _partly(f"github.event.{key}", item) for key, item in event.payload.items()}
    if not event.name.startswith("pull_request"):
        payload.setdefault("pull_request", None)
    if event.name != "workflow_dispatch":
        payload.setdefault("inputs", None)
    repository: dict[str, Value] = {}
    if event.repository:
        name = event.repository.partition("/")[2]
        repository = {"full_name": event.repository, "name": name}
    if event.default_branch:
        repository["default_branch"] = event.default_branch
    payload.setdefault("repository", Partly("github.event.repository", repository))
    return payload


def _partly(name: str, value: Value) -> Value:
    """Return a known mapping as one that may have more keys at GitHub."""
    if not isinstance(value, Mapping):
        return value
    return Partly(name, {key: _partly(f"{name}.{key}", item) for key, item in value.items()})


def _ref_parts(ref: str) -> dict[str, Value]:
    for prefix, kind in (("refs/heads/", "branch"), ("refs/tags/", "tag")):
        if ref.startswith(prefix):
            return {"ref_name": ref.removeprefix(prefix), "ref_type": kind}
    return {"ref_name": ref.removeprefix("refs/pull/").removeprefix("refs/")}


def base_contexts(event: EventFacts, workflow: str, job: str, runner: Runner) -> dict[str, Value]:
    """Return the contexts that every expression of a job can see, without the job's own."""
    temp = f"{SCRATCH}/runner"
    return {
        "github": github_context(event, workflow, job),
        "runner": Partly(
            "runner",
            {
                "os": runner.os,
                "arch": runner.arch,
                "temp": temp,
                "tool_cache": str(PurePosixPath(temp, "tools")),
                "debug": "",
                "environment": "github-hosted",
            },
        ),
        "strategy": Partly("strategy", {}),
        "inputs": dict(event.inputs),
        "job": Partly("job", {"status": JobStatus.SUCCESS.value}),
        **{name: Unknown((name,)) for name in _UNKNOWN_WHOLE},
    }


def needs_context(
    needs: tuple[str, ...], jobs: Mapping[str, JobSpec], ran: Mapping[str, Mapping[str, str]]
) -> dict[str, Value]:
    """Return `needs`: the jobs before this one succeeded, with the outputs that are known.

    Args:
        needs: Ids of the jobs before this one.
        jobs: All jobs of the workflow.
        ran: Outputs of those that were run here.
    """
    return {
        job: {
            "result": "success",
            "outputs": outputs_of(jobs[job], ran.get(job, {}))
            if job in jobs and not jobs[job].uses
            else Unknown((f"needs.{job}.outputs",)),
        }
        for job in needs
    }
