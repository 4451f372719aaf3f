"""The contexts that expressions see: what is known of the event, the runner and the job."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    JobStatus,
    Partly,
    Unknown,
    Value,
    as_text,
    render,
)
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.services.services import published
from bot.ci.workflow.spec.specification import JobSpec, Raw
from sandbox.base import WORKSPACE

_OF_STEP = re.compile(r"\$\{\{\s*steps\.(?P<step>[\w-]+)\.outputs\.(?P<name>[\w-]+)\s*\}\}")
_WRITTEN = re.compile(r"(?P<echo>echo .*[^\s>])\s*>>?\s*[\"']?\$\{?GITHUB_OUTPUT\}?[\"']?")
_TOLD = re.compile(r"(?P<echo>echo [\"']?::set-output .*)")
_COMMAND = re.compile(r"::set-output name=(?P<name>[\w-]+)::(?P<value>.*)")
"""The workflow command that `GITHUB_OUTPUT` has replaced."""

_CHANGES = frozenset("$`")
"""With one of these the shell writes something else than the script says."""


def outputs_of(job: JobSpec, ran: Mapping[str, str]) -> Value:
    """Return a job's outputs; of those that did not come when it ran, what a step writes as it is.

    Args:
        job: The job.
        ran: Its outputs, if it was run here.
    """
    known = {name: value for name, text in job.outputs.items() for value in _known(job, text)}
    return Partly(f"needs.{job.id}.outputs", {**known, **ran})


def _known(job: JobSpec, template: Raw) -> Iterator[str]:
    if not isinstance(template, str):
        return
    if "${{" not in template:
        yield template
    if found := _OF_STEP.fullmatch(template.strip()):
        scripts = [step.run or "" for step in job.steps if step.id == found["step"]]
        written = [value for script in scripts for value in _values(script, found["name"])]
        if len(written) == 1 and written[0] is not None:
            yield written[0]


def _values(script: str, name: str) -> Iterator[str | None]:
    """Yield what a script writes for an output, once for each time; None for what is not plain."""
    for line in script.splitlines():
        found = _WRITTEN.fullmatch(line.strip()) or _TOLD.fullmatch(line.strip())
        if found is None:
            if "GITHUB_OUTPUT" in line:  # a block, a heredoc or a program that writes there
                yield None
            continue
        outputs = _assigned(found["echo"])
        if outputs is None or name in outputs:
            yield None if outputs is None else outputs[name]


def _assigned(echo: str) -> Mapping[str, str] | None:
    """Return the output that an `echo` writes; None where the shell changes its words."""
    try:
        words = shlex.split(echo)
    except ValueError:
        return None
    if _CHANGES & set(echo) or len(words) != 2:  # noqa: PLR2004 - echo and one word
        return None
    command = _COMMAND.fullmatch(words[1])
    name, _, value = words[1].partition("=")
    return {command["name"]: command["value"]} if command else {name: value}


_UNKNOWN_WHOLE = ("secrets", "vars")


@dataclass(frozen=True, slots=True)
class RunnerContext:
    """What `runner` tells: the machine at GitHub, so that conditions decide as they did there."""

    os: str = "Linux"
    arch: str = "X64"


REPOSITORY = "owner/repository"
"""What stands for the name of a repository that is not known."""

_STANDING_IN: Mapping[str, str] = {
    **dict.fromkeys(("actor", "triggering_actor"), "fixpoint"),
    **dict.fromkeys(("actor_id", "repository_id", "repository_owner_id"), "1"),
    **dict.fromkeys(("run_id", "run_number"), "1"),
    "ref_protected": "false",
    "repository": REPOSITORY,
    "repository_owner": REPOSITORY.partition("/")[0],
    "retention_days": "90",
}
"""Harmless values of `github` for what only GitHub's run has: conditions don't decide by them."""

_EXPORTED = frozenset(
    {
        *("action", "action_path", "action_ref", "action_repository", "actor", "actor_id"),
        *("api_url", "base_ref", "env", "event_name", "event_path", "graphql_url", "head_ref"),
        *("job", "path", "ref", "ref_name", "ref_protected", "ref_type", "repository"),
        *("repository_id", "repository_owner", "repository_owner_id", "retention_days"),
        *("run_attempt", "run_id", "run_number", "server_url", "sha", "state", "step_summary"),
        *("triggering_actor", "workflow", "workflow_ref", "workflow_sha", "workspace"),
    }
)
"""Values of `github` that are variables, too, besides the file for a step's outputs.

Source: `_contextEnvAllowlist` in actions/runner, src/Runner.Worker/GitHubContext.cs
"""


def runner_variables(contexts: Mapping[str, Value]) -> dict[str, str]:
    """Return the variables that steps have for what `github` and `runner` tell.

    Those of the machine tell of the one that is here, which runs the scripts.
    """
    github, runner = contexts["github"], contexts["runner"]
    found = {
        f"{name}_{key}".upper(): as_text(value)
        for name, context in (("github", github), ("runner", runner))
        for key, value in (context.known.items() if isinstance(context, Partly) else ())
        if name == "runner" or key in _EXPORTED
    }
    return {**found, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64"}


def github_context(event: EventFacts, workflow: str, job: str, entry: str = "") -> Partly:
    """Return the `github` context; what an event does not tell is unknown.

    Args:
        event: What the workflow runs for.
        workflow: Its name.
        job: The job's id.
        entry: Path of the workflow that the event starts.
    """
    known: dict[str, Value] = {
        **{key: Unknown((f"github.{key}",), text=text) for key, text in _STANDING_IN.items()},
        **runner_shell.FILES,
        **dict.fromkeys(("action_path", "action_ref", "action_repository"), ""),
        "action": "__run",
        "event_name": event.name,
        "event_path": runner_shell.EVENT_FILE,
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
        known |= {"sha": event.sha, "workflow_sha": event.sha}
    if event.repository:
        owner, _, _ = event.repository.partition("/")
        known |= {
            "repository": event.repository,
            "repository_owner": owner,
            "repositoryUrl": f"git://github.com/{event.repository}.git",
        }
    if event.repository and event.ref and entry:
        known["workflow_ref"] = f"{event.repository}/{entry}@{event.ref}"
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


def base_contexts(
    event: EventFacts, workflow: str, job: str, runner: RunnerContext, entry: str = ""
) -> dict[str, Value]:
    """Return the contexts that every expression of a job can see, without the job's own."""
    return {
        "github": github_context(event, workflow, job, entry),
        "runner": Partly(
            "runner",
            {
                "os": runner.os,
                "arch": runner.arch,
                "name": Unknown(("runner.name",), text="fixpoint"),
                "temp": runner_shell.TEMP,
                "tool_cache": f"{runner_shell.TEMP}/tools",
                "workspace": runner_shell.WORK,
                "environment": "github-hosted",
            },
        ),
        "inputs": dict(event.inputs),
        "job": Partly("job", {"status": JobStatus.SUCCESS.value}),
        **{name: Unknown((name,)) for name in _UNKNOWN_WHOLE},
    }


def job_context(declared: Mapping[str, Raw], *, container: bool) -> Partly:
    """Return `job`: the ports at which its services are reached here.

    Args:
        declared: Its services, expressions filled.
        container: Whether it runs in a container on GitHub.
    """
    services = {
        name: Partly(f"job.services.{name}", {"ports": ports})
        for name, ports in published(declared).items()
    }
    return Partly(
        "job",
        {
            "status": JobStatus.SUCCESS.value,
            "services": services,
            "container": Partly("job.container") if container else {},
        },
    )


_STRATEGY_VALUES = 4


def strategy_context(
    job: JobSpec, index: int, total: int | None, scope: ExpressionContext
) -> Value:
    """Return `strategy` of one leg, all of it where its four values are known.

    Args:
        job: The job.
        index: Of the leg, from 0.
        total: How many legs there are, None where that is not known.
        scope: What the values of `strategy` see.
    """
    known: dict[str, Value] = {} if total is None else {"job-index": index, "job-total": total}
    for key, value, otherwise in (
        ("fail-fast", job.fail_fast, True),
        ("max-parallel", job.max_parallel, total),
    ):
        try:
            found = otherwise if value is None else render(value, scope)
        except ExpressionError:
            continue
        if found is not None:
            known[key] = found
    return known if len(known) == _STRATEGY_VALUES else Partly("strategy", known)


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
