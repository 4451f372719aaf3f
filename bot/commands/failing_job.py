"""A job of GitHub Actions, run here, as what a run has to repair or to explain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.ci.evidence import JobEvidence, StepFacts
from bot.commands.ci_choice import JobChoice
from bot.commands.ci_place import RunOptions
from bot.commands.ci_run import run_chosen
from bot.errors import UsageError
from bot.model.request import FailedCheck
from bot.settings.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from bot.repair.job import Job


async def with_failing_job(
    job: Job,
    name: str,
    repository: Path,
    *,
    sandbox: SandboxKind | None,
    package_date: str | None,
    purpose: str,
) -> Job:
    """Return the run's job with the step that fails here in one of GitHub Actions.

    Args:
        job: Of the run.
        name: Of the job of GitHub Actions: its id, or the name of its check.
        repository: With its workflow.
        sandbox: Where it runs; None as the settings say.
        package_date: Of packages: a date or `commit`; None for today's.
        purpose: What it is run for, as in "nothing to repair".

    Raises:
        UsageError: When there is no such job, or it passes.
    """
    choice = JobChoice(repository, job=name)
    plan, ran = await run_chosen(
        choice, RunOptions(sandbox, package_date=package_date, as_json=True)
    )
    broken = next(((n, step) for n, step in enumerate(ran.runs, 1) if step.breaks), None)
    if broken is None:
        raise UsageError(f"The job {name} passes here, so there is nothing to {purpose}.")
    number, run = broken
    evidence = JobEvidence(
        FailedCheck(plan.target.names[0], "github-actions"),
        workflow=plan.target.workflow.path,
        event=plan.event.name,
        job=plan.target.names[0],
        steps=(StepFacts(run.step.title, number, "failure"),),
    )
    return replace(job, failed=(evidence,), event=plan.event, red_on_base=True)
