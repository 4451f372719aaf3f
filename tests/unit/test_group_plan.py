"""Which pull request of a merge group is the cause: few combinations, and no wrong answer."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from bot.model import Failure, Observation
from bot.model.culprit import StateResults
from bot.model.merge_group import (
    EntryCause,
    GroupFinding,
    MergeGroup,
    QueueBranch,
    QueueEntry,
    group_of,
    queue_branch,
)
from bot.repair.culprit.bisection import SeenRuns
from bot.repair.culprit.group_plan import Entries, GroupRuns, RunEntries, next_step, so_far
from bot.repair.culprit.merge_groups import told_in_group

Fails = Callable[[Entries], float]
"""How often a test fails with these entries."""


class Queue:
    """A group, its tests and how often each fails with which entries."""

    def __init__(
        self, size: int, seed: int = 0, *, base_passed: bool = True, **tests: Fails
    ) -> None:
        self.tests = tests
        self.random = random.Random(seed)
        self.group = GroupRuns(size, SeenRuns(tuple(tests)), base_passed)
        self.ran: list[Entries] = []
        self.unbuildable: set[Entries] = set()

    @property
    def combinations(self) -> int:
        """How many combinations were run, the group itself and its base left out."""
        return len(set(self.ran) - {self.group.whole, frozenset()})

    def found(self, most: int = 500) -> GroupFinding:
        """Run what is asked for until nothing is."""
        while isinstance(step := next_step(self.group), RunEntries):
            if len(self.ran) == most:
                return so_far(self.group)
            if step.entries in self.unbuildable:
                told = StateResults(why="They conflict.")
            else:
                self.ran.append(step.entries)
                failing = {
                    test for test, fails in self.tests.items()
                    if self.random.random() < fails(step.entries)
                }  # fmt: skip
                told = StateResults(frozenset(failing), frozenset(self.tests) - failing)
            self.group.runs.add(step.entries, told)
        return step


def by(*places: int) -> Fails:
    """Fail each time where all of these are."""
    return lambda entries: float(set(places) <= entries)


def at_rate(rate: float) -> Fails:
    """Fail by chance, whatever is merged."""
    return lambda _: rate


@pytest.mark.parametrize("size", range(1, 9))
def test_each_culprit_is_named(size: int) -> None:
    """With proof, with all others cleared, in at most five combinations besides the group."""
    for culprit in range(size):
        queue = Queue(size, broken=by(culprit))
        found = queue.found()
        [cause] = found.causes
        assert (cause.entries, cause.is_sure, cause.suffices) == ((culprit,), True, True)
        assert found.cleared(size) == frozenset(range(size)) - {culprit}
        assert cause.with_it.passed == cause.without_it.failed == 0
        assert queue.combinations <= 5


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.7])
def test_a_flaky_test_beside_it_names_nobody(rate: float) -> None:
    """However it fell: the culprit of the other test is named, and no other pull request ever."""
    more = 0
    for seed in range(100):
        culprit = seed % 8
        queue = Queue(8, seed, flaky=at_rate(rate), broken=by(culprit))
        found = queue.found()
        assert [(cause.entries, cause.tests) for cause in found.causes] == [
            ((culprit,), ("broken",))
        ]
        assert found.unsteady == ("flaky",)
        assert found.cleared(8) == frozenset(range(8)) - {culprit}
        more += queue.combinations > 5
    assert more <= 12 if rate > 0.5 else more <= 3


def test_a_flaky_test_alone_names_nobody() -> None:
    """Nor is anybody cleared: one of them may have brought it."""
    for seed in range(60):
        found = Queue(
            8, seed, flaky=at_rate(random.Random(seed).choice((0.2, 0.4, 0.6, 0.8)))
        ).found()
        assert found.causes == ()
        assert found.cleared(8) == frozenset()


def test_who_brings_a_flaky_test_is_named_if_that_is_proven() -> None:
    """It fails in most runs with a pull request, and in none without it."""
    proven = 0
    for seed in range(20):
        found = Queue(4, seed, flaky=lambda entries: 0.8 * (2 in entries)).found()
        assert [cause.entries for cause in found.causes] in ([(2,)], [])
        proven += bool(found.causes)
    assert proven >= 15


@pytest.mark.parametrize(("first", "second"), [(0, 5), (2, 3), (6, 7)])
def test_two_that_fail_only_together(first: int, second: int) -> None:
    """Both are named; those between the two are not cleared, those behind them are."""
    found = Queue(8, broken=by(first, second)).found()
    [cause] = found.causes
    assert (cause.entries, cause.together_with, cause.suffices) == ((second,), first, False)
    assert found.cleared(8) == frozenset(range(second + 1, 8))


def test_two_that_each_break_the_same_test() -> None:
    """Both are named, and the group without both passes."""
    found = Queue(8, broken=lambda entries: float(bool({1, 6} & entries))).found()
    assert [cause.entries for cause in found.causes] == [(1,), (6,)]
    assert found.cleared(8) == frozenset({0, 2, 3, 4, 5, 7})


def test_two_tests_with_a_culprit_each() -> None:
    """Each gets its own."""
    found = Queue(8, one=by(1), two=by(6)).found()
    assert {(cause.entries, cause.tests) for cause in found.causes} == {
        ((1,), ("one",)),
        ((6,), ("two",)),
    }
    assert found.cleared(8) == frozenset({0, 2, 3, 4, 5, 7})


@pytest.mark.parametrize("base_passed", [True, False])
def test_what_fails_on_the_base_is_nobodys(base_passed: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    """Even where GitHub saw the base pass."""
    found = Queue(8, base_passed=base_passed, broken=at_rate(1.0)).found()
    assert found == GroupFinding(on_base=("broken",))


def test_what_conflicts_is_told_by_the_queue_itself() -> None:
    """Where the rest can't be merged without it, both sides of it along the queue prove it; those behind are cleared by nothing."""
    queue = Queue(8, broken=by(3))
    queue.unbuildable = {frozenset(range(8)) - {3}, frozenset({3})}
    found = queue.found()
    [cause] = found.causes
    assert (cause.entries, cause.is_sure, cause.rest_passes, cause.suffices) == (
        (3,),
        True,
        False,
        None,
    )
    assert found.cleared(8) == frozenset()


def test_a_state_that_tells_nothing_leaves_two() -> None:
    """It is said of both together, and not called proven."""
    queue = Queue(8, broken=by(3))
    queue.unbuildable = {frozenset(range(3))}
    [cause] = queue.found().causes
    assert (cause.entries, cause.is_sure) == ((2, 3), False)


def test_when_the_time_is_up_what_was_found_is_likely() -> None:
    """Nobody is cleared by it; before that, nobody is named."""
    [cause] = Queue(8, broken=by(3)).found(most=6).causes
    assert (cause.entries, cause.is_sure) == ((3,), False)
    early = Queue(8, broken=by(3)).found(most=3)
    assert (early.causes, early.open, early.cleared(8)) == ((), ("broken",), frozenset())


def test_a_group_is_read_from_its_entries() -> None:
    """Each was added to the head of the one before it; what is not known begins the group."""
    entries = [QueueEntry(n, f"{n - 1}", f"{n}") for n in range(1, 6)]
    assert group_of("main", entries[4], entries) == MergeGroup("main", tuple(entries))
    assert group_of("main", entries[4], entries[2:]).base == "2"
    assert group_of("main", entries[4], entries, "3").entries == tuple(entries[3:])
    assert group_of("main", entries[2], []) == MergeGroup("main", (entries[2],))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        (f"gh-readonly-queue/main/pr-7-{'a' * 40}", QueueBranch("main", 7, "a" * 40)),
        (
            f"gh-readonly-queue/release/2.x/pr-12-{'b' * 40}",
            QueueBranch("release/2.x", 12, "b" * 40),
        ),
        ("gh-readonly-queue/main", None),
        (f"feature/gh-readonly-queue/main/pr-7-{'a' * 40}", None),
    ],
)
def test_the_name_of_a_queues_branch(name: str, read: QueueBranch | None) -> None:
    """It has the base, the pull request and the commit that it was added to."""
    assert queue_branch(name) == read


def test_nothing_is_cleared_by_what_is_not_proven() -> None:
    """Nor where a second test stays open."""
    sure = EntryCause((1,), ("t",), is_sure=True, rest_passes=True, suffices=True)
    assert GroupFinding((sure,)).cleared(3) == frozenset({0, 2})
    assert GroupFinding((sure,), open=("u",)).cleared(3) == frozenset()
    assert GroupFinding((sure,), on_base=("u",)).cleared(3) == frozenset()


def _seen(*failing: str, code: int = 1) -> Observation:
    return Observation("run", code, tuple(Failure(test, "No.") for test in failing))


def test_a_runner_that_names_no_passes_is_read_by_what_fails() -> None:
    """As far as a run fails with no more than the group does; what else fails may have ended it early."""
    tests = ("m.T.test_a", "m.T.test_b")
    red = _seen(*tests)
    a, b = (frozenset({test}) for test in tests)
    assert told_in_group(_seen(code=0), red, tests) == StateResults(passing=a | b)
    told = told_in_group(_seen("m.T.test_b"), red, tests)
    assert (told.failing, told.passing) == (b, a)
    told = told_in_group(_seen("m.T.test_b", "m.T.test_c"), red, tests)
    assert (told.failing, told.passing) == (b, frozenset())
