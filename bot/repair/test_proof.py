"""Decide whether a written test shows a problem that no test showed before. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from bot.ecosystems.python.select import options_alone
from bot.model import (
    Commands,
    Failure,
    MutantResults,
    Observation,
    Patch,
    Problem,
    Specification,
    Usage,
)
from bot.model.money.reservations import Money
from bot.repair.goal.unabridged_command import direct_tool
from bot.repair.guards import is_test_file
from bot.reporting.reasons import test_first

MOST_TRIES = 2
"""How many tests are asked for before the run ends as not reproduced."""

_SEVERAL = 2
"""Wrong fixes that tell something of tests which accept all of them."""

_PYTEST = re.compile(r"\b(?:pytest|py\.test)\b")


@dataclass(frozen=True, slots=True)
class WrittenTestReview:
    """What a reviewer says of written tests.

    Attributes:
        shows: Whether each of them fails for the reason that the problem gives.
        reason: Why, in one sentence.
        usage: What asking cost.
        points: For each point of the specification, ids of the tests that show it; empty where
            the reviewer did not say.
    """

    shows: bool
    reason: str
    usage: Usage
    points: tuple[tuple[str, ...], ...] = ()


class ProofReviewer(Protocol):
    """Says whether a failure shows what the problem describes."""

    async def shows_problem(
        self,
        problem: Problem,
        observation: Observation,
        patch: Patch,
        specification: Specification | None,
        money: Money,
    ) -> WrittenTestReview:
        """Return what the reviewer says.

        Args:
            problem: What people wrote.
            observation: The tests on the untouched tree; only what they made fail is in it.
            patch: The tests.
            specification: What they are written for, or None.
            money: What asking is paid from.

        Raises:
            BudgetExhausted: When the money does not cover it.
            ProviderError: When no model answers.
        """
        ...


@dataclass(frozen=True, slots=True)
class Drafted:
    """What became of the attempt to specify a problem.

    Attributes:
        specification: None where the problem says too little, or the answer could not be read.
        missing: What the problem does not say, in one sentence, or "".
        usage: What asking cost.
    """

    specification: Specification | None
    missing: str
    usage: Usage


class SpecificationAuthor(Protocol):
    """Reads a problem and says what is asked, as points that tests can show."""

    async def specify(self, problem: Problem, money: Money) -> Drafted:
        """Return the specification.

        Raises:
            BudgetExhausted: When the money does not cover it.
            ProviderError: When no model answers.
        """
        ...


class SpecificationApprover(Protocol):
    """Asks the person who waits for the run."""

    async def approves(self, specification: Specification) -> bool:
        """Return whether the person agrees with it.

        Raises:
            UsageError: When nobody can be asked here; the text says what to do.
        """
        ...


def narrowed(commands: Commands, tests: Sequence[str]) -> Commands:
    """Return the commands with the failing command reduced to the given test files, if it can be."""
    if not _PYTEST.search(commands.test):
        return Commands(
            commands.setup, commands.test, commands.test, commands.explanation, commands.ecosystems
        )
    modules = [path for path in tests if path.endswith(".py") and "conftest" not in path]
    failing = _pytest_of(commands, modules) if modules else commands.test
    return Commands(
        commands.setup, commands.test, failing, commands.explanation, commands.ecosystems
    )


def _pytest_of(commands: Commands, modules: Sequence[str]) -> str:
    """Return pytest's command for these files alone, with the options that the project's has."""
    for command in (commands.failing, commands.test):
        found = direct_tool(command)
        if found is not None and found.tool in {"pytest", "py.test"}:
            options = options_alone(found.arguments, frozenset(modules))
            return replace(found, arguments=(*options, *modules)).command()
    return shlex.join(["python", "-m", "pytest", *modules])


def test_files(patch: Patch) -> tuple[str, ...]:
    """Return the files of a patch that are tests or belong to them."""
    return tuple(file for file in patch.files if is_test_file(file))


test_files.__test__ = False  # type: ignore[attr-defined] # not a pytest function


def objection(observation: Observation, before: frozenset[str]) -> str | None:
    """Return why a written test proves nothing, as a sentence, or None.

    Args:
        observation: The narrowed failing command with the test added to the untouched tree.
        before: Ids that failed before the test was added.
    """
    if observation.ok:
        return test_first.PASSES
    if observation.timed_out:
        return test_first.TIMED_OUT
    fresh = [failure for failure in observation.failing if failure.test not in before]
    if not fresh:
        return test_first.NOTHING_NEW_FAILS
    if all(_does_not_run(failure) for failure in fresh):
        return test_first.does_not_run(fresh[0].message)
    return None


def is_weak(results: MutantResults | None) -> bool:
    """Whether tests accept every wrong fix; a sole one may behave like the right one."""
    return results is not None and not results.caught and len(results.survivors) >= _SEVERAL


def new_failures(observation: Observation, before: frozenset[str]) -> Observation:
    """Return an observation with what failed only once the tests were added."""
    fresh = tuple(failure for failure in observation.failing if failure.test not in before)
    return replace(observation, failing=fresh)


def _does_not_run(failure: Failure) -> bool:
    """Whether the test itself is broken, so that its failure says nothing about the code."""
    broken = ("SyntaxError", "IndentationError", "fixture '", "error: no such option")
    return any(sign in failure.message for sign in broken)
