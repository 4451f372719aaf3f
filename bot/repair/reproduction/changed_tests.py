"""Know the tests that were changed last: they are the ones that most likely show the failure.

Of a suite that takes long, they run alone before the whole of it does, and a suite that never ends
costs little then. A run in which they gave no result says nothing of the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.code.files import is_named_test
from bot.ecosystems.selection import ids_of_files
from bot.model import Observation
from bot.model.hunks import NOWHERE, FileHunks, file_hunks
from bot.model.progress import Phase, PhaseStarted
from bot.repair.goal.failure_classes import described, sort_failures
from bot.repair.guards import is_test_file
from bot.repair.job import Source
from bot.repair.preparation.package_choice import changed_files
from bot.repair.preparation.setup_repair import waits_for_a_service
from bot.repair.preparation.surroundings import surroundings_of
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.target_failures import run_alone
from bot.repair.run import Run
from bot.reporting.reasons import reproduction

_WORD = re.compile(r"\w+")
_BRIEF = 0.25
_LONGEST_BRIEF = 100.0
"""Of the time limit, and seconds at most: how long a whole suite runs at first. Most have ended by then."""


async def first_seen(run: Run, context: RepairContext) -> tuple[RepairContext, Observation]:
    """Return what the failing command shows, or the changed tests of it, if the whole takes long.

    The whole suite stays what it is.
    """
    limit, alone = run.job.limits.observation_seconds, await _alone(run, context)
    brief = min(_BRIEF * limit, _LONGEST_BRIEF) if alone else limit
    seen = await _observe(run, context, context.commands.failing, brief)
    if alone is None or not seen.timed_out:
        return context, _noted(run, seen)
    if waits_for_a_service(run, context, seen):
        return context, seen
    changed = await _observe(run, context, alone, limit)
    if await _shows(run, context, changed):
        return _narrowed(run, context, seen, changed)
    seen = _noted(run, await _observe(run, context, context.commands.failing, limit))
    if not seen.timed_out or seen.named or changed.timed_out or not (changed.ok or changed.named):
        return context, seen
    return _narrowed(run, context, seen, changed)


async def touched_tests(source: Source) -> Mapping[str, frozenset[str]]:
    """Return the words that the head, or else its last commit, adds to each file of tests."""
    store = source.store
    files = [path for path in await changed_files(source, source.trusted) if is_named_test(path)]
    if not files:
        return {}
    before = await store.before(source.head, source.trusted, 1)
    trees = [await store.tree_of(commit) for commit in (before, source.head)]
    return words_added((await store.diff(trees[0], trees[1], only=files)).data)


def words_added(diff: bytes) -> Mapping[str, frozenset[str]]:
    """Return the words that a diff adds to each file of tests that it leaves."""
    files = list(file_hunks(diff.decode(errors="replace")))
    return {
        path: frozenset(_WORD.findall("\n".join(_added(each))))
        for each in files
        if is_named_test(path := each.after.removeprefix("b/")) and each.after != NOWHERE
    }


def _added(file: FileHunks) -> Iterator[str]:
    return (text for hunk in file.hunks for sign, text in hunk.lines if sign == "+")


async def whole_again(
    run: Run, context: RepairContext, seen: Observation
) -> tuple[RepairContext, Observation]:
    """Return what the whole suite shows where the changed tests pass now that nothing is missing."""
    commands = context.commands
    if not seen.ok or not run.known.narrowed or run.known.endless is not None:
        return context, seen
    whole = replace(context, commands=replace(commands, failing=commands.test))
    shown = _noted(
        run, await _observe(run, whole, commands.test, run.job.limits.observation_seconds)
    )
    if shown.timed_out and not shown.named:
        return context, seen
    run.known.commands = whole.commands
    return whole, shown


async def _alone(run: Run, context: RepairContext) -> str | None:
    """Return the command that runs the changed tests alone, None where there are none to be chosen."""
    if run.known.detected is None or run.job.failing:
        return None
    source, commands = context.source, context.commands
    files = [path for path in await changed_files(source, source.trusted) if is_test_file(path)]
    ids = ids_of_files(files, commands.failing, commands.folder)
    return await run_alone(context, ids, shortest=True)


async def _shows(run: Run, context: RepairContext, changed: Observation) -> bool:
    """Whether the changed tests show a failure, and the one that is described if any is."""
    if changed.ok or not changed.named:
        return False
    problem = run.job.problem
    goal = (
        sort_failures(changed, problem, await surroundings_of(context))
        if described(problem)
        else None
    )
    return goal is None or bool(goal.named)


def _noted(run: Run, seen: Observation) -> Observation:
    """Keep in mind a suite that does not end within its whole limit: no other run of it is needed."""
    if seen.timed_out:
        run.known.endless = seen
    return seen


def _narrowed(
    run: Run, context: RepairContext, whole: Observation, changed: Observation
) -> tuple[RepairContext, Observation]:
    run.known.narrowed = True
    run.known.note(reproduction.only_changed_tests(whole.command, changed.command, whole.seconds))
    commands = run.known.commands = replace(context.commands, failing=changed.command)
    return replace(context, commands=commands), changed


async def _observe(run: Run, context: RepairContext, command: str, seconds: float) -> Observation:
    """Return a run of a command; what it writes itself is not part of the fix."""
    run.listener(PhaseStarted(Phase.REPRODUCE, detail=command))
    room = context.clean_room(run, seconds=seconds)
    step = "reproduce 1" if command == context.commands.failing else "reproduce changed tests"
    name = f"{run.job.run_id}-{step.replace(' ', '-')}"
    return await run.steps(step, room.observe_writes, name, command)
