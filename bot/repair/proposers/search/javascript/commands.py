"""The commands that run some tests of JavaScript alone, in as few processes as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class ScriptTests:
    """The failing tests of a task, and how others of the same command run.

    Attributes:
        command: Runs the failing tests alone.
        whole: The command that they are taken from.
        paths: Files of the work tree.
    """

    command: str
    whole: str
    paths: Sequence[str]

    def alone(self, test: str, read: Read) -> str | None:
        """Return the command that runs one other test alone, None where no way is known."""
        return alone(self.whole, [test], self.paths, read, shortest=True)


async def script_tests(task: Task, lab: ScriptLaboratory) -> ScriptTests | None:
    """Return the failing tests of a task, None where no test runner of JavaScript runs them."""
    command = task.commands.failing
    runs_scripts = partial(_runs_scripts, command)
    if not await decide(runs_scripts, lab.workbench, lab.steps, name=f"{lab.key}: runner"):
        return None
    listed = await lab.steps(f"{lab.key}: files", lab.workbench.run, "git ls-files", 60.0)
    paths = tuple(listed.output.splitlines())
    observation = task.reproduction.observation
    named = observation.named if observation is not None else ()

    def narrowed(read: Read) -> str:
        direct = _as_programs(invocations(command, read), named)
        failing = [failure.test for failure in named]
        return direct or alone(command, failing, paths, read, shortest=True) or command

    narrow = await decide(narrowed, lab.workbench, lab.steps, name=f"{lab.key}: select")
    whole = task.reproduction.whole
    return ScriptTests(narrow, whole.command if whole is not None else command, paths)


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
