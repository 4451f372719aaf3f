"""Find the jobs whose outputs make a matrix: it is known only after they ran."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    expressions_in,
    render_text,
)
from bot.ci.workflow.plan.jobs import JobLeg
from bot.ci.workflow.plan.matrix import Leg
from bot.ci.workflow.spec.document import WorkflowUnreadable, read_workflow
from bot.ci.workflow.spec.specification import JobSpec, StepSpec, WorkflowSpec
from bot.ecosystems.tree import Tree

_OUTPUTS = re.compile(r"needs\.(?P<job>[\w-]+)\.outputs\b")
_STEP = re.compile(r"\bsteps\.(?P<step>[\w-]+)")


def next_producer(tree: Tree, target: JobLeg, event: EventFacts) -> JobLeg | None:
    """Return the job that has to run next before the matrix of a job can be known.

    None where the matrix is known, or nothing that can run here makes it: a job with a matrix of
    its own has several outputs of one name, and one that calls a workflow has no steps.

    Args:
        tree: The repository.
        target: The job, with `unknown` in its matrix.
        event: What its workflow ran for, with the outputs of the jobs that ran before.
    """
    for workflow in _workflows(tree, target):
        for job in _producers(workflow, target.unknown):
            if (workflow.path, job.id) not in event.ran:
                names = (job.name or job.id,)
                return JobLeg(workflow, target.entry, job, Leg(), names, dict(event.inputs))
    return None


def _workflows(tree: Tree, target: JobLeg) -> Iterator[WorkflowSpec]:
    """Yield the workflow of a job, and the one that calls it: its inputs may make the matrix."""
    yield target.workflow
    if target.entry != target.workflow.path and (text := tree.read(target.entry)) is not None:
        try:
            yield read_workflow(target.entry, text)
        except WorkflowUnreadable:
            return


def _producers(workflow: WorkflowSpec, unknown: tuple[str, ...]) -> Iterator[JobSpec]:
    """Yield the jobs that make the values of those names, each behind those that it reads itself."""
    asked = [match["job"] for name in unknown for match in _OUTPUTS.finditer(name)]
    behind: dict[str, None] = {}
    while asked:
        job = workflow.jobs.get(asked.pop())
        if job is None or job.id in behind or job.uses or job.matrix or not job.outputs:
            continue
        behind[job.id] = None
        asked += job.needs
    yield from (workflow.jobs[name] for name in reversed(behind))


def producing_steps(job: JobSpec) -> tuple[StepSpec, ...]:
    """Return a job's steps up to the last one that its outputs are made by."""
    templates = " ".join(text for text in job.outputs.values() if isinstance(text, str))
    asked = {match["step"] for text in expressions_in(templates) for match in _STEP.finditer(text)}
    last = max((n for n, step in enumerate(job.steps, 1) if step.id in asked), default=0)
    return job.steps[:last]


def made_outputs(job: JobSpec, scope: ExpressionContext) -> dict[str, str]:
    """Return a job's outputs after its steps ran; without those that are not known, or empty.

    Args:
        job: The job.
        scope: What is seen behind its last step.
    """
    made: dict[str, str] = {}
    for name, template in job.outputs.items():
        try:
            rendered = render_text(template, scope)
        except ExpressionError:
            continue
        if rendered.text and not rendered.unknown:
            made[name] = rendered.text
    return made
