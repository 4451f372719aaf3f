"""Run a planned job in a sandbox, step by step, as GitHub's runner would."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.ci import artifacts
from bot.ci.job_run import FinishedJob, StepOutcome, StepRun
from bot.ci.network import UNREACHABLE
from bot.ci.step_runner import StepRunner, read_text
from bot.ci.workflow.actions.install_commands import downloads, installs, must_succeed
from bot.ci.workflow.compile.earlier_steps import (
    looks_only,
    runs_tests,
    steps_before,
    tests_or_lints,
)
from bot.ci.workflow.compile.offline import without_network
from bot.ci.workflow.expressions import ExpressionContext, Meter
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.producers import made_outputs, producing_steps
from bot.ci.workflow.plan.resolve import resolve
from bot.ci.workflow.plan.step import Step
from bot.ci.workflow.plan.uploaders import uploading_steps
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.stub_packages import MOST_LEFT_OUT, leaving_out
from bot.ci.workflow.spec.specification import StepSpec
from bot.ecosystems.python.missing.stub_packages import Unbuilt, unbuilt_packages
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps, runner_differences
from sandbox.base import CommandResult, OutputListener, Sandbox


def ignored(run: StepRun) -> str:
    """Return why a failure before the step that failed on GitHub doesn't end the job; "" if it does."""
    last = run.innermost()
    title = run.step.title[:80]
    output = last.result.output if last.result else ""
    if re.search(UNREACHABLE, output):
        return runner_differences.earlier_step_unreachable(title)
    script = last.step.command.script if last.step.command else ""
    return "" if must_succeed(script) else runner_differences.earlier_step_fails(title)


def only_fetches(run: StepRun, tree: Tree) -> str:
    """Return why a failure doesn't end a job of which no step is known to fail; "" if it does.

    The step downloads from a place that can't be reached here, and neither tests nor lints.
    """
    last = run.innermost()
    command, output = last.step.command, last.result.output if last.result else ""
    if command is None or not downloads(command.script) or not re.search(UNREACHABLE, output):
        return ""
    if runs_tests(command, tree) or looks_only(command, tree):
        return ""
    return runner_differences.earlier_step_unreachable(run.step.title[:80])


def only_prepares(run: StepRun, tree: Tree) -> str:
    """Return why a failure doesn't end a job that tests later; "" if it does.

    The step installs nothing, and neither tests nor lints.
    """
    command = run.innermost().step.command
    if command is None or must_succeed(command.script) or tests_or_lints(command, tree):
        return ""
    return runner_differences.earlier_step_fails(run.step.title[:80])


def blamed(runs: Sequence[StepRun]) -> tuple[StepRun, ...]:
    """Return the runs of a job; the first that was doubted breaks it where nothing else does."""
    doubted = next((run for run in runs if run.doubted), None)
    if doubted is None or any(run.breaks for run in runs):
        return tuple(runs)
    guilty = replace(doubted, tolerated=False, doubted=False, why="")
    return tuple(guilty if run is doubted else run for run in runs)


STEP_SECONDS = 3600.0
"""Longest time of a step that sets no limit of its own. GitHub's is six hours."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Is told how an execution goes on.

    Attributes:
        started: With each step of the job, before it runs.
        finished: With each step that was reached.
        fetching: With what is done for the failing step while there is network.
        output: Gets the output as it comes.
    """

    started: Callable[[Step], None] = lambda _step: None
    finished: Callable[[StepRun], None] = lambda _run: None
    fetching: Callable[[str], None] = lambda _shown: None
    output: OutputListener | None = None


@dataclass
class JobExecution:
    """A job on its way through a sandbox: all of it, or one step in a sandbox prepared for it.

    Attributes:
        plan: What to run.
        watcher: Is told of every step.
        step_seconds: Longest time of a step without a limit of its own.
        artifacts: Zips by name, which earlier jobs made.
    """

    plan: JobPlan
    watcher: Watcher = field(default_factory=Watcher)
    step_seconds: float = STEP_SECONDS
    artifacts: Mapping[str, bytes] = field(default_factory=dict)
    _runs: list[StepRun] = field(default_factory=list)
    _scope: ExpressionContext | None = None
    _fetching: float = 0.0
    _left_out: list[Unbuilt] = field(default_factory=list)

    async def run(self, sandbox: Sandbox) -> FinishedJob:
        """Run every step.

        A step that fails and neither installs nor tests doesn't end a job that tests later: it may
        fail here alone. It is what the job fails with where nothing behind it fails.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        scope = await self._begun(sandbox)
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output)
        steps = self.plan.target.job.steps
        for n, spec in enumerate(steps, 1):
            tests_later = any(self._checks(later, scope) for later in steps[n:])
            scope = await self._step(
                runner, spec, scope, last=n == len(steps), tests_later=tests_later
            )
        self._runs = list(blamed(self._runs))
        return await self._finished(sandbox)

    async def outputs(self, sandbox: Sandbox) -> dict[str, str]:
        """Run the steps that the job's outputs are made by; return those that are known then.

        None are when a step fails.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        job = self.plan.target.job
        scope = await self._begun(sandbox)
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output)
        for spec in producing_steps(job):
            scope = await self._step(runner, spec, scope)
            if self._broken:
                return {}
        return made_outputs(job, replace(scope, meter=Meter()))

    async def kept_artifacts(self, sandbox: Sandbox) -> dict[str, bytes]:
        """Run the steps that the job's artifacts are made by; return those that are there then.

        The plan has to be one that keeps artifacts.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        scope = await self._begun(sandbox)
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output)
        for spec in uploading_steps(self.plan):
            scope = await self._step(runner, spec, scope)
            if self._broken:
                break
        return await artifacts.collected(sandbox)

    async def prepare(self, sandbox: Sandbox, failing: PlannedStep) -> FinishedJob:
        """Run what the failing step needs of those before it, and what itself needs from the network.

        A step that fails and installs nothing doesn't end the job: it passed on GitHub.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        scope = await self._begun(sandbox)
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output)
        needed = {id(step) for step in steps_before(self.plan, failing)}
        for planned in self.plan.steps:
            if planned is failing or self._broken:
                break
            if id(planned) in needed:
                scope = await self._step(runner, planned.step.spec, scope, forgiving=True)
            else:
                left_out = replace(planned.step, said=(job_steps.ONLY_CHECKS,))
                self._add(StepRun(left_out, StepOutcome.SKIPPED))
        self._scope = scope
        if not self._broken:
            await self._fetch(sandbox, failing, scope)
        return await self._finished(sandbox)

    async def check(self, sandbox: Sandbox, failing: PlannedStep) -> FinishedJob:
        """Run the failing step in a sandbox that was prepared for it; those behind it don't matter.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output, only_check=True)
        await self._step(runner, failing.step.spec, self._scope or self.plan.scope)
        return await self._finished(sandbox)

    async def _begun(self, sandbox: Sandbox) -> ExpressionContext:
        await _initialise(self.plan, sandbox, self.watcher)
        await artifacts.handed_over(sandbox, self.artifacts)
        return self.plan.scope

    async def _step(
        self,
        runner: StepRunner,
        spec: StepSpec,
        scope: ExpressionContext,
        *,
        forgiving: bool = False,
        last: bool = True,
        tests_later: bool = False,
    ) -> ExpressionContext:
        scope = replace(scope, meter=Meter())
        self.watcher.started(resolve(spec, scope, self.plan.frame))
        run, after = await runner.step(spec, scope, self.plan.frame)
        while (
            forgiving and run.breaks and await self._does_without(runner.sandbox, run.innermost())
        ):
            run, after = await runner.step(spec, scope, self.plan.frame)
        tree = self.plan.frame.tree
        if (forgiving and run.breaks and (why := ignored(run))) or (
            run.breaks and not last and (why := only_fetches(run, tree))
        ):
            run, after = replace(run, tolerated=True, why=why), scope
        elif run.breaks and tests_later and not self._broken and (why := only_prepares(run, tree)):
            run, after = replace(run, tolerated=True, doubted=True, why=why), scope
        self._add(run)
        return after

    @property
    def _broken(self) -> bool:
        return any(run.breaks for run in self._runs)

    def _checks(self, spec: StepSpec, scope: ExpressionContext) -> bool:
        """Whether a step tests or lints."""
        scope = replace(scope, meter=Meter())
        command = resolve(spec, scope, self.plan.frame).command
        return command is not None and tests_or_lints(command, self.plan.frame.tree)

    def _add(self, run: StepRun) -> None:
        self._runs.append(run)
        self.watcher.finished(run)

    async def _fetch(
        self, sandbox: Sandbox, failing: PlannedStep, scope: ExpressionContext
    ) -> None:
        """Do what the failing step needs network for; its own installs have to succeed."""
        step = resolve(failing.step.spec, scope, self.plan.frame)
        if step.command is None:
            return
        parts = without_network(step.command, self.plan.frame.tree)
        if parts.installs is not None:
            shown, text = parts.installs.typed(), parts.installs.text()
            result = await self._fetched(sandbox, shown, text)
            while not result.ok and await self._stand_in(sandbox, result.output):
                result = await self._fetched(sandbox, shown, text)
            if not result.ok:
                self._add(StepRun(step, StepOutcome.FAILURE, result=result, seconds=result.seconds))
                return
        if parts.fetch is not None:
            await self._fetched(sandbox, parts.fetch.shown, parts.fetch.text)

    async def _does_without(self, sandbox: Sandbox, run: StepRun) -> bool:
        """Whether a step that installs can run again without packages that can't be built here."""
        command = run.step.command
        if run.result is None or command is None or not installs(command.script):
            return False
        return await self._stand_in(sandbox, run.result.output)

    async def _stand_in(self, sandbox: Sandbox, output: str) -> bool:
        """Have empty packages stand for those that could not be built; false without new ones."""
        found = [package for package in unbuilt_packages(output) if package not in self._left_out]
        if not found or len(self._left_out) >= MOST_LEFT_OUT:
            return False
        self._left_out += found
        return (await sandbox.run(leaving_out(found), timeout=300.0)).ok

    async def _fetched(self, sandbox: Sandbox, shown: str, text: str) -> CommandResult:
        self.watcher.fetching(shown)
        result = await sandbox.run(text, timeout=self.step_seconds, on_output=self.watcher.output)
        self._fetching += result.seconds
        return result

    async def _finished(self, sandbox: Sandbox) -> FinishedJob:
        said = await _said(sandbox)
        return FinishedJob(tuple(self._runs), said, self._fetching, self.plan.problems)


class RunnerBroken(Exception):
    """The sandbox could not be made to look like a runner; the text has what its shell said."""


async def _initialise(plan: JobPlan, sandbox: Sandbox, watcher: Watcher) -> None:
    result = await sandbox.run(plan.initialise, timeout=300.0, on_output=watcher.output)
    if not result.ok:
        raise RunnerBroken(f"Could not prepare the sandbox: {result.output.strip()[-500:]}")


async def _said(sandbox: Sandbox) -> tuple[str, ...]:
    lines = (await read_text(sandbox, runner_shell.SAID)).splitlines()
    return tuple(dict.fromkeys(line for line in lines if line.strip()))
