"""Find the job and the step behind a failed check, and what runs them again here."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace

from bot.ci.evidence import EventFacts, JobEvidence
from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.actions.install_commands import editable
from bot.ci.workflow.compile.compiler import compile_job
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.differences import differences
from bot.ci.workflow.plan.find import find_check
from bot.ci.workflow.plan.jobs import JobLeg, JobListing, workflow_jobs
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep, plan_job
from bot.ci.workflow.plan.producers import next_producer
from bot.ci.workflow.plan.uploaders import wishes
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.spec.referenced_workflows import TreeWithCalled
from bot.ecosystems.tree import Tree
from bot.model import Target
from bot.reporting.reasons import job_steps, job_target

# What is not installed was none of this job's; what is not available is said, and nothing fails.
_LOOP = """\
for wanted in {wanted}; do
  name=${{wanted%%==*}}
  have=$(~/.venv/bin/python -c 'import sys; from importlib.metadata import version; print(version(sys.argv[1]))' "$name" 2>/dev/null) || continue
  [ "$name==$have" != "$wanted" ] || continue
  uv pip install -q --python ~/.venv/bin/python "$wanted" 2>/dev/null || ~/.venv/bin/python -m pip install -q "$wanted" 2>/dev/null || ci_said "The job used ${{wanted/==/ }}, which is not available here: $name $have is used."
done
true"""


def same_versions(wanted: tuple[str, ...]) -> str:
    """Return the bash that installs other versions where the environment has other ones.

    Args:
        wanted: As `name==version`.
    """
    loop = _LOOP.format(wanted=" ".join(map(shlex.quote, wanted)))
    return f"{runner_shell.begin('none')}\n{loop}"


def shown(wanted: tuple[str, ...]) -> str:
    """Return the same for a person."""
    return job_steps.logged_versions([each.replace("==", " ") for each in wanted])


@dataclass(frozen=True, slots=True)
class NotPlanned:
    """No step of a workflow can reproduce a check here.

    Attributes:
        why: As a sentence.
    """

    why: str


def target_of(
    tree: Tree, evidence: JobEvidence, event: EventFacts, *, to_its_end: bool = False
) -> Target | NotPlanned:
    """Return what runs the failed step again, according to the workflow at the failing commit.

    Args:
        tree: The repository at the failing commit.
        evidence: Of the check.
        event: What the workflow ran for, as far as it is known.
        to_its_end: Whether its command goes on with the checks that GitHub skipped behind the
            failed step. They are compared with nothing but a base commit, so there has to be one.
    """
    if not evidence.of_actions:
        return NotPlanned(_not_of_actions(evidence))
    event = replace(event, name=evidence.event or "push")
    tree = TreeWithCalled(tree, dict(evidence.called))
    found, listing = _found(tree, evidence, event)
    if not found:
        return NotPlanned(_no_job(evidence, listing))
    try:
        plan = plan_job(tree, found[0], event, image=evidence.image)
    except PlanTooLarge as error:
        return NotPlanned(job_target.workflow_not_planned(evidence.check.name, str(error)))
    step = _failing_step(plan, evidence)
    if step is None:
        return NotPlanned(job_target.failed_step_unknown(evidence.check.name))
    if step.step.need is ActionStatus.SKIPPED or (step.step.command is None and not step.inner):
        return NotPlanned(job_target.step_not_runnable(step.step.title, step.step.said))
    skipped = [each.name for each in evidence.steps if each.conclusion == "skipped"]
    return _target(plan, step, evidence, found, skipped if to_its_end else ())


def producer_of(tree: Tree, evidence: JobEvidence, event: EventFacts) -> JobPlan | None:
    """Return the plan of the job that has to run before a check's matrix can be known, or None.

    Args:
        tree: The repository at the failing commit.
        evidence: Of the check.
        event: What the workflow ran for, with the outputs of the jobs that ran here before.

    Raises:
        PlanTooLarge: Its steps and values add up to too much.
    """
    if not evidence.of_actions:
        return None
    event = replace(event, name=evidence.event or "push")
    tree = TreeWithCalled(tree, dict(evidence.called))
    found, _ = _found(tree, evidence, event)
    producer = next_producer(tree, found[0], event) if found and found[0].unknown else None
    return plan_job(tree, producer, event, image=evidence.image) if producer else None


def _found(
    tree: Tree, evidence: JobEvidence, event: EventFacts
) -> tuple[tuple[JobLeg, ...], JobListing]:
    """Return the jobs that a check may belong to, and all of its workflow."""
    listing = workflow_jobs(tree, evidence.workflow, event)
    found = find_check(listing.jobs, evidence.check.name)
    if not found and evidence.job:
        found = find_check(listing.jobs, evidence.job)
    return found, listing


def _target(
    plan: JobPlan,
    step: PlannedStep,
    evidence: JobEvidence,
    found: tuple[JobLeg, ...],
    skipped: Collection[str],
) -> Target:
    compiled = compile_job(plan, step, skipped)
    said = [] if len(found) == 1 else [job_target.first_of_several(len(found))]
    if compiled.behind:
        said.append(job_target.goes_on(compiled.behind))
    if evidence.event.startswith("pull_request"):
        said.append(job_target.HEAD_INSTEAD_OF_MERGE)
    scripts = [each.step.command.script for each in plan.walk() if each.step.command]
    if any(editable(script) != script for script in scripts):
        said.append(job_target.INSTALLED_IN_PLACE)
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
        enter="\n".join(filter(None, (compiled.command.entering(), compiled.builds))),
        command=compiled.command.typed(),
        differences=(*said, *differences(plan)),
        behind=compiled.behind,
        takes=wishes(plan, step),
        run_id=evidence.run_id,
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


def _no_job(evidence: JobEvidence, listing: JobListing) -> str:
    if not listing.jobs and listing.problems:
        return job_target.workflow_not_planned(evidence.check.name, listing.problems[0])
    names = [job.names[0] for job in listing.jobs[:8]]
    return job_target.no_such_job(evidence.workflow, evidence.check.name, names)


def _not_of_actions(evidence: JobEvidence) -> str:
    app = evidence.check.app
    if app == "github-actions":
        return job_target.workflow_unknown(evidence.check.name)
    return job_target.made_elsewhere(evidence.check.name, app)
