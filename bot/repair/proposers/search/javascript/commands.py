"""The commands that run some tests of JavaScript alone, in as few processes as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.runners import RUNNERS
from bot.ecosystems.selection import alone, runner_of
from bot.model import Failure
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.search.javascript.trials import ScriptLaboratory

_NAMES = frozenset(runner.name for runner in RUNNERS)


async def failing_command(task: Task, lab: ScriptLaboratory) -> str | None:
    """Return the command that runs the failing tests alone, None where no runner of JavaScript does."""
    observation = task.reproduction.observation
    failing = [failure.test for failure in observation.named] if observation is not None else []
    command = task.commands.failing
    runs_scripts = partial(_runs_scripts, command)
    if not await decide(runs_scripts, lab.workbench, lab.steps, name=f"{lab.key}: runner"):
        return None
    listed = await lab.steps(f"{lab.key}: files", lab.workbench.run, "git ls-files", 60.0)
    paths = listed.output.splitlines()

    def narrowed(read: Read) -> str:
        named = observation.named if observation is not None else ()
        direct = _as_programs(invocations(command, read), named)
        return direct or alone(command, failing, paths, read, shortest=True) or command

    return await decide(narrowed, lab.workbench, lab.steps, name=f"{lab.key}: select")


def _runs_scripts(command: str, read: Read) -> bool:
    """Whether a command starts a test runner of JavaScript."""
    return any(runner_of(started) in _NAMES for started in invocations(command, read))


def _as_programs(started: Sequence[Invocation], failures: Sequence[Failure]) -> str | None:
    """Return the command that runs files of Node's own tests as programs: without a process for each.

    https://nodejs.org/docs/latest-v20.x/api/test.html: such a file can be run by itself.
    """
    runner = started[-1]
    files = dict.fromkeys(failure.file for failure in failures)
    if len(started) != 1 or runner_of(runner) != "node" or not files or None in files:
        return None
    options = [word for word in runner.arguments if word.startswith("-") and "--test" not in word]
    if any("=" not in word for word in options):
        return None  # the next word may be its value
    programs = [replace(runner, arguments=(*options, str(file))).command() for file in files]
    return " && ".join(programs)
