"""Find out which failures a patch has to mend, and the cheapest command that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from bot.ci.failure_identity import KnownFailures
from bot.ecosystems.invocations import invocations
from bot.ecosystems.selection import alone, runner_of
from bot.ecosystems.tree import DirectoryTree
from bot.model import Observation, OtherFailure, OtherKind, Patch
from bot.model.progress import Noticed
from bot.repair.crashes import with_hidden
from bot.repair.goal.excluded_failures import aside_of, told_of
from bot.repair.goal.failure_classes import (
    Goal,
    described,
    of_feature,
    sort_failures,
    with_choice,
    with_excused,
)
from bot.repair.goal.other_causes import excused_by_age, parted_by_place, runs_apart
from bot.repair.goal.unabridged_command import broke_down, complete
from bot.repair.preparation.surroundings import surroundings_of
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.called_code import CalledCode
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.programs import NOTHING_SEEN, Trace
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reasons import outside_causes as reasons
from sandbox.git import GitError

_MOST_WATCHED = 6
"""Tests whose code is watched, each in a run of its own."""

_SLOW = 15.0
"""Seconds; of a command that takes longer, only the failing tests run again."""

_OLDER = (30, 10, 3, 1)
"""Commits back: what failed then is not what somebody reports today. The first that counts is the
one since which the setup is the same, so that the environment here is the right one for it too."""


@dataclass(frozen=True, slots=True)
class Aimed:
    """What a patch has to mend, and how that shows.

    Attributes:
        context: With the command that shows it.
        runs: Of the untouched tree, without what is no goal.
        goal: The failures.
        whole: The failing command as it was before it was narrowed to them; None when it was not.
        trace: What the command started and read, where it names no failure.
    """

    context: RepairContext
    runs: tuple[Observation, ...]
    goal: Goal
    whole: Observation | None = None
    trace: Trace = NOTHING_SEEN


async def aim(run: Run, context: RepairContext, first: Observation) -> Aimed:
    """Sort what fails, and run the failing tests once more: alone where that is worth it.

    A command that names other failures too, or that takes long, is narrowed to the failing tests,
    if they fail alone as well. Else it runs once more as a whole, and whatever fails in only one of
    the two runs is no goal.

    Args:
        run: The run.
        context: On the untouched tree.
        first: The failing command there: it failed.
    """
    context, seen, goal = await _sorted(run, context, first)
    if not goal.tests and not run.adds_feature and not _can_be_shown(run):
        goal = Goal(seen.failing_ids)  # there is nothing else to go by
    context = _setting_aside(context, goal, seen)
    runs: tuple[Observation, ...] = (context.aside.left_by(seen),)
    if not goal.tests:
        return _told(run, Aimed(context, runs, goal))
    tried: Goal | None = None
    if goal.others or seen.seconds > _SLOW:
        narrowed, tried = await _narrowed(run, context, goal, seen, runs), goal
        if narrowed is not None:
            return _told(run, narrowed)
    if seen.timed_out:  # as a whole it would be so again
        return _told(run, Aimed(context, runs, goal))
    again, trace = await _again(run, context, seen)
    if again.ok or again.timed_out:
        return _told(run, Aimed(context, (*runs, again), goal))
    goal = with_excused(goal, seen, _unstable(goal, seen, again))
    context = _setting_aside(context, goal, seen, again)
    if goal.others and goal != tried:
        narrowed = await _narrowed(run, context, goal, seen, runs)
        if narrowed is not None:
            return _told(run, narrowed)
    runs = tuple(context.aside.left_by(observation) for observation in (seen, again))
    return _told(run, Aimed(context, runs, goal, trace=trace))


async def _again(run: Run, context: RepairContext, seen: Observation) -> tuple[Observation, Trace]:
    """Run the command a second time; where it names no failure, it is watched."""
    step, command = "reproduce 2", context.commands.failing
    if seen.named:
        again = await _observe(run, context, step, command)
        return await with_hidden(run, context, again, step), NOTHING_SEEN
    name = f"{run.job.run_id}-reproduce-2"
    return await run.steps(step, context.clean_room(run).observe_reads, name, command, Patch())


async def _sorted(
    run: Run, context: RepairContext, first: Observation
) -> tuple[RepairContext, Observation, Goal]:
    """Return what fails in all of the tests, sorted, and the command that runs them all."""
    seen = await with_hidden(run, context, await _all_tests(run, context, first), "reproduce")
    goal = await _chosen(run, context, seen)
    if seen is first or (not goal.others and seen.failing_ids == first.failing_ids):
        return context, first, goal
    commands = context.commands
    test = seen.command if commands.test == commands.failing else commands.test
    commands = replace(commands, test=test, failing=seen.command)
    run.known.commands = commands
    return replace(context, commands=commands), seen, goal


async def _all_tests(run: Run, context: RepairContext, first: Observation) -> Observation:
    """Return a run of the command that does not end at the first failure, the same if it did not."""
    read = partial(DirectoryTree.read, DirectoryTree(context.source.directory))
    runners = {runner_of(invocation) for invocation in invocations(first.command, read)}
    command = complete(first, runners)
    if command is None or first.timed_out:
        return first
    room, name = context.clean_room(run), f"{run.job.run_id}-reproduce-all"
    seen = await run.steps("reproduce all", room.observe_writes, name, command)
    shared = first.failing_ids & seen.failing_ids or (
        (broke_down(first) or not first.named) and seen.named
    )
    if seen.timed_out or not shared:
        return first
    return replace(seen, written=tuple(dict.fromkeys((*first.written, *seen.written))))


async def _chosen(run: Run, context: RepairContext, seen: Observation) -> Goal:
    """Return the goal by what the problem names; where it names nothing, by who can read it."""
    problem = run.job.problem
    goal = sort_failures(seen, problem, await surroundings_of(context))
    if run.adds_feature:
        return of_feature(goal, seen)
    several = len(seen.failing) > 1 and bool(goal.others or goal.undecided or goal.doubted)
    open_question = described(problem) and not goal.named and several
    if open_question and run.tools.judge is not None:
        step = "sort failures"
        choice = await run.steps(step, run.tools.judge.choose, problem, seen, run.money(step))
        run.known.spend(choice.usage)
        if choice.tests is not None:
            run.known.issue_read = True
            goal = with_choice(goal, seen, choice.tests)
    if goal.doubted:
        return await _parted(run, context, goal, seen)
    if goal.undecided or (not described(problem) and len(goal.tests) > 1):
        return with_excused(goal, seen, await _old(run, context, goal, seen, goal.tests))
    return goal


async def _parted(run: Run, context: RepairContext, goal: Goal, seen: Observation) -> Goal:
    """Return the goal less what turns out to have another cause than what the problem leads to.

    What is raised, and where, counts only for tests whose code nobody can watch: one fault is met
    by several exceptions in several places.
    """
    goal = with_excused(goal, seen, await _old(run, context, goal, seen, goal.doubted))
    code = await _code_of(run, context, goal)
    watched = frozenset(test for test, called in code.items() if called.functions)
    meant = code.get("", CalledCode())
    if meant.functions:
        apart = {test for test in watched if test and code[test].is_apart_from(meant)}
        goal = with_excused(goal, seen, {test: runs_apart(test) for test in apart})
    else:
        watched = frozenset()
    return with_excused(goal, seen, parted_by_place(seen, goal.meant, goal.doubted - watched))


async def _code_of(run: Run, context: RepairContext, goal: Goal) -> dict[str, CalledCode]:
    """Return what doubted tests run of the program, by id, and under "" what those which are meant run."""
    doubted = sorted(goal.doubted)
    if not doubted or len(doubted) > _MOST_WATCHED:
        return {}
    groups = {"": goal.meant} | {test: frozenset({test}) for test in doubted}
    found = {
        name: await _called(run, context, tests, n)
        for n, (name, tests) in enumerate(groups.items())
    }
    return {name: called for name, called in found.items() if called is not None}


async def _called(
    run: Run, context: RepairContext, tests: Iterable[str], n: int
) -> CalledCode | None:
    """Return what these tests run of the program, None where they can't run alone."""
    command = await run_alone(context, tests)
    if command is None:
        return None
    step = f"watch tests {n}"
    name = f"{run.job.run_id}-{step.replace(' ', '-')}"
    return await run.steps(step, context.clean_room(run).called_by, name, command)


async def _old(
    run: Run, context: RepairContext, goal: Goal, seen: Observation, doubted: frozenset[str]
) -> dict[str, OtherFailure]:
    """Return the doubted failures that an older commit has too, in the same environment.

    None where it has others of the goal as well: then age does not tell them apart.
    """
    older = await _older(context)
    if older is None:
        return {}
    commit, patch = older
    command, step = await run_alone(context, goal.tests), "at an older commit"
    then = (
        await _observe(run, context, f"reproduce alone {step}", command, patch) if command else None
    )
    if (then is None or not _ran_tests(then)) and seen.timed_out:
        return {}
    if then is None or not _ran_tests(then):  # as where some of the tests were not there yet
        then = await _observe(run, context, f"reproduce {step}", seen.command, patch)
    found = excused_by_age(seen, then, goal.tests, commit)
    return found if found.keys() <= doubted else {}


def _ran_tests(seen: Observation) -> bool:
    return seen.ok or (seen.counts is not None and seen.counts.passed + seen.counts.failed > 0)


async def _older(context: RepairContext) -> tuple[str, Patch] | None:
    """Return an older commit that the same setup is good for, and the patch that leads to it."""
    source = context.source
    for distance in _OLDER:
        try:
            commit = await source.store.before(source.head, source.trusted, distance)
            tree = await source.store.tree_of(commit) if commit else ""
            patch = await patch_between(source.store, context.prepared.tree, tree) if tree else None
        except GitError:  # its history is cut, or lacks files
            continue
        language = next(iter(context.commands.ecosystems), "")
        if patch is not None and not touches_setup(patch.files, language):
            return commit, patch
    return None


async def _narrowed(
    run: Run,
    context: RepairContext,
    goal: Goal,
    seen: Observation,
    runs: tuple[Observation, ...],
) -> Aimed | None:
    """Return the goal with a command that runs it alone, None unless all of it fails so alone too.

    Else a patch that repairs the suite might not pass alone, and the other way round.
    """
    command = await run_alone(context, goal.tests)
    if command is None:
        return None
    step = f"reproduce alone {len(goal.tests)} of {len(seen.failing)}"
    red = await _observe(run, context, step, command)
    alone_too = KnownFailures(red.failing).same
    if not all(alone_too(failure) for failure in seen.failing if failure.test in goal.tests):
        return None  # one passes alone, or fails of something else
    commands = replace(context.commands, failing=command)
    run.known.commands = commands
    red = replace(red, written=seen.written)
    return Aimed(replace(context, commands=commands), (*runs, red), goal, seen)


async def run_alone(
    context: RepairContext, tests: Iterable[str], *, shortest: bool = False
) -> str | None:
    """Return the command that runs these tests alone, None where no way is known; see `alone`."""
    paths = await context.source.store.paths(context.prepared.tree)
    read = partial(DirectoryTree.read, DirectoryTree(context.source.directory))
    return alone(context.commands.failing, sorted(tests), paths, read, shortest=shortest)


async def _observe(
    run: Run, context: RepairContext, step: str, command: str, patch: Patch | None = None
) -> Observation:
    name = f"{run.job.run_id}-{step.replace(' ', '-')}"
    return await run.steps(step, context.clean_room(run).observe, name, command, patch or Patch())


def _unstable(goal: Goal, seen: Observation, again: Observation) -> dict[str, OtherFailure]:
    """Return the failures that a second run of the same command does not have."""
    fails_again = KnownFailures((*again.failing, *again.others)).named
    return {
        failure.test: OtherFailure(failure.test, OtherKind.UNSTABLE, reasons.UNSTABLE)
        for failure in seen.failing
        if failure.test in goal.tests and not fails_again(failure)
    }


def _can_be_shown(run: Run) -> bool:
    """Whether a proposer can show a problem that no test shows yet."""
    writes = run.job.test_first
    return run.who(lambda item: item.is_given or (writes and item.writes_tests)) is not None


def _setting_aside(context: RepairContext, goal: Goal, *runs: Observation) -> RepairContext:
    unstable = (failure.test for failure in goal.others if failure.kind is OtherKind.UNSTABLE)
    aside = aside_of((failure.test for failure in goal.others), *runs, unstable=unstable)
    return replace(context, aside=aside)


def _told(run: Run, aimed: Aimed) -> Aimed:
    """Note for people what fails besides, by cause."""
    for said in told_of(aimed.goal.others):
        run.known.note(said)
        run.listener(Noticed(said))
    goal = aimed.goal
    if goal.undecided:
        run.known.note(reasons.undecided(goal.tests))
    elif goal.doubted:
        run.known.note(reasons.not_parted(len(goal.meant), goal.tests))
    return aimed
