"""Decide whether a written test shows a problem that no test showed before. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Protocol

from bot.model import Commands, Failure, Observation, Patch, Problem, Usage
from bot.model.money.reservations import Money
from bot.repair.guards import is_test_file
from bot.reporting.reasons import written_test

MOST_TRIES = 2
"""How many tests are asked for before the run ends as not reproduced."""

_PYTEST = re.compile(r"\b(?:pytest|py\.test)\b")


class ProofReviewer(Protocol):
    """Says whether a failure shows what the problem describes."""

    async def shows_problem(
        self, problem: Problem, observation: Observation, patch: Patch, money: Money
    ) -> tuple[bool, str, Usage]:
        """Return the answer, its reason in one sentence, and what the call cost.

        Raises:
            BudgetExhausted: When the money does not cover it.
        """
        ...


def narrowed(commands: Commands, tests: Sequence[str]) -> Commands:
    """Return the commands with the failing command reduced to the given test files, if it can be."""
    if not _PYTEST.search(commands.test):
        return Commands(
            commands.setup, commands.test, commands.test, commands.explanation, commands.ecosystems
        )
    modules = [path for path in tests if path.endswith(".py") and "conftest" not in path]
    failing = shlex.join(["python", "-m", "pytest", *modules]) if modules else commands.test
    return Commands(
        commands.setup, commands.test, failing, commands.explanation, commands.ecosystems
    )


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
        return written_test.passes()
    if observation.timed_out:
        return written_test.timed_out()
    fresh = [failure for failure in observation.failing if failure.test not in before]
    if not fresh:
        return written_test.nothing_new_fails()
    if all(_does_not_run(failure) for failure in fresh):
        return written_test.does_not_run(fresh[0].message)
    return None


def _does_not_run(failure: Failure) -> bool:
    """Whether the test itself is broken, so that its failure says nothing about the code."""
    broken = ("SyntaxError", "IndentationError", "fixture '", "error: no such option")
    return any(sign in failure.message for sign in broken)
