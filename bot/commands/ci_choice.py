"""Choose a job of a repository on this machine, and plan it with what git tells of the event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.find import select
from bot.ci.workflow.plan.jobs import (
    WORKFLOWS,
    JobLeg,
    JobListing,
    all_jobs,
    likely_event,
    workflow_jobs,
)
from bot.ci.workflow.plan.plan import JobPlan, plan_job
from bot.ci.workflow.plan.producers import next_producer
from bot.ci.workflow.plan.uploaders import uploaders
from bot.ecosystems.tree import DirectoryTree
from bot.errors import UsageError
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model.artifacts import ArtifactWish
from bot.reporting.reasons import job_target
from sandbox.git import ForeignRepository, GitError, foreign

_ALL_WORKFLOWS = Allowance(seconds=120)

_REMOTE = re.compile(r"github\.com[:/](?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_BRANCH = ("symbolic-ref", "--quiet", "--short", "HEAD")
_HEAD = ("rev-parse", "--verify", "--quiet", "HEAD")


@dataclass(frozen=True, slots=True)
class JobChoice:
    """Which job is meant; see `fixpoint ci plan --help`.

    Attributes:
        ran: Outputs of jobs that ran here before; with them `workflow` names one.
    """

    repository: Path
    workflow: str | None = None
    job: str | None = None
    matrix: tuple[str, ...] = ()
    event: str | None = None
    ran: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)


async def find_jobs(choice: JobChoice) -> tuple[tuple[JobLeg, ...], JobListing]:
    """Return the jobs that the choice leaves, at least one, and all of the listing.

    Raises:
        UsageError: When it leaves none, and the text says which there are; or when it takes too
            much to read the workflows.
    """
    if not choice.repository.is_dir():
        raise UsageError(f"{choice.repository} is not a folder.")
    # What works apart has a current folder of its own.
    choice = replace(choice, repository=choice.repository.resolve())
    try:
        return await run_limited(_find_jobs, choice, allowance=_ALL_WORKFLOWS)
    except TooMuch as error:
        raise UsageError(f"The workflows can't be planned. {error} Choose one of them.") from error


def _find_jobs(choice: JobChoice) -> tuple[tuple[JobLeg, ...], JobListing]:
    tree = DirectoryTree(choice.repository)
    event = EventFacts(name=choice.event, ran=choice.ran) if choice.event else None
    path = _workflow_path(tree, choice.workflow) if choice.workflow else None
    listing = workflow_jobs(tree, path, event, ran=choice.ran) if path else all_jobs(tree, event)
    if not listing.jobs:
        said = " ".join(listing.problems) or "There is no workflow in .github/workflows."
        raise UsageError(f"No job can be planned. {said}")
    found = select(listing.jobs, job=choice.job, matrix=_matrix(choice.matrix))
    if not found:
        wanted = f" `{choice.job}`" if choice.job else ""
        names = dict.fromkeys(job.job.id for job in listing.jobs)
        raise UsageError(
            f"There is no job{wanted}{' with that matrix' if choice.matrix else ''}. "
            f"Available jobs: {', '.join(names)}."
        )
    return found, listing


def _workflow_path(tree: DirectoryTree, name: str) -> str:
    paths = [path for pattern in WORKFLOWS for path in tree.glob(pattern)]
    for path in paths:
        file = path.rpartition("/")[2]
        if name in {path, file, file.rpartition(".")[0]}:
            return path
    if tree.exists(name):
        return name
    raise UsageError(
        f"There is no workflow {name}. Available workflows: {', '.join(paths) or 'none'}."
    )


def _matrix(words: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--matrix {word}: use KEY=VALUE.")
        values[key] = value
    return values


async def plan_chosen(choice: JobChoice, target: JobLeg) -> JobPlan:
    """Return the plan of a job that was found, with what GitHub would not accept of its files.

    Raises:
        UsageError: It takes too much to plan it.
    """
    tree = DirectoryTree(choice.repository)
    try:
        plan = await run_limited(plan_job, tree, target, await event_of(choice, target))
    except (PlanTooLarge, TooMuch) as error:
        why = job_target.workflow_not_planned(target.names[0], str(error))
        raise UsageError(why) from error
    actions = [planned.step.action for planned in plan.walk() if planned.step.action]
    refused = dict.fromkeys(problem for action in actions for problem in action.problems)
    return replace(plan, problems=(*target.workflow.problems, *refused, *plan.problems))


async def next_to_run(choice: JobChoice, target: JobLeg) -> JobPlan | None:
    """Return the plan of the job that has to run before the matrix of another is known, or None.

    Raises:
        UsageError: It takes too much to plan it.
    """
    if not target.unknown:
        return None
    tree, event = DirectoryTree(choice.repository), await event_of(choice, target)
    try:
        producer = await run_limited(next_producer, tree, target, event)
    except (PlanTooLarge, TooMuch) as error:
        why = job_target.workflow_not_planned(target.names[0], str(error))
        raise UsageError(why) from error
    return await plan_chosen(choice, producer) if producer else None


async def uploaders_of(
    choice: JobChoice, plan: JobPlan, wanted: tuple[ArtifactWish, ...]
) -> tuple[JobPlan, ...]:
    """Return the plans of the jobs that make the artifacts which a job takes.

    Raises:
        UsageError: It takes too much to plan them.
    """
    tree, target = DirectoryTree(choice.repository), plan.target
    try:
        return await run_limited(uploaders, tree, target, plan.event, wanted)
    except TooMuch as error:
        why = job_target.workflow_not_planned(target.names[0], str(error))
        raise UsageError(why) from error


async def event_of(choice: JobChoice, target: JobLeg) -> EventFacts:
    """Return the event that a job runs for, with what the repository on disk tells of it."""
    event = EventFacts(name=choice.event) if choice.event else likely_event(target.workflow)
    event = replace(event, ran=choice.ran)
    try:
        async with foreign(choice.repository) as theirs:
            remote = _REMOTE.search(theirs.settings.get("remote.origin.url", ""))
            branch, head = await _said(theirs, *_BRANCH), await _said(theirs, *_HEAD)
    except GitError:
        return event
    pull = event.name.startswith("pull_request")
    return replace(
        event,
        sha=head,
        ref=f"refs/heads/{branch}" if branch and not pull else "",
        head_ref=branch if pull else "",
        repository=remote["name"] if remote else "",
    )


async def _said(theirs: ForeignRepository, *arguments: str) -> str:
    """Return what git says, or nothing where it says no."""
    try:
        return (await theirs.git(*arguments)).decode("utf-8", "replace").strip()
    except GitError:
        return ""
