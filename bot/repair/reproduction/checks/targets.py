"""Choose the commands that repeat the failed checks of a commit. Reads files, runs nothing."""

from __future__ import annotations

from dataclasses import dataclass

from bot.ci.evidence import JobEvidence
from bot.ci.failing_job import NotPlanned, target_of
from bot.ecosystems.detection import detect, whole_suite
from bot.ecosystems.tree import Tree
from bot.errors import UsageError
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model import Commands, FailedJob, Target
from bot.repair.job import Job
from bot.reporting.reasons import failed_jobs, job_target

MOST_TARGETS = 4
"""Failed jobs that one run repeats; each has its own environment."""


PLANNING = Allowance(seconds=30)
"""For all failed checks of a run together."""


@dataclass(frozen=True, slots=True)
class CheckTarget:
    """A failed check with the commands that repeat it."""

    evidence: JobEvidence
    target: Target


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which failed checks are repeated, and which are not.

    Attributes:
        targets: At most `MOST_TARGETS`; none when nothing can be run.
        left: The other failed checks, each with the reason.
    """

    targets: tuple[CheckTarget, ...]
    left: tuple[FailedJob, ...]


async def choose_apart(job: Job, tree: Tree, *, allowance: Allowance = PLANNING) -> Chosen:
    """Return what `choose` does; what takes too much to plan or to detect is not repeated."""
    try:
        return await run_limited(choose, job, tree, allowance=allowance)
    except TooMuch as error:
        left = tuple(_not_planned(evidence, str(error)) for evidence in job.failed)
    try:
        return await run_limited(_detected, job, tree, left, allowance=allowance)
    except TooMuch:
        return Chosen((), left)


def _not_planned(evidence: JobEvidence, why: str) -> FailedJob:
    return failed_job(evidence, why_not=job_target.workflow_not_planned(evidence.check.name, why))


def choose(job: Job, tree: Tree) -> Chosen:
    """Return the jobs to repeat; if there are none, the detected test command replaces the checks."""
    found: list[CheckTarget] = []
    left: list[FailedJob] = []
    seen: dict[tuple[object, ...], str] = {}
    for evidence in job.failed:
        compared = job.problem.is_pull_request
        planned = target_of(tree, evidence, job.event, to_its_end=compared)
        if isinstance(planned, NotPlanned):
            left.append(failed_job(evidence, why_not=planned.why))
            continue
        same = (planned.setup, planned.enter, planned.command)
        if same in seen:
            left.append(failed_job(evidence, why_not=failed_jobs.same_commands(seen[same])))
        elif len(found) == MOST_TARGETS:
            why = failed_jobs.too_many(MOST_TARGETS)
            left.append(failed_job(evidence, why_not=why))
        else:
            seen[same] = planned.check
            found.append(CheckTarget(evidence, planned))
    if not found and left:
        return _detected(job, tree, tuple(left))
    return Chosen(tuple(found), tuple(left))


def _detected(job: Job, tree: Tree, left: tuple[FailedJob, ...]) -> Chosen:
    """Use the repository's test command for checks that no workflow explains."""
    try:
        commands = detect(tree, setup=job.setup, test=job.test, failing=job.failing)
    except UsageError:
        return Chosen((), left)
    evidence = job.failed[0]
    target = Target(
        check=evidence.check.name,
        step="",
        workflow="",
        setup=commands.setup,
        shown=commands.setup,
        enter="",
        command=commands.failing,
        differences=(
            left[0].why_not,
            failed_jobs.TEST_COMMAND_INSTEAD,
            *commands.explanation,
        ),
    )
    return Chosen((CheckTarget(evidence, target),), left[1:])


def commands_of(target: Target, tree: Tree) -> Commands:
    """Return a target as commands; the whole suite is its command without a selection of tests."""
    suite = whole_suite(target.command, tree) or target.command
    why = failed_jobs.command_origin(target.check, step=target.step, workflow=target.workflow)
    return Commands(
        setup=target.shown,
        test=suite,
        failing=target.command,
        explanation=(why, *target.differences),
        targets=(target,),
    )


def failed_job(
    evidence: JobEvidence, target: Target | None = None, *, why_not: str = ""
) -> FailedJob:
    """Return a failed check as it is reported."""
    step = evidence.failed_step
    return FailedJob(
        check=evidence.check.name,
        url=evidence.check.url,
        step=target.step if target else step.name if step else evidence.title,
        command=target.command if target else "",
        why_not=why_not,
        failing=evidence.failing[:20],
        excerpt=evidence.excerpt,
        differences=(*evidence.missing, *(target.differences if target else ())),
        rerun_helps=evidence.rerun_helps,
    )
