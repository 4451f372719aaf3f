"""Prepare and reproduce the failed jobs of a commit, before any money is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.ecosystems.tree import DirectoryTree
from bot.model import (
    Cause,
    FailedJob,
    Observation,
    OtherFailure,
    OtherKind,
    Patch,
    Reproduction,
    Verdict,
)
from bot.model.progress import CommandsFound, Noticed, Phase, PhaseStarted, Reproduced
from bot.model.steps import now
from bot.repair.goal.joined_observation import joined
from bot.repair.goal.older_packages import is_old
from bot.repair.goal.set_aside import aside_of
from bot.repair.job import Checkout, Source
from bot.repair.loop import verdict_of
from bot.repair.preparation.prepare import guidance_of, recent_lines_of, recent_texts_of
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.checks.base_commit import has_base, observe_at_base, to_base
from bot.repair.reproduction.checks.job_reproduction import JobReproduction, of_both
from bot.repair.reproduction.checks.job_setup import conclude_setup, preparation_of, set_up_job
from bot.repair.reproduction.checks.matrix_jobs import with_outputs
from bot.repair.reproduction.checks.run_date import trying, worth_its_date
from bot.repair.reproduction.checks.targets import (
    CheckTarget,
    Chosen,
    choose_apart,
    commands_of,
    failed_job,
)
from bot.repair.reproduction.checks.verdict import (
    CheckConclusion,
    base_alone,
    conclude_at_base,
    conclude_at_head,
    outside,
    overall,
    to_leave,
    wants_another_run,
    wants_registries,
)
from bot.repair.run import Concluded, Run
from bot.repair.workspace.checkouts import provide
from bot.repair.workspace.leftovers import PLACES, base_of, dated
from bot.repair.workspace.prepared import SetupFailed
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reasons import failed_jobs, outside_causes, sandbox_setup


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
        reason = failed_jobs.nothing_to_run([job.why_not for job in chosen.left])
        _conclude(run, CheckConclusion(Cause.NOT_REPRODUCED, reason), (), chosen.left)
    run.known.commands = commands_of(chosen.targets[0].target, tree)
    run.listener(CommandsFound(run.known.commands))
    trials = [
        await _try_with_its_date(run, source, each, place, guidance)
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
    first, *others = [trial.context for trial in real if trial.context is not None]
    run.known.commands = first.commands
    run.known.untouched = first.prepared
    return replace(first, beside=tuple(others))


async def _try_with_its_date(
    run: Run, source: Source, chosen: CheckTarget, place: str, guidance: str
) -> JobReproduction:
    """Repeat one failed job, with the packages of its day where today's do not show its failure.

    So it is where they show others beside it: a repair would adapt the project to today's packages.
    """
    check, evidence = chosen.target.check, chosen.evidence
    today = await _try(run, source, chosen, place, guidance)
    as_of, unseen = run.job.as_of, bool(chosen.target.behind)
    moment = worth_its_date(today.conclusion, evidence, as_of, today.only_here, unseen=unseen)
    if moment is None or not is_old(moment, await run.steps(f"now{place}", now)):
        return today
    run.listener(Noticed(trying(today.conclusion, today.only_here, check, moment)))
    run_then = replace(run, job=replace(run.job, as_of=moment))
    then = await _try(run_then, source, chosen, dated(place), guidance)
    return of_both(today, then, check, moment)


async def _try(
    run: Run, source: Source, chosen: CheckTarget, place: str, guidance: str
) -> JobReproduction:
    """Set one failed job up, and run its command here and at the base."""
    run.listener(PhaseStarted(Phase.SETUP, detail=chosen.target.check))
    chosen, preparation, prepared = await set_up_job(run, source, chosen, place)
    commands = commands_of(chosen.target, DirectoryTree(source.directory))
    run.known.note(*run.setup_notes(prepared))
    if isinstance(prepared, SetupFailed):
        return JobReproduction(chosen, None, (), conclude_setup(run, chosen, prepared))
    preparation.use(prepared)
    if prepared.environment_of:
        reused = sandbox_setup.environment_reused(prepared.environment_of)
        run.known.note(failed_jobs.noted(chosen.target.check, reused))
    context = RepairContext(source, commands, prepared, preparation, guidance)
    run.listener(PhaseStarted(Phase.REPRODUCE, detail=commands.failing))
    run.known.untouched, run.known.setup_seconds = prepared, run.run_limits.held
    runs = await _runs(run, context, chosen, place)
    conclusion = conclude_at_head(
        chosen.target,
        chosen.evidence,
        runs,
        online=preparation.online,
        setup=prepared.failed_steps,
    )
    base: Observation | None = None
    if conclusion.cause is Cause.REAL and has_base(context):
        base = await _at_base(run, context, chosen, place)
        found = base and conclude_at_base(chosen.target, chosen.evidence, runs[0], base)
        if found and found.cause is Cause.RED_ON_BASE and run.job.red_on_base:
            run.known.note(found.reason)
        else:
            conclusion = found or conclusion
    shown = conclusion.cause in {Cause.REAL, Cause.RED_ON_BASE}
    only_here = len(to_leave(chosen.evidence, runs[0])) if shown else 0
    trial = JobReproduction(chosen, context, tuple(runs), conclusion, only_here=only_here)
    return _without_others(trial, base) if conclusion.cause is Cause.REAL else trial


def _without_others(trial: JobReproduction, base: Observation | None) -> JobReproduction:
    """Set aside what fails here and not on GitHub: a repair may leave it, and may not add to it."""
    evidence, run = trial.chosen.evidence, trial.runs[0]
    here = {failure.test for failure in to_leave(evidence, run)}
    shared = run.failing_ids - here
    behind = {each.test for each in (base_alone(evidence, base) if base else ())} - shared - here
    if trial.context is None or not (here or behind):
        return trial
    aside = aside_of(here, *trial.runs)
    if base is not None:
        aside = aside.joined(aside_of(behind, base))
    why, why_behind = outside_causes.NOT_ON_GITHUB, outside_causes.ON_BASE_ALONE
    return replace(
        trial,
        context=replace(trial.context, aside=aside),
        runs=tuple(aside.left_by(each) for each in trial.runs),
        others=(
            *(OtherFailure(test, OtherKind.ENVIRONMENT, why) for test in sorted(here)),
            *(OtherFailure(test, OtherKind.OLD, why_behind) for test in sorted(behind)),
        ),
    )


async def _runs(
    run: Run, context: RepairContext, chosen: CheckTarget, place: str
) -> list[Observation]:
    """Run the failing command as often as it takes; with the registries in reach if it needs them."""
    preparation, command = context.preparation, context.commands.failing
    runs: list[Observation] = []
    while not runs or wants_another_run(runs, chosen.evidence):
        runs.append(await _observe(run, context, place, len(runs) + 1))
        if not preparation.online and wants_registries(chosen.evidence, runs[0]):
            preparation.reach_registries()
            run.listener(
                PhaseStarted(Phase.REPRODUCE, detail=failed_jobs.run_with_registries(command))
            )
            return await _runs(run, context, chosen, f"{place}-online")
    return runs


async def _at_base(
    run: Run, context: RepairContext, chosen: CheckTarget, place: str
) -> Observation | None:
    """Run the failing command at the base, set up anew only where the commit changed the setup."""
    source = context.source
    patch = await to_base(context)
    run.listener(
        PhaseStarted(Phase.REPRODUCE, detail=failed_jobs.run_at_base(context.commands.failing))
    )
    if not touches_setup(patch.files):
        return await observe_at_base(run, context, patch, step=f"base{place}")
    directory = await provide(
        source.store, source.trusted, source.store.directory.with_name("source-base")
    )
    base = replace(source, head=source.trusted, directory=directory, stays=False)
    preparation = preparation_of(run, base, chosen, base_of(place))
    prepared = await run.steps(f"set up base{place}", preparation.set_up)
    if isinstance(prepared, SetupFailed):
        run.known.note(failed_jobs.base_not_set_up(chosen.target.check))
        return None
    preparation.use(prepared)
    if context.preparation.online:
        preparation.reach_registries()
    there = replace(context, source=base, preparation=preparation, prepared=prepared)
    return await observe_at_base(run, there, Patch(), step=f"base{place}")


async def _observe(run: Run, context: RepairContext, place: str, n: int) -> Observation:
    """Run the failing command on the untouched tree, for the `n`th time."""
    room, command = context.clean_room(run), context.commands.failing
    step = f"reproduce{place} {n}"
    name = f"{run.job.run_id}-{step.replace(' ', '-')}"
    if n == 1:  # what the command itself writes is not part of the fix
        return await run.steps(step, room.observe_writes, name, command)
    return await run.steps(step, room.observe, name, command, Patch())


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
    raise Concluded(verdict_of(conclusion.cause) or Verdict.NOT_REPRODUCED, conclusion.reason)
