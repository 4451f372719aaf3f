"""Find the pull request of a merge group with which its tests fail, by running them without each other."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.ci.failure_identity import identity_of
from bot.errors import BudgetExhausted
from bot.model import Observation
from bot.model.culprit import (
    Certainty,
    Culprit,
    RunCounts,
    StateResults,
    TestedState,
    WhatChanged,
)
from bot.model.merge_group import EntryCause, GroupFinding, MergeGroup
from bot.model.progress import Noticed
from bot.repair.culprit.bisection import SeenRuns
from bot.repair.culprit.commits import event_of
from bot.repair.culprit.explained_failure import LookCutShort, Looking
from bot.repair.culprit.group_plan import Entries, GroupRuns, RunEntries, next_step, so_far
from bot.repair.culprit.older_commits import UNNAMED, States, told_by
from bot.reporting.reasons import culprit
from bot.reporting.reasons import merge_groups as reasons
from sandbox.git import PatchDoesNotApply


async def look_at_group(looking: Looking) -> WhatChanged:
    """Return the entries of a run's merge group that explain the failing tests, and keep the finding.

    Raises:
        LookCutShort: When the time is up.
    """
    group = looking.run.job.group
    assert group is not None  # noqa: S101 - seen by the caller
    tests = looking.unexplained or (UNNAMED,)
    runs = GroupRuns(len(group.entries), SeenRuns[Entries](tests), base_passed=True)
    states, ended, steps = States(looking, told_in_group, lays_tests=False), "", 0
    async with looking.closing(states.close):
        try:
            while isinstance(step := next_step(runs), RunEntries):
                steps += 1
                said = reasons.step(steps, name_of(group, step.entries))
                looking.run.listener(Noticed(said))
                runs.runs.add(step.entries, await _run(looking, states, group, step.entries))
            found = step
        except BudgetExhausted as end:
            found, ended = so_far(runs), str(end)
    before = looking.run.known.group  # of another job
    looking.run.known.group = found if before is None else before.joined(found)
    told = await _told(looking, group, runs, found, ended)
    if ended:
        raise LookCutShort(told)
    return told


def told_in_group(seen: Observation, red: Observation, tests: tuple[str, ...]) -> StateResults:
    """Return what a run with some of a group's entries tells of the failing tests.

    Where the command passes, none of them fails, be they there or not: that is what GitHub asks. One
    that fails in another way fails. Where nothing fails that did not fail at the head, too, the command
    came as far as there, so what it doesn't name passes.
    """
    told = told_by(seen, red, tests)
    if seen.ok:
        return replace(told, passing=frozenset(tests) - seen.skipped if tests else told.passing)
    known = told.failing | frozenset(tests)
    broken = any(
        identity_of(failure).coarse and failure.test not in known for failure in seen.failing
    )
    if broken:
        return StateResults(why=reasons.NOT_COMPARABLE)
    failing = told.failing | frozenset(tests) & seen.failing_ids
    if seen.named and seen.failing_ids <= red.failing_ids and not seen.timed_out:
        passing = frozenset(tests) - failing - seen.skipped
        return replace(told, failing=failing, passing=passing)
    return replace(told, failing=failing)


async def _absent(looking: Looking, tree: str, told: StateResults) -> StateResults:
    """Return what a run tells, with the tests that an entry brings passing where it is not merged."""
    if told.why in {"", reasons.NOT_COMPARABLE}:
        return told
    store, untold = looking.context.source.store, set(looking.question.tests)
    untold -= told.failing | told.passing
    absent = set[str]()
    for failure in looking.question.red.failing:
        if failure.test in untold and failure.file:
            text = await store.show(tree, failure.file)
            if text is None or _name(failure.test).encode() not in text:
                absent.add(failure.test)
    return replace(told, passing=told.passing | absent)


def _name(test: str) -> str:
    """Return what a test is called in its file, without its parameters."""
    return re.split(r"::|\.|#", test.partition("[")[0])[-1].strip() or test


async def _run(
    looking: Looking, states: States, group: MergeGroup, entries: Entries
) -> StateResults:
    """Run the failing tests with some entries: on a commit of the queue, or on a tree that merges them."""
    store, queue = looking.context.source.store, group.commits
    length = next((n for n in range(len(queue)) if n not in entries), len(queue) - 1)
    commit = queue[length]
    tree = await store.tree_of(commit)
    if len(entries) > length:
        try:
            for place in sorted(entries)[length:]:
                entry = group.entries[place]
                parent, head = await store.tree_of(entry.parent), await store.tree_of(entry.head)
                tree = await store.merge(tree, (await store.diff(parent, head)).data)
        except PatchDoesNotApply:
            return StateResults(why=reasons.CONFLICTS)
        commit = await states.set_up_like(tree, tuple(reversed(queue)))
        if not commit:
            return StateResults(why=reasons.OWN_SETUP)
    told = await _absent(looking, tree, await states.run_tree(commit, tree))
    if told.failing or told.passing:
        return told
    # What keeps a run from telling anything may be the machine's, and comes and goes.
    return await _absent(looking, tree, await states.run_tree(commit, tree))


async def _told(
    looking: Looking, group: MergeGroup, runs: GroupRuns, found: GroupFinding, ended: str
) -> WhatChanged:
    """Return the same as events and states, as of any other question for what changed."""
    ruled_out = [culprit.ended_early(ended)] if ended else []
    ruled_out += [reasons.on_base(len(found.on_base))] if found.on_base else []
    ruled_out += [reasons.unsteady(found.unsteady)] if found.unsteady else []
    culprits = [await _culprit(looking, group, cause) for cause in found.causes]
    seen = runs.runs.seen.values()
    places = dict.fromkeys(place for counts in seen for place in counts)
    points = tuple(
        TestedState(
            name_of(group, place),
            order,
            max((counts.get(place, RunCounts()) for counts in seen), key=lambda each: each.failed),
        )
        for order, place in enumerate(places)
    )
    return WhatChanged(tuple(culprits), tuple(ruled_out), points)


async def _culprit(looking: Looking, group: MergeGroup, cause: EntryCause) -> Culprit:
    first, last = group.entries[cause.entries[0]], group.entries[cause.entries[-1]]
    return Culprit(
        await event_of(looking.context.source.store, first.parent, last.head),
        Certainty.PROVEN if cause.is_sure else Certainty.LIKELY,
        tuple(test for test in cause.tests if test != UNNAMED),
        cause.with_it,
        cause.without_it,
        "" if cause.is_sure else reasons.NOT_PROVEN,
    )


def name_of(group: MergeGroup, entries: Entries) -> str:
    """Return what a combination of entries is called."""
    numbers = [entry.number for entry in group.entries]
    merged = [number for place, number in enumerate(numbers) if place in entries]
    left = [number for place, number in enumerate(numbers) if place not in entries]
    return reasons.combination(merged, left)
