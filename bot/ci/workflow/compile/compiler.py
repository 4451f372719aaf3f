"""Compile a plan into shell commands: what prepares, and the one command that fails."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.ci.workflow.actions.install_commands import editable, installs, must_succeed
from bot.ci.workflow.compile.earlier_steps import looks_only, only_checks, runs_tests, steps_before
from bot.ci.workflow.compile.offline import without_network
from bot.ci.workflow.expressions import ExpressionContext, ExpressionError, render_text
from bot.ci.workflow.expressions.conditions import flag
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.step import Decision
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.programs import COMPILERS
from bot.ecosystems.python.products import SOURCES
from bot.ecosystems.rebuild_commands import PROGRAMS, STAMP, rebuilding
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps, runner_differences

_SHELLS = frozenset({"", "bash"})
_LEAVES = re.compile(r"\b(?:cd|pushd|exit|exec|trap)\b")
"""Words of a script behind which another one can't stand."""


def checks_behind(
    plan: JobPlan, failing: PlannedStep, skipped: Collection[str]
) -> tuple[PlannedStep, ...]:
    """Return the steps behind the failing one that only look at files, in order.

    GitHub skipped them, so nobody knows yet whether they pass: a repair that stops at the failing
    step may leave the job red. Tests are not among them, nor what needs another installation.

    Args:
        plan: Of the job.
        failing: One of its steps.
        skipped: Titles of the steps that GitHub skipped.
    """
    first = failing.step.command
    if first is None or not _can_go_on(first) or runs_tests(first, plan.frame.tree):
        return ()
    return tuple(
        planned
        for planned in _reachable(plan, failing)
        if planned.step.title in skipped and _fits(planned, first, plan)
    )


def going_on(command: Command, behind: Collection[PlannedStep]) -> Command:
    """Return a command that runs those of these steps, too, where it passes."""
    scripts = [planned.step.command.script for planned in behind if planned.step.command]
    return replace(command, script="\n".join([command.script.rstrip("\n"), *scripts]))


def _reachable(plan: JobPlan, failing: PlannedStep) -> Iterator[PlannedStep]:
    """Yield the steps behind, up to the first that prepares something for those behind it."""
    later = itertools.dropwhile(lambda planned: planned is not failing, plan.steps)
    for planned in itertools.islice(later, 1, None):
        command = planned.step.command
        if command is None or not only_checks(command, plan.frame.tree, ""):
            return
        yield planned


def _fits(planned: PlannedStep, first: Command, plan: JobPlan) -> bool:
    """Whether a step can stand behind the command in one script, and counts at GitHub."""
    step = planned.step
    command = step.command
    return (
        command is not None
        and step.check
        and step.decision is Decision.RUN
        and not flag(step.spec.continue_on_error, plan.scope)
        and not _LEAVES.search(command.script)
        and looks_only(command, plan.frame.tree)
        and replace(command, key=first.key, script=first.script, runner=first.runner) == first
    )


def _can_go_on(command: Command) -> bool:
    return command.shell in _SHELLS and not _LEAVES.search(command.script)


_BUILDERS = COMPILERS | {
    "cmake",
    "ninja",
    "meson",
    "cython",
    "cythonize",
    "gcc",
    "g++",
    "cc",
    "javac",
}
_BUILDS = (
    *(("cargo", "build"), ("go", "build"), ("go", "generate"), ("maturin", "develop")),
    *(("turbo", "build"), ("nx", "build"), ("lerna", "build"), ("gulp", "build")),
    *(("make", "build"), ("make", "all"), ("ng", "build"), ("next", "build")),
)
"""How commands begin that build, options and the words `run` and `run-many` left out."""

_SETUP_PY = frozenset({"build", "build_ext", "build_py", "develop"})


def built_again(before: Sequence[Command], tree: Tree) -> str:
    """Return the shell text that repeats the builds among earlier steps for a patch, "" without any.

    Args:
        before: The scripts of the steps before the failing one.
        tree: The files that tell what they run in the end.
    """
    builds = [command.text() for command in before if _builds(command, tree)]
    again = " && ".join(f"bash -c {shlex.quote(text)}" for text in builds)
    return rebuilding(again, (*PROGRAMS, *SOURCES)) if builds else ""


def _builds(command: Command, tree: Tree) -> bool:
    if installs(command.script):  # which takes the network
        return False
    return any(_makes(invocation) for invocation in invocations(command.script, tree.read))


def _makes(invocation: Invocation) -> bool:
    words = tuple(word for word in invocation.arguments if not word.startswith("-"))
    plain = tuple(word for word in words if word not in {"run", "run-many"})
    if invocation.tool == "python":
        return words[:1] == ("setup.py",) and bool(_SETUP_PY & {*words})
    if invocation.tool in {"tsc", "tsgo", "vue-tsc"}:
        return "--noEmit" not in invocation.arguments
    if invocation.tool == "make" and not words:
        return True
    return invocation.tool in _BUILDERS or (invocation.tool, *plain[:1]) in _BUILDS


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
