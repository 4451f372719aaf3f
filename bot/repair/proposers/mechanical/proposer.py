"""Run the fix modes of the project's own tools, and rules for what these leave: no model, no tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from bot.model import Guess, Observation, Patch, Proposal, Usage
from bot.model.progress import Listener, Noticed
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical import snapshots
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.proposers.mechanical.fix import FixCommand
from bot.repair.proposers.mechanical.fix_mode_choice import plan
from bot.repair.proposers.mechanical.follow_up_edits import (
    Followed,
    follow_texts,
    follow_versions,
    undo,
)
from bot.repair.proposers.mechanical.protected_files import without
from bot.repair.proposers.mechanical.rule_files import repair
from bot.repair.proposers.mechanical.rules.application import Applied
from bot.repair.workspace.base import Workbench
from bot.reporting.reasons import mechanical
from sandbox.base import WORKSPACE

NOT_FOUND = 127
"""The shell's exit status for a program that is not installed."""

_MOST_LISTED = 20
"""Repairs by rules that are named one by one."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A fix that was run."""

    fix: FixCommand
    exit_code: int

    @property
    def missing(self) -> bool:
        """Whether its program is not installed."""
        return self.exit_code == NOT_FOUND


def summary(
    ran: Sequence[Ran],
    applied: Sequence[Applied],
    patch: Patch,
    left_out: tuple[str, ...],
    observation: Observation,
    followed: Sequence[Followed] = (),
) -> str:
    """Return what was done, as Markdown for the pull request."""
    listed = [
        f"- {mechanical.tool_ran(item.fix.shown, item.fix.why, installed=not item.missing)}"
        for item in ran
    ]
    listed += [
        f"- {mechanical.rule_applied(entry.path, entry.diagnostic.line, entry.said)}"
        for entry in applied[:_MOST_LISTED]
    ]
    if len(applied) > _MOST_LISTED:
        listed.append(f"- {mechanical.more_by_rules(len(applied) - _MOST_LISTED)}")
    told = [*_opening(ran, applied, followed), *filter(None, ["\n".join(listed)])]
    if left_out:
        told.append(mechanical.protected_left_out(left_out))
    if not patch:
        told.append(mechanical.NOTHING_CHANGED)
    elif not observation.ok:
        told.append(_still_fails(observation))
    return "\n\n".join(told)


def _opening(
    ran: Sequence[Ran], applied: Sequence[Applied], followed: Sequence[Followed]
) -> list[str]:
    """Return what was done, in short: the pull request begins with it."""
    commands = list(dict.fromkeys(item.fix.shown for item in ran if not item.missing))
    told = [mechanical.tools_ran(commands)] if commands else []
    if applied:
        told.append(mechanical.rules_applied(len(applied)))
    for entry in followed:
        say = mechanical.tests_follow if entry.is_test else mechanical.versions_follow
        told.append(say(sorted(entry.before)))
    return [" ".join(told) or mechanical.NONE_INSTALLED]


def _still_fails(after: Observation) -> str:
    if not after.failing:
        return mechanical.still_fails_silently(after.command, after.exit_code)
    first = after.failing[0]
    return mechanical.still_fails(after.command, test=first.test, message=first.message)


_ROUNDS = 3
"""Later rounds let linters see what formatters changed, hooks run a second time, and tools run that
an earlier failure kept from starting."""

_RULE_ROUNDS = 8
"""Answering one diagnostic lets a tool, or the next tool, see more."""

_SLOW_RULE_ROUNDS = 2
"""Of a command that takes longer than `_LONGEST_WATCHED`."""

_LONGEST_WATCHED = 60.0
"""Seconds: a command that takes longer is not run once more only to see what it starts."""

_REACH = """\
for folder in .tox/*/bin .nox/*/bin .venv/bin venv/bin node_modules/.bin; do
  [ ! -d "$folder" ] || PATH=$PATH:$PWD/$folder
done
for folder in ~/.local/share/hatch/env/virtual/*/*/*/bin ~/.local/share/uv/tools/*/bin ~/.cache/pre-commit/*/py_env*/bin; do
  [ ! -d "$folder" ] || PATH=$PATH:$folder
done
"""
"""Bash that makes the tools reachable which tox, nox, hatch, uv and pre-commit keep to themselves."""


class MechanicalProposer:
    """Repairs what formatters, linters, lock files, generators and rules repair."""

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
        none = _nothing(task)
        if task.write_test:
            return Proposal(Patch(), none)
        key = task.key or f"attempt {task.n}: mechanical"
        crew = _Crew(task, workbench, steps, listener, key, self._root)
        before = await crew.watched()
        work = await crew.work(before)
        programs = before.programs if before is not None else ()
        if work.after is None:
            return Proposal(Patch(), none, programs=programs)
        patch = await steps(f"{key}: patch", workbench.patch)
        allowed, left_out = without(patch, task.protected)
        told = summary(work.ran, work.applied, allowed, left_out, work.after, work.followed)
        guesses = (
            Guess(applied.path, *applied.guess)
            for applied in work.applied
            if applied.guess is not None
        )
        return Proposal(allowed, told, programs=programs, guesses=tuple(dict.fromkeys(guesses)))


def _nothing(task: Task) -> str:
    """Return what is said where no tool can do anything."""
    none, seen = mechanical.no_fix_mode(task.commands.failing), task.reproduction.observation
    if task.allow_snapshots or seen is None or not snapshots.differ(seen.output):
        return none
    return f"{none} {mechanical.SNAPSHOTS_LEFT_ALONE}"


@dataclass(frozen=True, slots=True)
class _Work:
    """What was done to the tree.

    Attributes:
        ran: Fix modes, in order.
        applied: Repairs by rules, in order.
        after: The failing command's last run; None when there was nothing to do.
        followed: What followed the commit's own changes.
    """

    ran: tuple[Ran, ...]
    applied: tuple[Applied, ...]
    after: Observation | None
    followed: tuple[Followed, ...] = ()


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

    async def work(self, before: Observation | None) -> _Work:
        """Let the tools repair, then the rules what tools leave, and the tools tidy up after them."""
        ran, after = await self._use_tools(before)
        applied: list[Applied] = []
        seen = before if after is None else after
        slow = before is not None and before.seconds > _LONGEST_WATCHED
        for n in range(1, (_SLOW_RULE_ROUNDS if slow else _RULE_ROUNDS) + 1):
            done = await self._follow_rules(n, seen) if seen is not None and not seen.ok else ()
            if not done:
                break
            applied += done
            seen = after = await self._tidy(n, ran)
        followed: tuple[Followed, ...] = ()
        if seen is not None and not seen.ok and self.task.texts:
            followed, after = await self._follow_commit(seen, after)
        return _Work(tuple(ran.values()), tuple(applied), after, followed)

    async def _follow_commit(
        self, seen: Observation, after: Observation | None
    ) -> tuple[tuple[Followed, ...], Observation | None]:
        """Let version files and tests follow what the commit changed, as far as that helps.

        Returns:
            What followed, and the command's last run.
        """
        texts, kept = self.task.texts, list[Followed]()
        name, seconds = f"{self.key}: follow", self.task.limits.command_seconds
        for follow in (follow_versions, follow_texts):
            step = f"{name} {len(kept) + 1} {follow.__name__}"
            made = await follow(seen, texts, self.workbench, self.steps, name=step, seconds=seconds)
            if made is None:
                continue
            then = await self._look(f"look after {follow.__name__}")
            if then.ok or then.failing_ids < seen.failing_ids:
                kept.append(made)
                seen = after = then
            else:
                await undo(made, self.workbench, self.steps, name=step)
        return tuple(kept), after

    async def _use_tools(
        self, before: Observation | None
    ) -> tuple[dict[str, Ran], Observation | None]:
        """Run fixes until the command passes or a round no longer changes what fails.

        Returns:
            What was run, by command, and the command's last run; None when there was nothing to run.
        """
        ran: dict[str, Ran] = {}
        after, seen, helped = None, before, True
        for n in range(1, _ROUNDS + 1):
            fixes = await self._plan(n, seen)
            if not fixes or not (helped or any(fix.command not in ran for fix in fixes)):
                break
            ran |= {fix.command: await self._run(f"round {n}", fix) for fix in fixes}
            after = await self._look(f"look {n}")
            if after.ok:
                break
            helped = seen is None or after.failing_ids != seen.failing_ids
            seen = after
        return ran, after

    async def _follow_rules(self, n: int, seen: Observation) -> tuple[Applied, ...]:
        """Repair by rules what the command reports."""
        done = await repair(
            seen,
            self.workbench,
            self.steps,
            name=f"{self.key}: rules {n}",
            seconds=self.task.limits.command_seconds,
        )
        for applied in done:
            self.listener(
                Noticed(
                    mechanical.rule_applied(applied.path, applied.diagnostic.line, applied.said)
                )
            )
        return done

    async def _tidy(self, n: int, ran: dict[str, Ran]) -> Observation:
        """Run the fix modes again, and those of tools that start only now, which `ran` notes."""
        ready = [each.fix for each in ran.values() if not each.missing]
        for fix in ready:
            await self._run(f"rules {n}", fix)
        after = await self._look(f"look after rules {n}")
        fresh = [] if after.ok else await self._plan(n + _ROUNDS, after)
        fresh = [fix for fix in fresh if fix.command not in ran]
        for fix in fresh:
            ran[fix.command] = await self._run(f"rules {n}", fix)
        return await self._look(f"look after rules {n}, tools") if fresh else after

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

    async def _run(self, when: str, fix: FixCommand) -> Ran:
        self.listener(Noticed(mechanical.running(fix.shown, fix.why)))
        seconds = self.task.limits.command_seconds
        act = f"{self.key}: {when}: {fix.command}"
        result = await self.steps(act, self.workbench.run, fix.command, seconds)
        if result.exit_code == NOT_FOUND:
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
