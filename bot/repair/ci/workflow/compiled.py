"""Compile a plan into shell commands: what prepares, and the one command that fails."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.repair.ci.workflow import runner_shell
from bot.repair.ci.workflow.command import Command
from bot.repair.ci.workflow.conditions import flag
from bot.repair.ci.workflow.expressions import ExpressionError, Scope, render_text
from bot.repair.ci.workflow.plan import JobPlan, PlannedStep
from bot.repair.ci.workflow.prefetch import prefetch
from bot.repair.ci.workflow.step import Decision

_RUNNING = frozenset({Decision.RUN, Decision.UNSURE})


@dataclass(frozen=True, slots=True)
class CompiledJob:
    """A job as commands for `bash -c`, to be run one after the other in one sandbox's home.

    Attributes:
        setup: Everything before the failing step, with network.
        failing: The failing step's command; it needs no other state than the setup's home.
        script: What the workflow says there, for people and for finding the tools behind it.
        title: How GitHub calls that step.
    """

    setup: tuple[str, ...]
    failing: str
    script: str
    title: str


def compile_job(plan: JobPlan, failing: PlannedStep) -> CompiledJob:
    """Return the commands of a job up to and including the step that failed.

    Args:
        plan: Of the job.
        failing: One of its steps, out of `plan.step_called`. Of a composite action the last step
            that runs counts as the failing one.
    """
    commands: list[_Ready] = []
    for planned in plan.steps:
        commands += _commands(planned, plan.scope)
        if planned is failing:
            break
    checks = [n for n, ready in enumerate(commands) if ready.check] or [len(commands) - 1]
    last = commands[checks[-1]] if commands else _Ready(Command("none", "true"), "", check=True)
    before = commands[: checks[-1]] if commands else []
    setup = [_tolerant(ready) for ready in before]
    fetched = prefetch(last.command, plan.frame.tree)
    if fetched is not None:
        setup.append(_tolerant(_Ready(fetched, "", check=False, tolerant=True)))
    return CompiledJob(
        setup=(plan.initialise, *setup),
        failing=last.command.text(),
        script=last.command.script,
        title=last.title or failing.step.title,
    )


@dataclass(frozen=True, slots=True)
class _Ready:
    command: Command
    title: str
    check: bool
    tolerant: bool = False


def _commands(planned: PlannedStep, scope: Scope) -> Iterator[_Ready]:
    step = planned.step
    if step.decision not in _RUNNING:
        return
    unsure = step.decision is Decision.UNSURE  # GitHub may not have run it at all
    tolerant = unsure or flag(step.spec.continue_on_error, scope)
    if step.command is not None:
        yield _Ready(step.command, step.title, step.check, tolerant)
    if step.inside is not None:
        for inner in planned.inner:
            for ready in _commands(inner, step.inside[0]):
                yield replace(ready, tolerant=ready.tolerant or tolerant)
        outputs = outputs_command(planned)
        if outputs is not None:
            yield _Ready(outputs, step.title, check=False)


def outputs_command(planned: PlannedStep) -> Command | None:
    """Return the command that hands the outputs of a composite action's steps on as its own."""
    step = planned.step
    scope = planned.inner_scope
    if step.action is None or step.inside is None or scope is None or not step.action.outputs:
        return None
    _, frame = step.inside
    environment: dict[str, str] = {}
    lines: list[str] = []
    for n, (name, template) in enumerate(step.action.outputs.items()):

        def missing(expression: str) -> str:
            parts = expression.split(".")
            if len(parts) != 4 or parts[0] != "steps" or parts[2] != "outputs":  # noqa: PLR2004 - steps.ID.outputs.NAME
                return ""
            return runner_shell.mark(f"{frame.prefix}{parts[1]}", parts[3])

        try:
            environment[f"CI_VALUE_{n}"] = render_text(template, scope, missing).text
        except ExpressionError:
            continue
        entry = f"echo {shlex.quote(name)}'<<CI_END'; printf '%s\\n' \"$CI_VALUE_{n}\"; echo CI_END"
        lines.append(f'{{ {entry}; }} >>"$GITHUB_OUTPUT"')
    return Command(step.key, "\n".join(lines), environment=environment)


def _tolerant(ready: _Ready) -> str:
    text = ready.command.text()
    return f"bash -c {shlex.quote(text)} || true" if ready.tolerant else text
