"""Compile a plan into shell commands: what prepares, and the one command that fails."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from bot.ci.workflow.actions.preparing import editable, installs, must_succeed
from bot.ci.workflow.compile.earlier import steps_before
from bot.ci.workflow.compile.later_checks import checks_behind, going_on
from bot.ci.workflow.compile.offline import without_network
from bot.ci.workflow.compile.rebuild_steps import built_again
from bot.ci.workflow.expressions import ExpressionContext, ExpressionError, render_text
from bot.ci.workflow.expressions.conditions import flag
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.step import Decision
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.rebuilding import STAMP
from bot.reporting.reasons import job_steps, runner_differences

_RUNNING = frozenset({Decision.RUN, Decision.UNSURE})


@dataclass(frozen=True, slots=True)
class CompiledJob:
    """A job as commands for `bash -c`, to be run one after the other in one sandbox's home.

    Attributes:
        setup: Everything before the failing step, with network.
        shown: The same for people, one for each: scripts as they are typed, actions by their name.
        again: What a sandbox that keeps the home of another commit needs for this one.
        failing: The failing step's command; it needs no other state than the setup's home.
        script: What the workflow says there, for people and for finding the tools behind it.
        title: How GitHub calls that step.
        command: The failing step itself, and what goes on behind it.
        builds: Shell text that makes anew, where a source has changed, what steps before it built.
        behind: Titles of the checks that `command` goes on with.
    """

    setup: tuple[str, ...]
    shown: tuple[str, ...]
    again: tuple[str, ...]
    failing: str
    script: str
    title: str
    command: Command
    builds: str = ""
    behind: tuple[str, ...] = ()


def compile_job(plan: JobPlan, failing: PlannedStep, skipped: Collection[str] = ()) -> CompiledJob:
    """Return the commands of a job up to and including the step that failed.

    Args:
        plan: Of the job.
        failing: One of its steps, out of `plan.step_called`. Of a composite action the last step
            that runs counts as the failing one.
        skipped: Titles of the steps behind it that GitHub skipped and a repair has to pass, too.
    """
    commands: list[_Ready] = []
    for planned in (*steps_before(plan, failing), failing):
        commands += _commands(planned, plan.scope)
    commands = [_in_place(ready) for ready in commands]
    checks = [n for n, ready in enumerate(commands) if ready.check] or [len(commands) - 1]
    last = commands[checks[-1]] if commands else _Ready(Command("none", "true"), "", check=True)
    before = commands[: checks[-1]] if commands else []
    parts = without_network(last.command, plan.frame.tree)
    setup = [(job_steps.RUNNER_SET_UP, plan.initialise)]
    setup += [(_shown(ready), _prepared(ready)) for ready in before]
    if parts.installs is not None:
        setup.append((parts.installs.typed(), parts.installs.text()))
    if parts.fetch is not None:
        setup.append((parts.fetch.shown, parts.fetch.text))
    builds = built_again([ready.command for ready in before if ready.check], plan.frame.tree)
    if builds:
        setup.append((job_steps.BUILD_NOTED, f"touch {STAMP}"))
    again = [_prepared(ready) for ready in before if ready.check and not _lasts(ready)]
    behind = checks_behind(plan, failing, skipped)
    command = going_on(parts.command, behind)
    return CompiledJob(
        setup=tuple(text for _, text in setup),
        shown=tuple(shown for shown, _ in setup),
        again=(plan.refresh, *again),
        failing=command.text(),
        script=last.command.script,
        title=last.title or failing.step.title,
        command=command,
        builds=builds,
        behind=tuple(planned.step.title for planned in behind),
    )


def _in_place(ready: _Ready) -> _Ready:
    """Return a script that installs the work tree itself where it would install a copy."""
    script = editable(ready.command.script) if ready.check else ready.command.script
    return replace(ready, command=replace(ready.command, script=script))


@dataclass(frozen=True, slots=True)
class _Ready:
    command: Command
    title: str
    check: bool
    tolerant: bool = False


def _commands(planned: PlannedStep, scope: ExpressionContext) -> Iterator[_Ready]:
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


def _lasts(ready: _Ready) -> bool:
    """Whether a script only installs what its inputs name."""
    return installs(ready.command.script)


def _shown(ready: _Ready) -> str:
    """Return a script as it is typed; what stands in for an action is named after it."""
    return ready.command.typed() if ready.check else f"# {ready.title}"


def _prepared(ready: _Ready) -> str:
    """Return a step before the failing one. Only a plain install stops the setup when it fails.

    The others passed at GitHub, and what they check is not asked here; that they fail is said. So is
    an install that asks for a place which can't be reached: what it brings may not be needed.
    """
    text = ready.command.text()
    if ready.tolerant:
        return _tolerant(text)
    if not ready.check:
        return text
    title = ready.title[:80]
    fails = runner_differences.earlier_step_fails(title)
    words = (
        "" if must_succeed(ready.command.script) else fails,
        runner_differences.earlier_step_unreachable(title),
        text,
    )
    return f"{runner_shell.begin('none')}\n{shlex.join(('ci_earlier', *words))}"


def _tolerant(text: str) -> str:
    return f"bash -c {shlex.quote(text)} || true"
