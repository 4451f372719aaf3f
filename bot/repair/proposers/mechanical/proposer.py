"""Run the fix modes of the project's own tools: no model, no tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.model import Observation, Patch, Proposal, Usage
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task, Workbench
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.mechanical.fix import FixCommand
from bot.repair.proposers.mechanical.plan import plan
from bot.repair.proposers.mechanical.protected import without
from bot.reporting.reasons import mechanical
from sandbox.base import WORKSPACE

_ROUNDS = 3
"""Later rounds let linters see what formatters changed, hooks run a second time, and tools run that
an earlier failure kept from starting."""

_LONGEST_WATCHED = 60.0
"""Seconds: a command that takes longer is not run once more only to see what it starts."""

_NOT_FOUND = 127
"""The shell's exit status for a program that is not installed."""

_REACH = """\
for folder in .tox/*/bin .nox/*/bin .venv/bin venv/bin node_modules/.bin; do
  [ ! -d "$folder" ] || PATH=$PATH:$PWD/$folder
done
for folder in ~/.local/share/hatch/env/virtual/*/*/*/bin ~/.local/share/uv/tools/*/bin ~/.cache/pre-commit/*/py_env*/bin; do
  [ ! -d "$folder" ] || PATH=$PATH:$folder
done
"""
"""Bash that makes the tools reachable which tox, nox, hatch, uv and pre-commit keep to themselves."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A fix that was run."""

    fix: FixCommand
    exit_code: int

    @property
    def missing(self) -> bool:
        """Whether its program is not installed."""
        return self.exit_code == _NOT_FOUND


class MechanicalProposer:
    """Repairs what formatters, linters, lock files and generators repair."""

    traits = PROPOSERS["mechanical"]

    def __init__(self, *, root: str = WORKSPACE) -> None:
        """Say where sandboxes have the work tree."""
        self._root = root

    async def warm(self) -> None:
        """Nothing takes long here."""

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Run the relevant fixes in order and return what they changed."""
        del spend  # nothing here costs money
        none = mechanical.no_fix_mode(task.commands.failing)
        if task.write_test:
            return Proposal(Patch(), none)
        key = task.key or f"attempt {task.n}: mechanical"
        crew = _Crew(task, workbench, steps, listener, key, self._root)
        before = await crew.watched()
        ran, observation = await crew.work(before)
        programs = before.programs if before is not None else ()
        if observation is None:
            return Proposal(Patch(), none, programs=programs)
        patch = await steps(f"{key}: patch", workbench.patch)
        allowed, left_out = without(patch, task.protected)
        summary = _summary(ran, allowed, left_out, observation)
        return Proposal(allowed, summary, programs=programs)


@dataclass(frozen=True, slots=True)
class _Crew:
    """Runs fixes in the attempt's sandbox, `key` being the front of its steps' names."""

    task: Task
    workbench: Workbench
    steps: Steps
    listener: Listener
    key: str
    root: str

    async def watched(self) -> Observation | None:
        """Return how the failing command fails, with what it starts where that is worth a run.

        What a test runner starts are programs under test.
        """
        seen = self.task.reproduction.observation
        runs_tests = seen is not None and seen.counts is not None
        if seen is None or runs_tests or seen.timed_out or seen.seconds > _LONGEST_WATCHED:
            return seen
        return await self._look("watch")

    async def work(self, before: Observation | None) -> tuple[tuple[Ran, ...], Observation | None]:
        """Run fixes until the command passes or a round no longer changes what fails.

        Returns:
            What was run, and the command's last run; None when there was nothing to run.
        """
        ran: dict[str, Ran] = {}
        after, seen, helped = None, before, True
        for n in range(1, _ROUNDS + 1):
            fixes = await self._plan(n, seen)
            if not fixes or not (helped or any(fix.command not in ran for fix in fixes)):
                break
            ran |= {fix.command: await self._run(n, fix) for fix in fixes}
            after = await self._look(f"look {n}")
            if after.ok:
                break
            helped = seen is None or after.failing_ids != seen.failing_ids
            seen = after
        return tuple(ran.values()), after

    async def _plan(self, n: int, seen: Observation | None) -> tuple[FixCommand, ...]:
        task = self.task
        decision = partial(
            _plan,
            task.commands.failing,
            seen,
            allow_snapshots=task.allow_snapshots,
            inner=n > 1,
            root=self.root,
        )
        return await decide(decision, self.workbench, self.steps, name=f"{self.key}: plan {n}")

    async def _run(self, n: int, fix: FixCommand) -> Ran:
        self.listener(Noticed(mechanical.running(fix.shown, fix.why)))
        seconds = self.task.limits.command_seconds
        act = f"{self.key}: round {n}: {fix.command}"
        result = await self.steps(act, self.workbench.run, fix.command, seconds)
        if result.exit_code == _NOT_FOUND:
            reaching = f"{_REACH}{fix.command}"
            result = await self.steps(f"{act}, elsewhere", self.workbench.run, reaching, seconds)
        return Ran(fix, result.exit_code)

    async def _look(self, name: str) -> Observation:
        """Run the failing command and see what it starts."""
        command = self.task.commands.failing
        return await self.steps(f"{self.key}: {name}", self.workbench.watch, command)


def _plan(
    command: str,
    observation: Observation | None,
    read: Callable[[str], str | None],
    *,
    allow_snapshots: bool,
    inner: bool,
    root: str,
) -> tuple[FixCommand, ...]:
    return plan(command, observation, read, allow_snapshots=allow_snapshots, inner=inner, root=root)


def _summary(
    ran: tuple[Ran, ...],
    patch: Patch,
    left_out: tuple[str, ...],
    observation: Observation,
) -> str:
    """Return what was done, as Markdown for the pull request."""
    listed = [
        f"- {mechanical.tool_ran(item.fix.shown, item.fix.why, installed=not item.missing)}"
        for item in ran
    ]
    told = [_opening(ran), "\n".join(listed)]
    if left_out:
        told.append(mechanical.protected_left_out(left_out))
    if not patch:
        told.append(mechanical.nothing_changed())
    elif not observation.ok:
        told.append(_still_fails(observation))
    return "\n\n".join(told)


def _opening(ran: tuple[Ran, ...]) -> str:
    """Return in one sentence what was run: the pull request begins with it."""
    commands = list(dict.fromkeys(item.fix.shown for item in ran if not item.missing))
    return mechanical.tools_ran(commands) if commands else mechanical.none_installed()


def _still_fails(after: Observation) -> str:
    if not after.failing:
        return mechanical.still_fails_silently(after.command, after.exit_code)
    first = after.failing[0]
    return mechanical.still_fails(after.command, test=first.test, message=first.message)
