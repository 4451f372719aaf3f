"""Run a planned job in a sandbox, step by step, as GitHub's runner would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.ci.job_run import FinishedJob, StepRun
from bot.ci.step_runner import StepRunner, read_text
from bot.ci.workflow import runner_shell
from bot.ci.workflow.expressions import ExpressionContext
from bot.ci.workflow.plan import JobPlan, PlannedStep
from bot.ci.workflow.prefetch import prefetch
from bot.ci.workflow.resolve import resolve
from bot.ci.workflow.specification import StepSpec
from bot.ci.workflow.step import Step
from sandbox.base import OutputListener, Sandbox

STEP_SECONDS = 3600.0
"""Longest time of a step that sets no limit of its own. GitHub's is six hours."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Is told how an execution goes on.

    Attributes:
        started: With each step of the job, before it runs.
        finished: With each step that was reached.
        output: Gets the output as it comes.
    """

    started: Callable[[Step], None] = lambda _step: None
    finished: Callable[[StepRun], None] = lambda _run: None
    output: OutputListener | None = None


@dataclass
class JobExecution:
    """A job on its way through a sandbox; `run` may be called again with a later sandbox.

    Attributes:
        plan: What to run.
        watcher: Is told of every step.
        step_seconds: Longest time of a step without a limit of its own.
    """

    plan: JobPlan
    watcher: Watcher = field(default_factory=Watcher)
    step_seconds: float = STEP_SECONDS
    _runs: list[StepRun] = field(default_factory=list)
    _scope: ExpressionContext | None = None

    async def run(self, sandbox: Sandbox, *, before: int | None = None) -> FinishedJob:
        """Run the steps that have not run, up to the one with the number `before`.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        scope = self._scope
        if scope is None:
            await _initialise(self.plan, sandbox, self.watcher)
            scope = self.plan.scope
        runner = StepRunner(sandbox, self.step_seconds, self.watcher.output)
        for spec in self._remaining(before):
            preview = resolve(spec, scope, self.plan.frame)
            self.watcher.started(preview)
            run, scope = await runner.step(spec, scope, self.plan.frame)
            self._runs.append(run)
            self.watcher.finished(run)
        self._scope = scope
        return FinishedJob(tuple(self._runs), await _said(sandbox))

    async def prepare(self, sandbox: Sandbox, failing: PlannedStep) -> FinishedJob:
        """Run the steps before the failing one, and fetch what that one needs from the network.

        Raises:
            SandboxError: The sandbox failed, not a command in it.
        """
        execution = await self.run(sandbox, before=failing.step.spec.number)
        if execution.passed and self._scope is not None:
            step = resolve(failing.step.spec, self._scope, self.plan.frame)
            fetching = prefetch(step.command, self.plan.frame.tree) if step.command else None
            if fetching is not None:
                await sandbox.run(
                    fetching.text(), timeout=self.step_seconds, on_output=self.watcher.output
                )
        return execution

    def _remaining(self, before: int | None) -> tuple[StepSpec, ...]:
        last = before if before is not None else len(self.plan.target.job.steps) + 1
        return tuple(
            spec for spec in self.plan.target.job.steps[len(self._runs) :] if spec.number < last
        )


class RunnerBroken(Exception):
    """The sandbox could not be made to look like a runner; the text has what its shell said."""


async def _initialise(plan: JobPlan, sandbox: Sandbox, watcher: Watcher) -> None:
    result = await sandbox.run(plan.initialise, timeout=300.0, on_output=watcher.output)
    if not result.ok:
        raise RunnerBroken(f"Could not prepare the sandbox: {result.output.strip()[-500:]}")


async def _said(sandbox: Sandbox) -> tuple[str, ...]:
    lines = (await read_text(sandbox, runner_shell.SAID)).splitlines()
    return tuple(dict.fromkeys(line for line in lines if line.strip()))
