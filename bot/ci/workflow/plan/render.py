"""Write a plan as JSON, and jobs as the words of a command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from bot.ci.workflow.expressions import Partly, Unknown, Value, as_text
from bot.ci.workflow.plan.differences import differences
from bot.ci.workflow.plan.jobs import JobLeg
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.reporting.reasons import job_steps


def job_json(target: JobLeg) -> dict[str, Any]:
    """Return a job of a listing."""
    return {
        "name": target.names[0],
        "workflow": target.entry,
        "job": target.job.id,
        "matrix": _plain(target.leg.values),
        "line": target.job.line,
        "steps": len(target.job.steps),
    }


def plan_json(plan: JobPlan) -> dict[str, Any]:
    """Return a plan. Scripts are as they would run, unknown values empty."""
    return {
        **job_json(plan.target),
        "event": plan.event.name,
        "runs_on": list(plan.labels),
        "environment": {**plan.environment, **plan.runner},
        "differences": list(differences(plan)),
        "steps": [_step(planned) for planned in plan.steps],
    }


def _step(planned: PlannedStep) -> dict[str, Any]:
    step = planned.step
    command = step.command
    return {
        "number": step.spec.number,
        "name": step.title,
        "line": step.spec.line,
        "decision": step.decision.value,
        "uses": step.spec.uses or None,
        "here": step.need.value if step.need else None,
        "said": list(step.said),
        "unknown": list(step.unknown),
        "script": command.script if command else None,
        "shell": (command.shell or "bash") if command else None,
        "directory": command.directory if command else None,
        "environment": dict(command.environment) if command else {},
        "command": command.text() if command else None,
        "steps": [_step(inner) for inner in planned.inner],
    }


def _plain(value: Value) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, Unknown | Partly) else value


def arguments_for(target: JobLeg) -> str:
    """Return the options that choose this job on a command line."""
    file = ["--workflow", target.entry.rpartition("/")[2]]
    values = target.leg.values
    plain = all(value is None or isinstance(value, str | int | float) for value in values.values())
    if not plain or target.entry != target.workflow.path:
        return shlex.join([*file, "--job", target.names[0]])
    matrix = [
        word for key, value in values.items() for word in ("--matrix", f"{key}={as_text(value)}")
    ]
    return shlex.join([*file, "--job", target.job.id, *matrix])


def plan_lines(plan: JobPlan) -> Iterator[str]:
    """Yield the plan for a terminal."""
    yield job_steps.plan_title(plan.name, plan.target.entry, plan.target.job.id, plan.event.name)
    yield ""
    yield "Steps:"
    for planned in plan.steps:
        yield from _step_lines(planned, "  ")
    yield ""
    yield job_steps.DIFFERENCES_FOLLOW
    for sentence in differences(plan):
        yield f"  - {sentence}"


_SIGNS = {"run": "*", "skip": "-", "on-failure": "-", "unsure": "?"}


def _step_lines(planned: PlannedStep, indent: str) -> Iterator[str]:
    step = planned.step
    sign = _SIGNS[step.decision.value]
    notes = {"skip": job_steps.CONDITION_FALSE, "on-failure": job_steps.ONLY_AFTER_FAILURE}
    yield f"{indent}{sign} {step.spec.number}. {step.title}{notes.get(step.decision.value, '')}"
    if step.decision.value in notes:
        return
    if step.need is not None:
        yield f"{indent}     {' '.join(step.said)}"
    if step.command is not None:
        if step.command.directory != "/workspace":
            yield f"{indent}     {job_steps.in_folder(step.command.directory)}"
        for name, value in step.command.environment.items():
            yield f"{indent}     {name}={shlex.quote(value)}"
        if step.spec.uses or len(step.command.script.strip().splitlines()) > 1 or step.spec.name:
            for line in step.command.script.strip().splitlines():
                yield f"{indent}     | {line}"
    for inner in planned.inner:
        yield from _step_lines(inner, f"{indent}    ")
