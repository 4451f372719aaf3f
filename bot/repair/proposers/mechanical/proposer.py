"""Run the fix modes of the project's own tools: no model, no tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bot.repair.model import Observation, Patch, Proposal, Usage
from bot.repair.progress import Listener, Noticed
from bot.repair.proposers.base import Task, Workbench
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.mechanical.fix import Fix
from bot.repair.proposers.mechanical.plan import plan
from bot.repair.proposers.mechanical.protected import without
from bot.repair.steps import Steps

_ROUNDS = 2
"""A second round gives a linter the chance that a formatter made, and hooks their second run."""

_MOST_NAMED = 3
"""Commands that the first sentence names; the list below it has them all."""

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

    fix: Fix
    exit_code: int

    @property
    def missing(self) -> bool:
        """Whether its program is not installed."""
        return self.exit_code == _NOT_FOUND


class MechanicalProposer:
    """Repairs what formatters, linters, lock files and generators repair."""

    name = "mechanical"

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
        command = task.commands.failing
        key = f"attempt {task.n}: mechanical"
        decision = partial(
            _plan, command, task.reproduction.observation, allow_snapshots=task.allow_snapshots
        )
        fixes = () if task.write_test else await decide(decision, workbench, steps, name=key)
        if not fixes:
            return Proposal(Patch(), f"No tool of this project has a fix mode for `{command}`.")
        crew = _Crew(workbench, steps, listener, key, task.limits.command_seconds)
        ran, observation = await crew.work(fixes, command, task.reproduction.observation)
        patch = await steps(f"{key}: patch", workbench.patch)
        allowed, left_out = without(patch, task.protected)
        return Proposal(allowed, _summary(ran, allowed, left_out, observation))


@dataclass(frozen=True, slots=True)
class _Crew:
    """Runs fixes in the attempt's sandbox, `key` being the front of its steps' names."""

    workbench: Workbench
    steps: Steps
    listener: Listener
    key: str
    seconds: float

    async def work(
        self, fixes: tuple[Fix, ...], command: str, before: Observation | None
    ) -> tuple[tuple[Ran, ...], Observation]:
        """Run the fixes until the command passes or a round no longer changes what fails."""
        for n in range(1, _ROUNDS):
            ran, after = await self._round(n, fixes, command)
            if after.ok or (before is not None and after.failing_ids == before.failing_ids):
                return ran, after
        return await self._round(_ROUNDS, fixes, command)

    async def _round(
        self, n: int, fixes: tuple[Fix, ...], command: str
    ) -> tuple[tuple[Ran, ...], Observation]:
        ran = []
        for fix in fixes:
            self.listener(Noticed(f"`{fix.command}`: {fix.why}."))
            act = f"{self.key}: round {n}: {fix.command}"
            result = await self.steps(act, self.workbench.run, fix.command, self.seconds)
            if result.exit_code == _NOT_FOUND:
                reaching = f"{_REACH}{fix.command}"
                result = await self.steps(
                    f"{act}, elsewhere", self.workbench.run, reaching, self.seconds
                )
            ran.append(Ran(fix, result.exit_code))
        observation = await self.steps(f"{self.key}: look {n}", self.workbench.observe, command)
        return tuple(ran), observation


def _plan(
    command: str,
    observation: Observation | None,
    read: Callable[[str], str | None],
    *,
    allow_snapshots: bool,
) -> tuple[Fix, ...]:
    return plan(command, observation, read, allow_snapshots=allow_snapshots)


def _summary(
    ran: tuple[Ran, ...],
    patch: Patch,
    left_out: tuple[str, ...],
    observation: Observation,
) -> str:
    """Return what was done, as Markdown for the pull request."""
    listed = [
        f"- `{item.fix.command}`: {item.fix.why}"
        + ("; it is not installed here." if item.missing else ".")
        for item in ran
    ]
    told = [_opening(ran), "\n".join(listed)]
    if left_out:
        told.append(f"Changes to protected files were left out: {', '.join(left_out)}.")
    if not patch:
        told.append("None of them changed a file.")
    elif not observation.ok:
        told.append(f"`{observation.command}` still fails: {_first(observation)}")
    return "\n\n".join(told)


def _opening(ran: tuple[Ran, ...]) -> str:
    """Return in one sentence what was run: the pull request begins with it."""
    commands = list(dict.fromkeys(f"`{item.fix.command}`" for item in ran if not item.missing))
    if not commands:
        return "The project's tools could repair this, but none of them is installed here."
    if len(commands) > _MOST_NAMED:
        commands[_MOST_NAMED:] = [f"{len(commands) - _MOST_NAMED} more"]
    *others, last = commands
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"Let the project's own tools repair it: {listed}."


def _first(observation: Observation) -> str:
    if not observation.failing:
        return f"exit status {observation.exit_code}."
    first = observation.failing[0]
    return f"{first.test}: {first.message}"
