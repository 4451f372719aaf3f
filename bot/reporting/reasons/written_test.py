"""Whether a test that was written first shows the problem."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series


@example()
def shows_problem() -> str:
    """It fails on the untouched tree."""
    return "No test showed the problem, so one was written; it fails on the untouched tree."


@example(1, "The new test timed out.")
def rejected(n: int, reason: str) -> str:
    """A written test does not show the problem."""
    return f"Written test {n} was rejected: {reason}"


@example()
def not_written() -> str:
    """The model left no test."""
    return "The model wrote no test."


@example("The test asserts a rounding that nobody reported.")
def another_failure(reason: str) -> str:
    """A model that reads problem and failure says that they differ."""
    return f"The new test fails for a different reason than the one described: {reason}"


@example()
def passes() -> str:
    """It passes on the untouched tree."""
    return "The new test passes on the untouched tree, so it does not show the problem."


@example()
def timed_out() -> str:
    """It doesn't end."""
    return "The new test timed out."


@example()
def nothing_new_fails() -> str:
    """What fails with it failed without it."""
    return "With the new test, only tests that failed before still fail."


@example("SyntaxError: invalid syntax")
def does_not_run(message: str) -> str:
    """The test itself is broken."""
    return f"The new test does not run: {message}"


@example([2])
@example([1, 3])
def points_left(numbers: Sequence[int]) -> str:
    """The tests leave points of the specification open."""
    if len(numbers) == 1:
        return f"No test shows point {numbers[0]} of the specification, and nothing says why not."
    listed = series([str(number) for number in numbers])
    return f"No test shows points {listed} of the specification, and nothing says why not."
