"""Prepare and reproduce the failed jobs of a commit, before any money is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.ci.evidence import JobEvidence
from bot.ci.execution import JobExecution, RunnerBroken
from bot.ci.failing_job import producer_of
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.plan import JobPlan
from bot.ecosystems.tree import DirectoryTree, Tree
from bot.limited_process import TooMuch, run_limited
from bot.model import (
    Cause,
    FailedJob,
    Reproduction,
    Verdict,
)
from bot.model.progress import CommandsFound, Noticed, Phase, PhaseStarted, Reproduced
from bot.model.steps import now
from bot.repair.goal.joined_observation import joined
from bot.repair.goal.older_packages_choice import is_old
from bot.repair.job import Checkout, Job, Source
from bot.repair.loop import verdict_of
from bot.repair.preparation.prepare import guidance_of, recent_lines_of, recent_texts_of
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.checks.job_reproduction import JobReproduction, JobTrial
from bot.repair.reproduction.checks.targets import (
    PLANNING,
    CheckTarget,
    Chosen,
    choose_apart,
    commands_of,
    failed_job,
)
from bot.repair.reproduction.checks.verdict import CheckConclusion, outside, overall
from bot.repair.run import Concluded, Run
from bot.repair.workspace.preparation import network_of_setup
from bot.repair.workspace.sandbox_cleanup import PLACES, dated
from bot.reporting.reason import because
from bot.reporting.reasons import failed_jobs, package_dates
from sandbox.base import Sandbox, SandboxSpec


def worth_its_date(
    today: CheckConclusion,
    evidence: JobEvidence,
    package_date: datetime | None,
    *,
    unseen: bool = False,
) -> datetime | None:
    """Return the moment as of which a check may show its failure and no more; None for none.

    Args:
        today: What the check shows here.
        evidence: Of it.
        package_date: The moment of its packages; None for today's.
        unseen: Whether its command goes on with checks that GitHub skipped: newer tools would find
            in them what those of its day do not.
    """
    wanted = today.only_here or unseen or today.cause is Cause.NOT_REPRODUCED
    if package_date is not None or not wanted:
        return None
    return min((step.started for step in evidence.steps if step.started), default=None)


def trying(today: CheckConclusion, check: str, moment: datetime) -> str:
    """Return the sentence with which a check is tried as of a moment."""
    if today.only_here:
        return package_dates.trying_for_less(check, moment)
    if _shows(today):
        return package_dates.trying_for_skipped(check, moment)
    return package_dates.trying_as_of(check, moment)


def of_both(
    today: CheckConclusion, then: CheckConclusion, check: str, moment: datetime
) -> tuple[bool, CheckConclusion]:
    """Return whether the packages of its day count, and what both tries of a check say together.

    They count where they show GitHub's failure with less beside it, or alone show it; and for steps
    that GitHub skipped.
    """
    if today.only_here:
        shows_less = then.only_here < today.only_here and then.cause in _SHOWN
        reason = because(package_dates.less_as_of, check, moment)
    elif _shows(today):
        shows_less = then.cause is Cause.REAL
        reason = because(package_dates.skipped_as_of, moment)
    elif _shows(then):
        shows_less, reason = True, because(package_dates.fails_as_of, check, moment)
    else:
        neither = (*today.reasons, because(package_dates.not_then_either, moment), *then.reasons)
        return False, replace(today, reasons=neither)
    return (True, replace(then, reasons=(*then.reasons, reason))) if shows_less else (False, today)


_SHOWN = (Cause.REAL, Cause.RED_ON_BASE)


def _shows(conclusion: CheckConclusion) -> bool:
    """Whether a try shows why a check failed."""
    return conclusion.cause not in {Cause.NOT_REPRODUCED, Cause.INFRASTRUCTURE}


_MOST = 4
"""Jobs that are run for the matrices of one run."""


async def with_outputs(run: Run, job: Job, source: Source, tree: Tree) -> Job:
    """Return a job whose event has the outputs that the matrices of its failed checks are made by.

    Where such a job can't run here, or does not say what it said on GitHub, nothing is lost: the
    matrix stays as open as it was.
    """
    for n in range(1, _MOST + 1):
        try:
            plan = await run_limited(_next_plan, job, tree, allowance=PLANNING)
        except TooMuch:
            return job
        if plan is None:
            return job
        run.listener(PhaseStarted(Phase.SETUP, detail=failed_jobs.run_for_its_outputs(plan.name)))
        producing = _Producing(run, job, source, plan, f"{job.run_id}-outputs-{n}")
        outputs = await run.steps(f"outputs {n}", producing.outputs)
        if not outputs:
            run.known.note(failed_jobs.no_outputs(plan.name))
        place = (plan.target.workflow.path, plan.target.job.id)
        job = replace(job, event=replace(job.event, ran={**job.event.ran, place: outputs}))
    return job


def _next_plan(job: Job, tree: Tree) -> JobPlan | None:
    for evidence in job.failed:
        try:
            plan = producer_of(tree, evidence, job.event)
        except PlanTooLarge:
            continue
        if plan is not None:
            return plan
    return None


@dataclass(frozen=True, slots=True)
class _Producing:
    run: Run
    job: Job
    source: Source
    plan: JobPlan
    name: str

    async def outputs(self) -> dict[str, str]:
        """Run the job in a sandbox of its own, with what a setup may reach."""
        provider, job = self.run.tools.sandboxes, self.job
        await provider.remove(self.name)
        sandbox = await provider.open(
            SandboxSpec(
                name=self.name,
                source=self.source.directory,
                source_stays=self.source.stays,
                network=network_of_setup(job, self.source),
                image=job.image_for(takes_templates=provider.takes_templates),
                lifetime=job.limits.seconds + 600,
            )
        )
        try:
            return await self.run.run_limits.hold(self._made(sandbox))
        except RunnerBroken:
            return {}
        finally:
            await sandbox.close()

    async def _made(self, sandbox: Sandbox) -> dict[str, str]:
        seconds = self.job.limits.setup_seconds
        return await JobExecution(self.plan, step_seconds=seconds).outputs(sandbox)


async def see_checks_fail(run: Run, checkout: Checkout) -> RepairContext:
    """Fetch the source, and repeat the failed jobs of its checks."""
    run.listener(PhaseStarted(Phase.PREPARE))
    run.known.head = await run.steps("freeze head", checkout.head)
    conclude_outside(run)
    source = await checkout.provide(run.known.head)
    run.known.note(*source.notes)
    context = await reproduce_checks(run, source, await guidance_of(source))
    recent, texts = await recent_lines_of(run, source), await recent_texts_of(run, source)
    return replace(context, recent=recent, texts=texts)


def conclude_outside(run: Run) -> None:
    """End a run whose failures all have causes outside the code, before a sandbox is opened.

    Raises:
        Concluded: When that is so.
    """
    found = [outside(evidence) for evidence in run.job.failed]
    told = [conclusion for conclusion in found if conclusion is not None]
    if not told or len(told) < len(found):
        return
    conclusion = overall(told)
    jobs = tuple(failed_job(evidence) for evidence in run.job.failed)
    _conclude(run, conclusion, (), jobs)


async def reproduce_checks(run: Run, source: Source, guidance: str) -> RepairContext:
    """Reproduce each failed job here, but not at the base; return where the real ones are repaired.

    Raises:
        Concluded: When none of them is real.
    """
    inside = tuple(each for each in run.job.failed if not each.outside)
    outer = [j for each in run.job.failed if (j := outside(each)) is not None]
    tree = DirectoryTree(source.directory)
    job = await with_outputs(run, replace(run.job, failed=inside), source, tree)
    chosen = await choose_apart(job, tree)
    if not chosen.targets:
        left = tuple(job.why_not for job in chosen.left)
        reason = because(failed_jobs.nothing_to_run, left)
        _conclude(run, CheckConclusion(Cause.NOT_REPRODUCED, (reason,)), (), chosen.left)
    run.known.commands = commands_of(chosen.targets[0].target, tree)
    run.listener(CommandsFound(run.known.commands))
    trials = [
        await _reproduce_job(run, source, each, place, guidance)
        for each, place in zip(chosen.targets, PLACES, strict=False)
    ]
    conclusion = overall([*(trial.conclusion for trial in trials), *outer])
    jobs = _reported(run, chosen, trials, real=conclusion.cause is Cause.REAL)
    if conclusion.cause is not Cause.REAL:
        _conclude(run, conclusion, trials, jobs)
    return _context(run, [t for t in trials if t.conclusion.cause is Cause.REAL], conclusion, jobs)


def _context(
    run: Run, real: list[JobReproduction], conclusion: CheckConclusion, jobs: tuple[FailedJob, ...]
) -> RepairContext:
    """Return the first real job's context, with those of the others beside it."""
    reproduction = Reproduction(
        Cause.REAL,
        joined([trial.runs[0] for trial in real]),
        reason=conclusion.reason,
        runs=tuple(each.exit_code for each in real[0].runs),
        jobs=jobs,
        others=tuple(other for trial in real for other in trial.others),
    )
    run.known.reproduction = reproduction
    run.listener(Reproduced(reproduction))
    run.known.note(*(failed_jobs.noted(job.check, job.why_not) for job in jobs if job.why_not))
    first, *others = [
        replace(trial.context, red=trial.runs[0]) for trial in real if trial.context is not None
    ]
    run.known.commands = first.commands
    run.known.untouched = first.prepared
    return replace(first, beside=tuple(others), red=first.red if others else None)


async def _reproduce_job(
    run: Run, source: Source, chosen: CheckTarget, place: str, guidance: str
) -> JobReproduction:
    """Repeat one failed job, with the packages of its day where today's do not show its failure.

    So it is where they show others beside it: a repair would adapt the project to today's packages.
    """
    check, evidence = chosen.target.check, chosen.evidence
    today = await JobTrial(run, source, guidance, place).reproduce(chosen)
    package_date, unseen = run.job.package_date, bool(chosen.target.behind)
    moment = worth_its_date(today.conclusion, evidence, package_date, unseen=unseen)
    if moment is None or not is_old(moment, await run.steps(f"now{place}", now)):
        return today
    run.listener(Noticed(trying(today.conclusion, check, moment)))
    run_then = replace(run, job=replace(run.job, package_date=moment))
    then = await JobTrial(run_then, source, guidance, dated(place)).reproduce(chosen)
    counts, conclusion = of_both(today.conclusion, then.conclusion, check, moment)
    return replace(then if counts else today, conclusion=conclusion)


def _reported(
    run: Run, chosen: Chosen, trials: Sequence[JobReproduction], *, real: bool
) -> tuple[FailedJob, ...]:
    """Return all failed checks; where some are real, the others carry the reason why they are not."""
    told = []
    for trial in trials:
        why = trial.conclusion.reason if real and trial.conclusion.cause is not Cause.REAL else ""
        told.append(failed_job(trial.chosen.evidence, trial.chosen.target, why_not=why))
    outer = [failed_job(each, why_not=each.outside) for each in run.job.failed if each.outside]
    return (*told, *chosen.left, *outer)


def _conclude(
    run: Run,
    conclusion: CheckConclusion,
    trials: Sequence[JobReproduction],
    jobs: tuple[FailedJob, ...],
) -> None:
    """Report why no failure is real, and end the run."""
    seen = next((trial for trial in trials if trial.runs), None)
    before = run.known.reproduction
    run.known.reproduction = Reproduction(
        conclusion.cause,
        next((o for o in seen.runs if not o.ok), seen.runs[0]) if seen else None,
        reason=conclusion.reason,
        runs=tuple(o.exit_code for o in seen.runs) if seen else (),
        setup_output=before.setup_output if before else "",
        jobs=jobs,
    )
    run.listener(Reproduced(run.known.reproduction))
    verdict = verdict_of(conclusion.cause) or Verdict.NOT_REPRODUCED
    raise Concluded(verdict, conclusion.reason, seen.context if seen is not None else None)
