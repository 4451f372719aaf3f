"""Decide which of a merge group's entries to run together next, and when the cause is named. Pure.

The entries of a group are halved along the queue, whose states exist as commits. What is found so is
held against the group without it, which passes if nothing else is the cause, and runs alone, which
fails if it needs none of the others. Each of these comparisons is a line of states, and the sequential
test that walks through commits judges it: so a failure that comes and goes names nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.model.culprit import RunCounts
from bot.model.merge_group import EntryCause, GroupFinding
from bot.repair.culprit.bisection import (
    Answer,
    Boundary,
    FromStart,
    SeenRuns,
    StateLine,
    StateRun,
    next_question,
)

Entries = frozenset[int]
"""Places of a group's entries in the queue, from 0, that are merged into its base."""

_ALONE = 2
"""Runs of the whole group before anything else, where one test fails."""

_SEVERAL = 8
"""The same where several do: one of them may come and go."""

_NO_ENTRY: Entries = frozenset()


@dataclass(frozen=True, slots=True)
class RunEntries:
    """Run the failing tests with these entries on the group's base, perhaps once more."""

    entries: Entries


@dataclass(frozen=True, slots=True)
class GroupRuns:
    """A group whose tests fail, and what was seen of them with some of its entries.

    Attributes:
        size: How many entries it has.
        runs: By entries; the group itself has all of them, its base none.
        base_passed: Whether GitHub saw the checks of its base pass.
    """

    size: int
    runs: SeenRuns[Entries]
    base_passed: bool = False

    @property
    def whole(self) -> Entries:
        """All entries."""
        return frozenset(range(self.size))

    def seen(self, test: str, entries: Iterable[int]) -> RunCounts:
        """Return how often a test ran with these entries."""
        return self.runs.seen[test].get(frozenset(entries), RunCounts())

    def line(self, test: str, states: Sequence[Iterable[int]]) -> StateLine:
        """Return combinations of entries as a line of states, from green to red."""
        seen, skipped = {}, set()
        for place, entries in enumerate(map(frozenset, states)):
            if (counts := self.seen(test, entries)) != RunCounts():
                seen[place] = counts
            elif entries in self.runs.why[test]:
                skipped.add(place)
            elif entries == _NO_ENTRY and self.base_passed:
                seen[place] = RunCounts(passed=1)
        return StateLine(len(states), seen, frozenset(skipped), good=0)

    def is_unsteady(self, test: str) -> bool:
        """Whether a test failed and passed with the same entries."""
        both = any(runs.failed and runs.passed for runs in self.runs.seen[test].values())
        return both or self.seen(test, self.whole).passed > 0


@dataclass(frozen=True, slots=True)
class _OfTest:
    """What one test came to: its causes, or that it fails on the base, or that it stays open."""

    causes: tuple[EntryCause, ...] = ()
    on_base: bool = False


def next_step(group: GroupRuns) -> RunEntries | GroupFinding:
    """Return which entries to run next, or what the runs come to."""
    runs = group.runs
    told = [
        test
        for test in runs.tests
        if group.whole not in runs.why[test] or _times(group.seen(test, group.whole))
    ]
    least = _ALONE if len(told) == 1 else _SEVERAL
    if any(_times(group.seen(test, group.whole)) < least for test in told):
        return RunEntries(group.whole)
    unsteady = tuple(test for test in told if group.is_unsteady(test))
    asked = [test for test in told if test not in unsteady] or unsteady
    found = GroupFinding(unsteady=unsteady)
    for tests in runs.groups():
        if tests[0] not in asked:
            continue
        answer = _of_test(group, tests[0], tuple(sorted(group.whole)))
        if isinstance(answer, RunEntries):
            return answer
        found = _added(found, tests, answer)
    return replace(found, open=tuple(test for test in runs.tests if test not in told) + found.open)


def so_far(group: GroupRuns) -> GroupFinding:
    """Return what the runs come to when there can't be more of them."""
    found = GroupFinding(unsteady=tuple(filter(group.is_unsteady, group.runs.tests)))
    queue = tuple(range(group.size))
    for tests in group.runs.groups():
        if tests[0] in found.unsteady:
            continue
        answer = _of_test(group, tests[0], queue)
        if isinstance(answer, RunEntries):
            located = _located(group, tests[0], queue)
            answer = _OfTest()
            if isinstance(located, Boundary) and group.seen(tests[0], group.whole).failed:
                answer = _OfTest((_cause(group, tests[0], queue, located),))
        found = _added(found, tests, answer)
    return found


def _added(found: GroupFinding, tests: tuple[str, ...], answer: _OfTest) -> GroupFinding:
    if answer.on_base:
        return replace(found, on_base=found.on_base + tests)
    is_named = bool(answer.causes) and tests[0] not in found.unsteady
    if is_named or (answer.causes and all(cause.is_sure for cause in answer.causes)):
        causes = tuple(replace(cause, tests=tests) for cause in answer.causes)
        return replace(found, causes=found.causes + causes)
    return found if tests[0] in found.unsteady else replace(found, open=found.open + tests)


def _times(runs: RunCounts) -> int:
    return runs.failed + runs.passed


def _prefixes(among: Sequence[int], *, also: Entries = _NO_ENTRY) -> list[Entries]:
    return [frozenset(among[:length]) | also for length in range(len(among) + 1)]


def _located(group: GroupRuns, test: str, among: tuple[int, ...]) -> Answer:
    """Return where along the queue a test begins to fail, as far as single runs tell."""
    return next_question(group.line(test, _prefixes(among)), proving=False)


def _of_test(group: GroupRuns, test: str, among: tuple[int, ...]) -> RunEntries | _OfTest:
    """Return what to run for a test that fails with all of these entries, or what it came to."""
    found = _located(group, test, among)
    if isinstance(found, StateRun):
        return RunEntries(frozenset(among[: found.place]))
    if isinstance(found, FromStart):
        return _OfTest(on_base=found.oldest == 0)
    rest = frozenset(among[: found.green] + among[found.red :])
    held = next_question(group.line(test, (rest, among)))
    if isinstance(held, StateRun):
        return RunEntries(rest if held.place == 0 else frozenset(among))
    if isinstance(held, Boundary):
        cause = replace(
            _cause(group, test, among, found),
            is_sure=held.is_sure and found.red - found.green == 1,
            with_it=group.seen(test, among),
            without_it=group.seen(test, rest),
            rest_passes=held.is_sure,
        )
        return _alone(group, test, among, rest, cause)
    return _beside(group, test, among, rest, others_fail=held.oldest == 0)


def _cause(group: GroupRuns, test: str, among: tuple[int, ...], found: Boundary) -> EntryCause:
    """Return the entries with which a test begins to fail along the queue."""
    return EntryCause(
        entries=among[found.green : found.red],
        with_it=group.seen(test, among[: found.red]),
        without_it=group.seen(test, among[: found.green]),
        is_sure=found.is_sure,
    )


def _beside(
    group: GroupRuns, test: str, among: tuple[int, ...], rest: Entries, *, others_fail: bool
) -> RunEntries | _OfTest:
    """Return the same where the rest fails as well, or can't be run: both sides along the queue prove it."""
    if others_fail and group.seen(test, _NO_ENTRY) == RunCounts():
        return RunEntries(_NO_ENTRY)  # what GitHub saw of the base may not be so here
    found = next_question(group.line(test, _prefixes(among)))
    if isinstance(found, StateRun):
        return RunEntries(frozenset(among[: found.place]))
    if isinstance(found, FromStart):
        return _OfTest(on_base=found.oldest == 0)
    before = frozenset(among[: found.green])
    first = _alone(group, test, among, before, _cause(group, test, among, found))
    if isinstance(first, RunEntries) or not others_fail:
        return first
    others = _of_test(group, test, tuple(sorted(rest)))
    if isinstance(others, RunEntries):
        return others
    return _OfTest(first.causes + others.causes)


def _alone(
    group: GroupRuns, test: str, among: tuple[int, ...], green: Entries, cause: EntryCause
) -> RunEntries | _OfTest:
    """Return a cause with what it does on the base alone, and what it needs if it does nothing there."""
    if len(cause.entries) > 1:
        return _OfTest((cause,))
    own = frozenset(cause.entries)
    states = (green, own, frozenset(among))
    if own == frozenset(among):
        return _OfTest((replace(cause, suffices=True),))
    found = next_question(group.line(test, states), proving=False)
    if isinstance(found, StateRun):
        return RunEntries(states[found.place])
    counts = group.seen(test, own)
    if found == Boundary(0, 1, is_sure=False):
        return _OfTest((replace(cause, suffices=True, alone=counts),))
    if found != Boundary(1, 2, is_sure=False):
        return _OfTest((cause,))
    return _together(group, test, among, replace(cause, suffices=False, alone=counts))


def _together(
    group: GroupRuns, test: str, among: tuple[int, ...], cause: EntryCause
) -> RunEntries | _OfTest:
    """Return a cause with the entry before it without which it does not fail."""
    own = frozenset(cause.entries)
    before = among[: among.index(cause.entries[0])]
    states = _prefixes(before, also=own)
    found = next_question(group.line(test, states), proving=False)
    if isinstance(found, StateRun):
        return RunEntries(states[found.place])
    if isinstance(found, Boundary) and found.red - found.green == 1:
        return _OfTest((replace(cause, together_with=before[found.green]),))
    return _OfTest((cause,))
