"""Sort what fails into what a patch has to mend and what it may leave. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.model import Failure, Observation, OtherFailure, OtherKind, Problem
from bot.repair.goal.environment import Owns, environment_cause
from bot.repair.goal.issue_words import words_of
from bot.repair.goal.relevance import meant_by
from bot.reporting.reasons import outside_causes as reasons


@dataclass(frozen=True, slots=True)
class Goal:
    """What a patch has to mend.

    Attributes:
        tests: Ids of the failures; empty where none of them is what the problem is about.
        others: The other failures, and why each is one.
        named: Those of `tests` that the problem names.
        undecided: Nothing tells which of several failures the problem is about.
        meant: Those of `tests` that it leads to, by its words or by who read it.
    """

    tests: frozenset[str]
    others: tuple[OtherFailure, ...] = ()
    named: frozenset[str] = frozenset()
    undecided: bool = False
    meant: frozenset[str] = frozenset()

    @property
    def doubted(self) -> frozenset[str]:
        """What fails together with what the problem leads to, and may have another cause."""
        return self.tests - self.meant if self.meant else frozenset()


def sort_failures(
    seen: Observation,
    problem: Problem,
    owns: Owns,
    excused: Mapping[str, OtherFailure] | None = None,
) -> Goal:
    """Return what a patch has to mend of what fails on the untouched tree.

    What the problem names counts, whatever it fails of. Of the rest, failures of the environment
    and `excused` ones are left out. What the problem does not lead to stays: its words don't tell
    one fault from two.

    Args:
        seen: The failing command there.
        problem: What people reported, perhaps nothing.
        owns: Whether a module is the project's own.
        excused: Failures that are known to be no goal, by id.
    """
    failing = seen.failing
    outside = _of_environment(failing, owns) | dict(excused or {})
    likely = tuple(failure for failure in failing if failure.test not in outside)
    if not described(problem):
        chosen = frozenset(failure.test for failure in likely) or seen.failing_ids
        return Goal(chosen, _rest(failing, chosen, outside))
    if likely and _names_command(problem, seen.command):
        chosen = frozenset(failure.test for failure in likely)
        return Goal(chosen, _rest(failing, chosen, outside), chosen, meant=chosen)
    meant = meant_by(words_of(problem), failing, likely)
    chosen = meant.named.union(failure.test for failure in likely)
    undecided = not meant.tests and len(chosen) > 1
    return Goal(chosen, _rest(failing, chosen, outside), meant.named, undecided, meant.tests)


def described(problem: Problem) -> bool:
    """Whether anybody wrote what is wrong."""
    return bool(problem.title or problem.body or problem.instructions)


def _names_command(problem: Problem, command: str) -> bool:
    """Whether people say that the command itself fails, options aside: then all of it is meant."""
    words = [word for word in command.split() if not word.startswith("-")]
    told = " ".join(f"{problem.title} {problem.body} {problem.instructions}".split())
    return len(words) > 1 and re.search(rf"`{re.escape(' '.join(words))}`", told) is not None


def with_excused(goal: Goal, seen: Observation, excused: Mapping[str, OtherFailure]) -> Goal:
    """Return the goal less the failures that turned out to be none, unless nothing is left of it."""
    left = goal.tests - excused.keys()
    if not left:
        return goal
    known = {failure.test: failure for failure in goal.others} | dict(excused)
    undecided = goal.undecided and len(left) > 1
    rest = _rest(seen.failing, left, known)
    return Goal(left, rest, goal.named & left, undecided, goal.meant & left)


def with_choice(goal: Goal, seen: Observation, chosen: frozenset[str]) -> Goal:
    """Return the goal as a reader of the problem understood it; what the problem names stays meant.

    Where the reader says that the problem is about none of them, a test has to be written.
    """
    meant = (chosen & seen.failing_ids) | goal.named
    tests = goal.tests | meant if meant else frozenset()
    known = {failure.test: failure for failure in goal.others}
    return Goal(tests, _rest(seen.failing, tests, known), goal.named, meant=meant)


def of_feature(goal: Goal, seen: Observation) -> Goal:
    """Return the goal of a request for something new: what it names, or a test yet to be written.

    What was red before it is no part of it.
    """
    known = {failure.test: failure for failure in goal.others if failure.test not in goal.tests} | {
        test: OtherFailure(test, OtherKind.OLD, reasons.BEFORE_THE_FEATURE)
        for test in goal.tests - goal.named
    }
    return Goal(goal.named, _rest(seen.failing, goal.named, known), goal.named, meant=goal.named)


def _of_environment(failing: tuple[Failure, ...], owns: Owns) -> dict[str, OtherFailure]:
    causes = {failure.test: environment_cause(failure, owns) for failure in failing}
    return {
        test: OtherFailure(test, OtherKind.ENVIRONMENT, cause)
        for test, cause in causes.items()
        if cause
    }


def _rest(
    failing: tuple[Failure, ...], chosen: frozenset[str], known: Mapping[str, OtherFailure]
) -> tuple[OtherFailure, ...]:
    return tuple(
        known.get(failure.test) or OtherFailure(failure.test, OtherKind.UNRELATED, reasons.UNNAMED)
        for failure in failing
        if failure.test not in chosen
    )
