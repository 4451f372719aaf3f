"""`fixpoint ci`: plan and run a job of a repository on this machine, without GitHub."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.ci.execution import JobExecution, RunnerBroken
from bot.ci.job_run import FinishedJob
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.differences import differences
from bot.ci.workflow.plan.find import that_runs_here
from bot.ci.workflow.plan.jobs import JobLeg, JobListing
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.render import arguments_for, job_json, plan_json, plan_lines
from bot.ci.workflow.plan.uploaders import wishes
from bot.commands import event_loop
from bot.commands.ci_choice import JobChoice, find_jobs, next_to_run, plan_chosen, uploaders_of
from bot.commands.ci_place import JobPlace, RunOptions, opened, place_of
from bot.commands.ci_report import chosen_leg, execution_json
from bot.errors import UsageError
from bot.model.untrusted import strip_hidden
from bot.repair.goal.older_packages_choice import is_old
from bot.reporting.reasons import package_dates
from sandbox.base import SandboxError, SandboxProvider, SandboxSpec
from sandbox.git import GitError

_MOST_LISTED = 200


def show_plan(choice: JobChoice, *, as_json: bool) -> None:
    """Print the plan of the chosen job, or the jobs that there are to choose from.

    Raises:
        UsageError: When there is no such job.
    """
    found, listing = event_loop.run(_found(choice))
    if len(found) == 1:
        plan = event_loop.run(plan_chosen(choice, found[0]))
        _write(plan_json(plan)) if as_json else _print(plan_lines(plan))
    elif as_json:
        _write({"jobs": [job_json(job) for job in found], "problems": list(listing.problems)})
    else:
        _print([f"{len(found)} jobs match; choose one:", *_choices(found)])
        _print(f"fixpoint: {problem}" for problem in listing.problems)


def run_job(choice: JobChoice, options: RunOptions) -> FinishedJob:
    """Run the chosen job in a sandbox, print how it goes, and return how it ran.

    Raises:
        UsageError: When there is no such job, more than one, or no sandbox.
    """
    try:
        plan, execution = event_loop.run(run_chosen(choice, options))
    except (SandboxError, RunnerBroken, GitError, PlanTooLarge) as error:
        raise UsageError(str(error)) from error
    if options.as_json:
        _write(execution_json(plan, execution))
    return execution


async def run_chosen(choice: JobChoice, options: RunOptions) -> tuple[JobPlan, FinishedJob]:
    """Run the job that is chosen, after those that make its matrix."""
    found, _ = await _found(choice)
    if len(found) > 1 and not any(leg.unknown for leg in found):
        raise UsageError(_choose_one(found))
    async with place_of(choice.repository, options) as place:
        while (producer := await next_to_run(choice, found[0])) is not None:
            choice = await _with_outputs(choice, producer, place, options)
            found, _ = await _found(choice)
        if len(found) > 1:
            raise UsageError(_choose_one(found))
        plan = await plan_chosen(choice, found[0])
        failing = _failing_step(plan, options.step)
        artifacts = await _made_before(choice, plan, failing, place, options)
        return plan, await _run(place, plan, failing, options, artifacts)


def _choose_one(found: tuple[JobLeg, ...]) -> str:
    return "\n".join([f"{len(found)} jobs match; choose one:", *_choices(found)])


async def _with_outputs(
    choice: JobChoice, producer: JobPlan, place: JobPlace, options: RunOptions
) -> JobChoice:
    """Run a job for its outputs; return the choice that knows them."""
    printer = place.printer(len(producer.steps))
    printer.for_its_outputs(producer)
    job = JobExecution(producer, printer.watcher(), options.timeout)
    async with place.opened("outputs") as it:
        outputs = await job.outputs(it)
    target = producer.target
    ran = {**choice.ran, (target.workflow.path, target.job.id): outputs}
    return replace(choice, workflow=target.entry, ran=ran)


async def _made_before(
    choice: JobChoice,
    plan: JobPlan,
    failing: PlannedStep | None,
    place: JobPlace,
    options: RunOptions,
) -> dict[str, bytes]:
    """Run the jobs that make the artifacts which a job takes; return the zips by name."""
    wanted = wishes(plan, failing)
    artifacts: dict[str, bytes] = {}
    for n, uploader in enumerate(await uploaders_of(choice, plan, wanted) if wanted else ()):
        printer = place.printer(len(uploader.steps))
        printer.for_its_artifacts(uploader)
        job = JobExecution(uploader, printer.watcher(), options.timeout, artifacts=artifacts)
        async with place.opened(f"artifacts-{n}") as it:
            artifacts = {**artifacts, **await job.kept_artifacts(it)}
    return {
        name: data for name, data in artifacts.items() if any(wish.means(name) for wish in wanted)
    }


async def _found(choice: JobChoice) -> tuple[tuple[JobLeg, ...], JobListing]:
    """Return what the choice leaves; of legs that differ by their system alone, the one for here."""
    found, listing = await find_jobs(choice)
    here = that_runs_here(found) if len(found) > 1 else None
    if here is None:
        return found, listing
    sys.stderr.write(f"fixpoint: {strip_hidden(chosen_leg(here, found))}\n")
    return (here,), listing


def _write(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{strip_hidden(line)}\n")


def _choices(found: tuple[JobLeg, ...]) -> list[str]:
    lines = [f"  {job.names[0]}\n      {arguments_for(job)}" for job in found[:_MOST_LISTED]]
    more = len(found) - _MOST_LISTED
    return [*lines, f"  and {more} more"] if more > 0 else lines


def _failing_step(plan: JobPlan, title: str | None) -> PlannedStep | None:
    if title is None:
        return None
    step = plan.step_called(title)
    if step is None:
        titles = "; ".join(planned.step.title for planned in plan.steps)
        raise UsageError(f"There is no step {title!r}. Available steps: {titles}.")
    return step


async def _run(
    place: JobPlace,
    plan: JobPlan,
    failing: PlannedStep | None,
    options: RunOptions,
    artifacts: Mapping[str, bytes],
) -> FinishedJob:
    printer = place.printer(len(plan.steps))
    printer.planned(plan, differences(plan))
    job = JobExecution(plan, printer.watcher(), options.timeout, artifacts=artifacts)
    ran = await _execute(job, place.provider, place.spec, failing)
    execution = _with_notes(ran, place)
    printer.concluded(execution)
    return execution


def _with_notes(execution: FinishedJob, place: JobPlace) -> FinishedJob:
    """Add what there is to say about the dates of packages."""
    package_date = place.spec.network.package_date if place.spec.network else None
    undated = tuple(dict.fromkeys(host for run in execution.runs for host in run.undated))
    said = [package_dates.undated(undated)] if undated else []
    if package_date is not None and not place.provider.filters_indexes:
        said.append(package_dates.LEFT_TO_CLIENTS)
    made = place.committed
    if package_date is None and made and execution.failed and is_old(made, time.time()):
        said.append(package_dates.commit_is_old(made))
    return replace(execution, said=(*execution.said, *said))


async def _execute(
    job: JobExecution, provider: SandboxProvider, spec: SandboxSpec, failing: PlannedStep | None
) -> FinishedJob:
    """Run the steps with network; the failing one and those behind it without, if one is named."""
    if failing is None:
        async with opened(provider, spec) as sandbox:
            return await job.run(sandbox)
    snapshot = f"{spec.name}-prepared"
    try:
        async with opened(provider, spec) as sandbox:
            prepared = await job.prepare(sandbox, failing)
            if prepared.failed:
                return prepared
            taken = await sandbox.snapshot(snapshot)
        offline = replace(
            spec, name=f"{spec.name}-offline", source=None, snapshot=taken, network=None
        )
        async with opened(provider, offline) as sandbox:
            return await job.check(sandbox, failing)
    finally:
        await provider.remove(snapshot)
