"""Reproduce one failed job: planned, set up, observed, compared with GitHub's log and with the base."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.ci.workflow.runner.stub_packages import MOST_LEFT_OUT, without_packages
from bot.ecosystems.python.missing.stub_packages import Unbuilt, unbuilt_packages
from bot.ecosystems.tree import DirectoryTree
from bot.model import Cause, Observation, OtherFailure, OtherKind, Patch, Reproduction
from bot.model.progress import Phase, PhaseStarted
from bot.repair.goal.excluded_failures import aside_of
from bot.repair.job import Source
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.changed_tests import touched_tests
from bot.repair.reproduction.checks.base_commit import has_base, observe_at_base, to_base
from bot.repair.reproduction.checks.targets import CheckTarget, commands_of
from bot.repair.reproduction.checks.verdict import (
    CheckConclusion,
    base_alone,
    conclude_at_base,
    conclude_at_head,
    differences,
    to_leave,
    wants_another_run,
    wants_registries,
    with_evidence,
)
from bot.repair.reproduction.project_evidence import Project
from bot.repair.run import Run
from bot.repair.tests_not_run import without_result
from bot.repair.workspace.checkouts import provide
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.programs import NOTHING_SEEN, Trace
from bot.repair.workspace.sandbox_cleanup import base_of
from bot.repair.workspace.setup_inputs import touches_setup
from bot.repair.workspace.setup_result import Prepared, SetupFailed, why_setup_failed
from bot.reporting.reason import because
from bot.reporting.reasons import failed_jobs, outside_causes, sandbox_setup

_SETUP_CHARACTERS = 16_000


async def set_up_job(
    run: Run, source: Source, chosen: CheckTarget, place: str
) -> tuple[CheckTarget, Preparation, Prepared | SetupFailed]:
    """Set a failed job up; return its target as it was set up in the end, and what came of it."""
    preparation = preparation_of(run, source, chosen, place)
    prepared = await run.steps(f"set up{place}", preparation.set_up)
    left_out: tuple[Unbuilt, ...] = ()
    while isinstance(prepared, SetupFailed) and (more := _unbuilt(chosen, prepared, left_out)):
        left_out += more
        chosen = replace(chosen, target=without_packages(chosen.target, more))
        preparation = preparation_of(run, source, chosen, place)
        name = f"set up{place} without {len(left_out)}"
        prepared = await run.steps(name, preparation.set_up)
    return chosen, preparation, prepared


def preparation_of(run: Run, source: Source, chosen: CheckTarget, place: str) -> Preparation:
    """Return what prepares the tree of a failed job."""
    return Preparation(
        run.job,
        source,
        commands_of(chosen.target, DirectoryTree(source.directory)),
        run.tools.sandboxes,
        run_limits=run.run_limits,
        listener=run.listener,
        place=place,
        target=chosen.target,
        environments=run.tools.environments,
        artifacts=run.tools.artifacts,
    )


def conclude_setup(run: Run, chosen: CheckTarget, failed: SetupFailed) -> CheckConclusion:
    """Return what a setup that failed says of its check."""
    run.known.reproduction = Reproduction(
        Cause.NOT_REPRODUCED, None, setup_output=failed.output[-_SETUP_CHARACTERS:]
    )
    if not chosen.target.workflow:
        return CheckConclusion(Cause.INFRASTRUCTURE, (why_setup_failed(failed),))
    check, command, differs = chosen.target.check, failed.command, differences(chosen.target)
    reason = (
        because(failed_jobs.setup_timed_out, check, command, differs)
        if failed.timed_out
        else because(failed_jobs.setup_failed, check, command, failed.exit_code, differs)
    )
    return CheckConclusion(Cause.NOT_REPRODUCED, (reason,))


def _unbuilt(
    chosen: CheckTarget, failed: SetupFailed, left_out: tuple[Unbuilt, ...]
) -> tuple[Unbuilt, ...]:
    """Return the packages that a job's setup can't build and has not been without yet."""
    if not chosen.target.workflow or len(left_out) >= MOST_LEFT_OUT:
        return ()
    return tuple(package for package in unbuilt_packages(failed.output) if package not in left_out)


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A failed job whose commands are known."""

    chosen: CheckTarget


@dataclass(frozen=True, slots=True)
class JobSetUp(PlannedJob):
    """Its tree is prepared."""

    context: RepairContext


@dataclass(frozen=True, slots=True)
class Observed(JobSetUp):
    """Its command ran at the failing commit, as often as it takes."""

    runs: tuple[Observation, ...]
    trace: Trace
    """What it started and read, where it fails and names no failure."""


@dataclass(frozen=True, slots=True)
class JobCompared(Observed):
    """The runs were compared with GitHub's log."""

    conclusion: CheckConclusion


@dataclass(frozen=True, slots=True)
class ComparedAtBase(JobCompared):
    """A real failure was compared with the base commit; its run is None where there is none."""

    base: Observation | None


@dataclass(frozen=True, slots=True)
class JobReproduction:
    """A failed job, its runs here, and the conclusion.

    Attributes:
        context: Its prepared tree; None when its setup fails.
        runs: Its command at the failing commit.
        conclusion: Why it fails.
        others: What fails here and not on GitHub.
    """

    chosen: CheckTarget
    context: RepairContext | None
    runs: tuple[Observation, ...]
    conclusion: CheckConclusion
    others: tuple[OtherFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class JobTrial:
    """What leads a failed job from one state to the next.

    Attributes:
        run: The run, whose job has the date of the packages.
        source: The commit.
        guidance: The repository's own, for the context.
        place: Of this job among those of the run, for names of steps and sandboxes.
    """

    run: Run
    source: Source
    guidance: str
    place: str

    async def reproduce(self, chosen: CheckTarget) -> JobReproduction:
        """Set a failed job up, and run its command here and at the base."""
        state: PlannedJob | JobReproduction = PlannedJob(chosen)
        while not isinstance(state, JobReproduction):
            state = await self._next(state)
        return state

    async def _next(self, state: PlannedJob) -> PlannedJob | JobReproduction:
        match state:  # each state has what those below it have
            case ComparedAtBase():
                return _without_others(state)
            case JobCompared(chosen, context, runs, _, conclusion):
                if conclusion.cause is Cause.REAL:
                    return await self._compare_at_base(state)
                return JobReproduction(chosen, context, runs, conclusion)
            case Observed():
                return await self._compare(state)
            case JobSetUp(chosen, context):
                return Observed(chosen, context, *await self._runs(state))
            case _:
                return await self._set_up(state)

    async def _set_up(self, planned: PlannedJob) -> JobSetUp | JobReproduction:
        run, source = self.run, self.source
        run.listener(PhaseStarted(Phase.SETUP, detail=planned.chosen.target.check))
        with run.setting_up():
            done = await set_up_job(run, source, planned.chosen, self.place)
        chosen, preparation, prepared = done
        commands = commands_of(chosen.target, DirectoryTree(source.directory))
        run.known.note(*run.setup_notes(prepared))
        if isinstance(prepared, SetupFailed):
            return JobReproduction(chosen, None, (), conclude_setup(run, chosen, prepared))
        preparation.use(prepared)
        if prepared.environment_of:
            reused = sandbox_setup.environment_reused(prepared.environment_of)
            run.known.note(failed_jobs.noted(chosen.target.check, reused))
        run.known.untouched = prepared
        context = RepairContext(source, commands, prepared, preparation, self.guidance)
        return JobSetUp(chosen, context)

    async def _runs(self, state: JobSetUp) -> tuple[tuple[Observation, ...], Trace]:
        """Run the failing command as often as it takes; with the registries in reach if it needs them.

        Where it fails and names no failure, what its second run starts and reads is watched.
        """
        preparation, command = state.context.preparation, state.context.commands.failing
        evidence, place = state.chosen.evidence, self.place
        self.run.listener(PhaseStarted(Phase.REPRODUCE, detail=command))
        runs, trace = list[Observation](), NOTHING_SEEN
        while not runs or wants_another_run(runs, evidence):
            if len(runs) == 1 and not runs[0].ok and not runs[0].named:
                again, trace = await self._watched(state.context, place)
                runs.append(again)
                continue
            runs.append(await self._observe(state.context, place, len(runs) + 1))
            if not preparation.online and wants_registries(evidence, runs[0]):
                preparation.reach_registries()
                detail = failed_jobs.run_with_registries(command)
                self.run.listener(PhaseStarted(Phase.REPRODUCE, detail=detail))
                runs, place = [], f"{place}-online"
        return tuple(runs), trace

    async def _watched(self, context: RepairContext, place: str) -> tuple[Observation, Trace]:
        """Run the failing command for the second time, and watch what it starts and reads."""
        step, room = f"reproduce{place} 2", context.clean_room(self.run)
        name = f"{self.run.job.run_id}-{step.replace(' ', '-')}"
        command = context.commands.failing
        return await self.run.steps(step, room.observe_reads, name, command, Patch())

    async def _observe(self, context: RepairContext, place: str, n: int) -> Observation:
        """Run the failing command on the untouched tree, for the `n`th time."""
        room, command = context.clean_room(self.run), context.commands.failing
        step = f"reproduce{place} {n}"
        name = f"{self.run.job.run_id}-{step.replace(' ', '-')}"
        if n == 1:  # what the command itself writes is not part of the fix
            return await self.run.steps(step, room.observe_writes, name, command)
        return await self.run.steps(step, room.observe, name, command, Patch())

    async def _compare(self, state: Observed) -> JobCompared:
        chosen, context, runs = state.chosen, state.context, state.runs
        target, evidence, source = chosen.target, chosen.evidence, context.source
        conclusion = conclude_at_head(
            target,
            evidence,
            runs,
            online=context.preparation.online,
            setup=context.prepared.failed_steps,
        )
        paths = await source.store.paths(context.prepared.tree)
        project = Project(paths, DirectoryTree(source.directory).read)
        conclusion = with_evidence(conclusion, target, evidence, runs[0], state.trace, project)
        return JobCompared(chosen, context, runs, state.trace, conclusion)

    async def _compare_at_base(self, state: JobCompared) -> JobCompared | ComparedAtBase:
        chosen, context, runs, conclusion = (
            state.chosen,
            state.context,
            state.runs,
            state.conclusion,
        )
        if not has_base(context):
            return ComparedAtBase(chosen, context, runs, state.trace, conclusion, None)
        base = await self._run_at_base(context, chosen)
        silent = without_result(await touched_tests(context.source), runs[0])
        found = base and conclude_at_base(chosen.target, chosen.evidence, runs[0], base, silent)
        if found and found.cause is Cause.RED_ON_BASE and self.run.job.red_on_base:
            self.run.known.note(found.reason)
        elif found:
            return replace(state, conclusion=found)
        return ComparedAtBase(chosen, context, runs, state.trace, conclusion, base)

    async def _run_at_base(self, context: RepairContext, chosen: CheckTarget) -> Observation | None:
        """Run the failing command at the base, set up anew only where the commit changed the setup."""
        run, source, place = self.run, self.source, self.place
        patch = await to_base(context)
        detail = failed_jobs.run_at_base(context.commands.failing)
        run.listener(PhaseStarted(Phase.REPRODUCE, detail=detail))
        if not touches_setup(patch.files):
            return await observe_at_base(run, context, patch, step=f"base{place}")
        store = source.store
        directory = await provide(store, source.trusted, store.directory.with_name("source-base"))
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


def _without_others(state: ComparedAtBase) -> JobReproduction:
    """Set aside what fails here and not on GitHub: a repair may leave it, and may not add to it."""
    evidence, run, base = state.chosen.evidence, state.runs[0], state.base
    reproduction = JobReproduction(state.chosen, state.context, state.runs, state.conclusion)
    here = {failure.test for failure in to_leave(evidence, run)}
    shared = run.failing_ids - here
    behind = {each.test for each in (base_alone(evidence, base) if base else ())} - shared - here
    if not (here or behind):
        return reproduction
    aside = aside_of(here, *state.runs)
    if base is not None:
        aside = aside.joined(aside_of(behind, base))
    why, why_behind = outside_causes.NOT_ON_GITHUB, outside_causes.ON_BASE_ALONE
    return replace(
        reproduction,
        context=replace(state.context, aside=aside),
        runs=tuple(aside.left_by(each) for each in state.runs),
        others=(
            *(OtherFailure(test, OtherKind.ENVIRONMENT, why) for test in sorted(here)),
            *(OtherFailure(test, OtherKind.OLD, why_behind) for test in sorted(behind)),
        ),
    )
