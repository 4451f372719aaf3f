"""Find the jobs that make the artifacts which another job takes. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.jobs import JobLeg, workflow_jobs
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep, plan_job
from bot.ci.workflow.plan.step import Decision, Step
from bot.ci.workflow.spec.specification import StepSpec, WorkflowSpec
from bot.ecosystems.tree import Tree
from bot.model.artifacts import ArtifactWish

_MOST = 4
"""Jobs that run for the artifacts of another."""


def wishes(plan: JobPlan, before: PlannedStep | None = None) -> tuple[ArtifactWish, ...]:
    """Return the artifacts of its own run that a job takes, up to one of its steps."""
    found: dict[ArtifactWish, None] = {}
    for planned in plan.steps:
        steps = [each.step for each in planned.walk()]
        found |= {step.takes: None for step in steps if step.takes is not None and _runs(step)}
        if planned is before:
            break
    return tuple(found)


def uploaders(
    tree: Tree, target: JobLeg, event: EventFacts, wanted: tuple[ArtifactWish, ...]
) -> tuple[JobPlan, ...]:
    """Return the plans of the jobs that make these artifacts, in the order of the workflow.

    Jobs for another system than Linux are left out, and so are legs whose artifacts others make.

    Args:
        tree: The repository.
        target: The job that takes the artifacts.
        event: What its workflow ran for.
        wanted: Which ones.
    """
    found: list[JobPlan] = []
    made: set[str] = set()
    for leg in _before(tree, target, event):
        try:
            plan = plan_job(tree, leg, event, keeps_artifacts=True)
        except PlanTooLarge:
            continue
        names = {step.keeps for step in _steps(plan) if step.keeps and not step.unknown}
        new = {name for name in names if any(wish.means(name) for wish in wanted)} - made
        if not new or _elsewhere(plan):
            continue
        found.append(plan)
        made |= new
        if len(found) == _MOST or _all_made(wanted, made):
            break
    return tuple(found)


def uploading_steps(plan: JobPlan) -> tuple[StepSpec, ...]:
    """Return a job's steps up to the last one that uploads something."""
    keeping = [any(each.step.keeps for each in planned.walk()) for planned in plan.steps]
    last = max((n for n, keeps in enumerate(keeping, 1) if keeps), default=0)
    return tuple(planned.step.spec for planned in plan.steps[:last])


def _before(tree: Tree, target: JobLeg, event: EventFacts) -> Iterator[JobLeg]:
    """Yield the legs that have ended when a job begins, as far as their workflows say so."""
    needed = _needed(target.workflow, target.job.needs)
    for leg in workflow_jobs(tree, target.entry, event).jobs:
        if leg.unknown or (leg.workflow.path, leg.job.id) == (target.workflow.path, target.job.id):
            continue
        if leg.workflow.path != target.workflow.path or leg.job.id in needed:
            yield leg


def _needed(workflow: WorkflowSpec, names: tuple[str, ...]) -> set[str]:
    """Return the ids of the jobs with these names, and of those that they need."""
    found: set[str] = set()
    asked = list(names)
    while asked:
        job = workflow.jobs.get(asked.pop())
        if job is not None and job.id not in found:
            found.add(job.id)
            asked += job.needs
    return found


def _steps(plan: JobPlan) -> Iterator[Step]:
    return (planned.step for planned in plan.walk() if _runs(planned.step))


def _runs(step: Step) -> bool:
    return step.decision in {Decision.RUN, Decision.UNSURE}


def _elsewhere(plan: JobPlan) -> bool:
    labels = " ".join(plan.labels).lower()
    return "windows" in labels or "macos" in labels


def _all_made(wanted: tuple[ArtifactWish, ...], made: set[str]) -> bool:
    return all(wish.name and wish.name in made for wish in wanted)
