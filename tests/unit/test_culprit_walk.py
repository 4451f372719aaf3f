"""Looking for the first bad state: few steps, and no wrong answer however often tests fail by chance."""

from __future__ import annotations

import math
import random

import pytest

from bot.model.culprit import RunCounts
from bot.repair.culprit.bisection import (
    Answer,
    Boundary,
    FromStart,
    StateLine,
    StateRun,
    next_question,
    so_far,
)
from bot.repair.culprit.commits import Walk, most_steps, oldest_red


class Project:
    """A history whose test fails from one commit on, each time or at some rate, and by chance before it."""

    def __init__(
        self, length: int, culprit: int, noise: float = 0.0, seed: int = 0, rate: float = 1.0
    ) -> None:
        self.length = length
        self.culprit = culprit
        self.noise = noise
        self.rate = rate
        self.random = random.Random(seed)
        self.skipped: set[int] = set()
        self.looked: list[int] = []
        self.seen = {length - 1: RunCounts(failed=2)}

    def explained(
        self, uninstallable: frozenset[int] = frozenset(), good: int | None = 0
    ) -> Answer:
        """Answer questions until there is none."""
        while True:
            line = StateLine(self.length, self.seen, frozenset(self.skipped), good)
            answer = next_question(line)
            if not isinstance(answer, StateRun):
                return answer
            assert len(self.looked) < 1000
            place = answer.place
            if place in uninstallable:
                self.skipped.add(place)
                continue
            self.looked.append(place)
            runs = self.seen.get(place, RunCounts())
            share = self.rate if place >= self.culprit else self.noise
            fails = share == 1.0 or self.random.random() < share
            self.seen[place] = RunCounts(runs.failed + fails, runs.passed + (not fails))


@pytest.mark.parametrize("culprit", [*range(1, 200, 13), 199])
def test_a_steady_test_needs_few_steps(culprit: int) -> None:
    """At most two steps more than a plain bisection, and at least two runs on each side."""
    project = Project(200, culprit)
    assert project.explained() == Boundary(culprit - 1, culprit, is_sure=True)
    assert len(set(project.looked)) <= math.ceil(math.log2(200)) + 2
    assert project.seen[culprit].failed >= 2
    assert project.seen[culprit - 1].passed >= 2


@pytest.mark.parametrize("noise", [0.05, 0.1, 0.2])
def test_noise_names_no_wrong_commit(noise: float) -> None:
    """What is proven is right, and in nearly every history something is proven."""
    proven = 0
    for seed in range(25):
        culprit = random.Random(seed).randrange(1, 200)
        answer = Project(200, culprit, noise, seed).explained()
        if isinstance(answer, Boundary) and answer.is_sure:
            assert answer.red == culprit
            proven += 1
    assert proven >= 24


def test_failures_by_chance_in_a_row_are_no_proof() -> None:
    """Seven on one side and seven passes on the other prove a steady test's commit, and this may be another."""
    seen = {
        0: RunCounts(passed=1), 149: RunCounts(passed=7), 150: RunCounts(failed=7), 199: RunCounts(failed=2),
    }  # fmt: skip
    assert isinstance(next_question(StateLine(200, seen, good=0)), StateRun)


def test_a_commit_that_breaks_a_test_now_and_then_ends_the_walk() -> None:
    """Both sides of an open state are run as often as it is, and what stays open is likely at best."""
    proven = 0
    for seed in range(12):
        culprit = random.Random(seed).randrange(1, 200)
        project = Project(200, culprit, seed=seed, rate=0.4)
        answer = project.explained()
        assert len(project.looked) <= 320
        assert isinstance(answer, Boundary)
        assert answer.red == culprit or not answer.is_sure
        proven += answer.is_sure
    assert proven >= 6


def test_what_is_known_when_the_time_is_up() -> None:
    """The newest state that passes and the oldest that fails, as likely; nothing if none passes."""
    seen = {0: RunCounts(passed=3), 50: RunCounts(failed=3), 99: RunCounts(failed=2)}
    assert so_far(StateLine(100, seen)) == Boundary(0, 50, is_sure=False)
    assert so_far(StateLine(100, {99: RunCounts(failed=2)})) is None


def test_without_a_known_green_state_steps_back_double() -> None:
    """A young culprit is found without a look at the old history."""
    project = Project(200, 190)
    assert project.explained(good=None) == Boundary(189, 190, is_sure=True)
    assert min(project.looked) >= 180


def test_states_that_tell_nothing_are_left_out() -> None:
    """Those beside the culprit leave a range, and those elsewhere cost no certainty."""
    elsewhere = Project(64, 40)
    assert elsewhere.explained(frozenset(range(28, 36))) == Boundary(39, 40, is_sure=True)
    beside = Project(64, 40)
    assert beside.explained(frozenset({38, 39})) == Boundary(37, 40, is_sure=False)


@pytest.mark.parametrize("good", [None, 0])
def test_what_always_failed_was_there_from_the_start(good: int | None) -> None:
    """No commit is named for it."""
    assert isinstance(Project(30, 0).explained(good=good), FromStart)


def test_a_history_that_can_not_be_run_ends() -> None:
    """Where nothing else can be told, the head is the oldest that fails."""
    assert Project(30, 0).explained(frozenset(range(29)), good=None) == FromStart(29)


@pytest.mark.parametrize("good", [None, 0])
@pytest.mark.parametrize("length", [2, 30, 200])
def test_as_many_looks_as_were_announced_are_enough(length: int, good: int | None) -> None:
    """A steady test takes no more of them, wherever the culprit is."""
    for culprit in range(1, length, 7):
        project = Project(length, culprit)
        project.explained(good=good)
        assert len(project.looked) <= most_steps(length, good)


def test_how_far_back_it_failed_is_known_where_time_ran_out() -> None:
    """A state that also passed says nothing, and the head alone is no older one."""
    walk = Walk(tuple("abcdef"), ("t",), good=None)
    walk.seen["t"] = {5: RunCounts(failed=2)}
    assert oldest_red(walk, "t") is None
    walk.seen["t"] |= {4: RunCounts(failed=1), 3: RunCounts(failed=1), 1: RunCounts(1, 1)}
    assert oldest_red(walk, "t") == 3
