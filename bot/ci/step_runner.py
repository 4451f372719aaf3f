"""Run one step in a sandbox and take in what it leaves for the next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.ci.job_run import StepOutcome, StepRun
from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.compile.offline import without_installs
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    Partly,
    Value,
    render_all,
    render_text,
)
from bot.ci.workflow.expressions.conditions import after_failure, flag
from bot.ci.workflow.plan.differences import missing_secrets
from bot.ci.workflow.plan.resolve import resolve
from bot.ci.workflow.plan.step import Decision, Step, StepScope
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.spec.specification import StepSpec
from bot.reporting.reasons import job_steps
from sandbox.base import CommandResult, OutputListener, Sandbox

# `ci_pairs` in bot/ci/workflow/inside/step.sh reads the same in bash.
# Source: `EnvFileKeyValuePairs` in actions/runner, src/Runner.Worker/FileCommandManager.cs


@dataclass(frozen=True, slots=True)
class EnvironmentFile:
    """What a step wrote.

    Attributes:
        values: By name, up to the first line that is no entry.
        invalid: That line; GitHub's runner has the step fail for it.
        valid: The text before it.
    """

    values: dict[str, str] = field(default_factory=dict)
    invalid: str = ""
    valid: str = ""


def read_pairs(text: str) -> EnvironmentFile:
    """Return the values by name: `name=value` lines, and `name<<END` with lines up to `END`."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        line, after = _line(text, at)
        name, _, value = line.partition("=")
        if "<<" in name:
            name, _, end = line.partition("<<")
            block = _block(text, after, end) if name and end else None
            if block is None:
                return EnvironmentFile(found, line, text[:at])
            found[name], after = block
        elif "=" in line:
            found[name] = value
        elif line:
            return EnvironmentFile(found, line, text[:at])
        at = after
    return EnvironmentFile(found, valid=text)


def _block(text: str, start: int, end: str) -> tuple[str, int] | None:
    """Return the value that begins at a place and where the next entry does, None without its end."""
    at = start
    while at < len(text):
        line, after = _line(text, at)
        if line == end:
            return text[start : max(start, at - 1)], after
        if not text.endswith("\n", at, after):
            return None
        at = after
    return None


def _line(text: str, at: int) -> tuple[str, int]:
    """Return the line that begins at a place and where the next one does."""
    end = text.find("\n", at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + 1)


_COMMAND_NOT_FOUND = 127

_SLOWER = 4
"""How many times as long as on GitHub's runner a step may take here before it counts as hanging."""


@dataclass(frozen=True, slots=True)
class StepRunner:
    """Runs steps; returns for each what became of it and what the next one sees.

    Attributes:
        only_check: Leave a step's own installs out: they were done before.
    """

    sandbox: Sandbox
    step_seconds: float
    on_output: OutputListener | None
    only_check: bool = False

    async def step(
        self, spec: StepSpec, scope: ExpressionContext, frame: StepScope
    ) -> tuple[StepRun, ExpressionContext]:
        """Run a step, unless its condition says no; return its run and what the next one sees.

        Raises:
            SandboxError: The sandbox failed, not the command in it.
        """
        step = resolve(spec, scope, frame)
        if step.decision in {Decision.SKIP, Decision.ON_FAILURE}:
            return self._done(StepRun(step, StepOutcome.SKIPPED), {}, scope)
        if step.inside is not None:
            run, outputs = await self._composite(step)
        elif step.command is not None:
            run, outputs = await self._command(step, scope)
        else:
            outcome = (
                StepOutcome.SKIPPED if step.need is ActionStatus.SKIPPED else StepOutcome.SUCCESS
            )
            run, outputs = StepRun(step, outcome), dict(step.outputs)
        file = await self._exported()
        if file.invalid:
            why = job_steps.environment_file_invalid("GITHUB_ENV", file.invalid)
            run = replace(run, outcome=StepOutcome.FAILURE, why=run.why or why)
        known = scope.contexts["env"]
        scope = replace(scope, contexts={**scope.contexts, "env": {**known, **file.values}})
        if run.outcome is StepOutcome.FAILURE and flag(spec.continue_on_error, scope):
            run = replace(run, tolerated=True)
        return self._done(run, outputs, scope)

    async def _exported(self) -> EnvironmentFile:
        """Return what steps exported; a line that is no entry is said once and taken away."""
        path = runner_shell.FILES["env"]
        file = read_pairs(await read_text(self.sandbox, path))
        if file.invalid:
            await self.sandbox.write_file(path, file.valid.encode())
        file.values.pop(runner_shell.NOT_EXPORTED, None)
        return file

    def _done(
        self, run: StepRun, outputs: Mapping[str, Value], scope: ExpressionContext
    ) -> tuple[StepRun, ExpressionContext]:
        if run.breaks:
            scope = after_failure(scope)
        if run.step.spec.id:
            steps = {**scope.contexts["steps"], run.step.spec.id: _seen(run, outputs)}
            scope = replace(scope, contexts={**scope.contexts, "steps": steps})
        return run, scope

    async def _command(
        self, step: Step, scope: ExpressionContext
    ) -> tuple[StepRun, dict[str, Value]]:
        assert step.command is not None  # noqa: S101 - the caller looked
        command = step.command
        if self.only_check:
            command = without_installs(command)
        result = await self.sandbox.run(
            command.text(),
            timeout=_seconds(step.spec.timeout_minutes, scope, self.step_seconds),
            on_output=self.on_output,
        )
        written = read_pairs(await read_text(self.sandbox, runner_shell.outputs_file(step.key)))
        why = "" if result.ok else _why(step, result)
        if result.ok and written.invalid:
            why = job_steps.environment_file_invalid("GITHUB_OUTPUT", written.invalid)
        outcome = StepOutcome.FAILURE if written.invalid or not result.ok else StepOutcome.SUCCESS
        run = StepRun(step, outcome, result=result, seconds=result.seconds, why=why)
        return run, {**step.outputs, **written.values}

    async def _composite(self, step: Step) -> tuple[StepRun, dict[str, Value]]:
        assert step.inside is not None  # noqa: S101 - the caller looked
        assert step.action is not None  # noqa: S101 - both or neither
        scope, frame = step.inside
        inner: list[StepRun] = []
        for spec in step.action.steps:
            run, scope = await self.step(spec, scope, frame)
            inner.append(run)
        broken = next((run for run in inner if run.breaks), None)
        try:
            outputs, _ = render_all(step.action.outputs, scope)
        except ExpressionError:
            outputs = {}
        run = StepRun(
            step,
            StepOutcome.FAILURE if broken else StepOutcome.SUCCESS,
            result=broken.innermost().result if broken else None,
            seconds=sum(each.seconds for each in inner),
            inner=tuple(inner),
            why=broken.why if broken else "",
        )
        return run, outputs


def _seen(run: StepRun, outputs: Mapping[str, Value]) -> Value:
    """Return what `steps.ID` holds. An action that was replaced has outputs that are not known."""
    outcome = StepOutcome.SUCCESS if run.step.need is ActionStatus.SKIPPED else run.outcome
    replaced = run.step.need is not None and outcome is not StepOutcome.SKIPPED
    return {
        "outputs": Partly(f"steps.{run.step.spec.id}.outputs", outputs) if replaced else outputs,
        "outcome": outcome.value,
        "conclusion": (StepOutcome.SUCCESS if run.tolerated else outcome).value,
    }


def _seconds(minutes: Value, scope: ExpressionContext, default: float) -> float:
    try:
        given = float(render_text(minutes, scope).text)
    except (ValueError, ExpressionError):
        return default
    return min(given * 60 * _SLOWER, default) if given > 0 else default


def _why(step: Step, result: CommandResult) -> str:
    """Return what is known of the reason that lies outside the tested code, or empty."""
    secrets = missing_secrets(step.unknown)
    if result.timed_out:
        return job_steps.step_timed_out(result.seconds)
    if secrets:
        return job_steps.secrets_missing(secrets)
    if result.exit_code == _COMMAND_NOT_FOUND:
        missing = re.search(r"(?<![\w./+-])([\w./+-]+): (?:command )?not found", result.output)
        return job_steps.program_missing(missing[1]) if missing else ""
    if step.decision is Decision.UNSURE:
        return job_steps.CONDITION_UNKNOWN
    return ""


async def read_text(sandbox: Sandbox, path: str) -> str:
    """Return a file of the sandbox as text; one that is missing is empty."""
    try:
        return (await sandbox.read_file(path)).decode("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError):
        return ""  # a step may have removed it
