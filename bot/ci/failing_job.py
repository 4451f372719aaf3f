"""Find, for a failed check, the job and the step behind it, and what does them again here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.ci.evidence import JobEvidence
from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.compiled import compile_job
from bot.ci.workflow.contexts import EventFacts
from bot.ci.workflow.differences import differences
from bot.ci.workflow.find import find_check
from bot.ci.workflow.jobs import JobLeg, Listing, workflow_jobs
from bot.ci.workflow.plan import JobPlan, PlannedStep, plan_job
from bot.ci.workflow.preparing import editable
from bot.ci.workflow.tool_versions import same_versions, shown
from bot.detect.tree import Tree
from bot.model import Target


@dataclass(frozen=True, slots=True)
class NotPlanned:
    """No step of a workflow can stand for a check here.

    Attributes:
        why: As a sentence.
    """

    why: str


def target_of(tree: Tree, evidence: JobEvidence, event: EventFacts) -> Target | NotPlanned:
    """Return what does the failed step again, as the workflow says at the failing commit.

    Args:
        tree: The repository at the failing commit.
        evidence: Of the check.
        event: What the workflow ran for, as far as it is known.
    """
    if not evidence.of_actions:
        return NotPlanned(_not_of_actions(evidence))
    event = replace(event, name=evidence.event or "push")
    listing = workflow_jobs(tree, evidence.workflow, event)
    found = find_check(listing.jobs, evidence.check.name)
    if not found and evidence.job:
        found = find_check(listing.jobs, evidence.job)
    if not found:
        return NotPlanned(_no_job(evidence, listing))
    plan = plan_job(tree, found[0], event)
    step = _failing_step(plan, evidence)
    if step is None:
        return NotPlanned(
            f"Which step of `{evidence.check.name}` failed is not known: neither GitHub nor the "
            "log names one that the workflow file has."
        )
    if step.step.need is ActionStatus.SKIPPED or (step.step.command is None and not step.inner):
        said = " ".join(step.step.said) or "It is an action that has no command."
        return NotPlanned(f"The step `{step.step.title}` that failed can't be done here. {said}")
    return _target(plan, step, evidence, found)


def _target(
    plan: JobPlan, step: PlannedStep, evidence: JobEvidence, found: tuple[JobLeg, ...]
) -> Target:
    compiled = compile_job(plan, step)
    said = [] if len(found) == 1 else [f"{len(found)} jobs have that name; this is the first."]
    if evidence.event.startswith("pull_request"):
        said.append("GitHub tested the merge with the base branch; here it is the head commit.")
    scripts = [each.step.command.script for each in plan.walk() if each.step.command]
    if any(editable(script) != script for script in scripts):
        said.append("`pip install .` is done with `-e` here, so that a repair takes effect.")
    setup, told = compiled.setup, compiled.shown
    if evidence.versions:
        setup = (*setup, same_versions(evidence.versions))
        told = (*told, shown(evidence.versions))
    return Target(
        check=evidence.check.name,
        step=compiled.title,
        workflow=plan.target.entry,
        setup=setup,
        shown=told,
        again=compiled.again,
        enter=compiled.command.entering(),
        command=compiled.command.typed(),
        differences=(*said, *differences(plan)),
    )


def _failing_step(plan: JobPlan, evidence: JobEvidence) -> PlannedStep | None:
    """Return the step that failed: by its name at GitHub, else by the script in the log."""
    named = evidence.failed_step
    if named is not None and (step := plan.step_called(named.name)) is not None:
        return step
    script = evidence.script.strip()
    for planned in plan.steps if script else ():
        command = planned.step.command
        if command is not None and command.script.strip() == script:
            return planned
    titles = {f"Run {evidence.title}", evidence.title} - {"Run ", ""}
    return next((planned for planned in plan.steps if planned.step.title in titles), None)


def _no_job(evidence: JobEvidence, listing: Listing) -> str:
    if not listing.jobs and listing.problems:
        return f"The workflow of `{evidence.check.name}` can't be planned. {listing.problems[0]}"
    names = ", ".join(f"`{job.names[0]}`" for job in listing.jobs[:8]) or "none"
    return f"{evidence.workflow} has no job `{evidence.check.name}` at this commit; it has {names}."


def _not_of_actions(evidence: JobEvidence) -> str:
    app = evidence.check.app
    if app == "github-actions":
        return f"GitHub does not tell which workflow `{evidence.check.name}` belongs to."
    maker = f"The App `{app}`" if app else "A service outside of GitHub"
    return f"{maker} made `{evidence.check.name}`; no workflow file says what it runs."
