"""What becomes of a specification, and of tests that are written or given before the fix."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.series import series


@example("Which rounding is expected for negative amounts?")
def says_too_little(missing: str) -> str:
    return f"The issue does not say enough to write a failing test. {missing}"


UNREADABLE = "The model wrote no specification that could be read, so the tests are written from the issue alone."
WAITING = "The specification is waiting for approval."
REJECTED_HERE = "The specification was rejected."


@example("ann")
def approved(by: str) -> str:
    return f"{by} approved the specification."


@example("ann")
def rejected(by: str) -> str:
    return f"{by} rejected the specification."


NO_TERMINAL = (
    "The repo config has `spec: approve`, and there is no terminal to ask on. Run the command "
    "on a terminal, or set `spec: on`."
)


@example(2, "`shipping(-1)` raises `ValueError`.")
def untested(point: int, expected: str) -> str:
    return f"No test shows point {point} of the specification, so check it by hand: {expected}"


CHANGE_UNTESTED = "No test shows what was asked for, so check the change by hand."
NO_TEST = "No test shows this, and the model gave no reason."
SHOWS_PROBLEM = "No test showed the problem, so one was written; it fails on the untouched tree."


@example(1, "The new test timed out.")
def test_rejected(n: int, reason: str) -> str:
    return f"Written test {n} was rejected: {reason}"


NOT_WRITTEN = "The model wrote no test."


@example("The test asserts a rounding that nobody reported.")
def another_failure(reason: str) -> str:
    return f"The new test fails for a different reason than the one described: {reason}"


PASSES = "The new test passes on the untouched tree, so it does not show the problem."
TIMED_OUT = "The new test timed out."
NOTHING_NEW_FAILS = "With the new test, only tests that failed before still fail."


@example("SyntaxError: invalid syntax")
def does_not_run(message: str) -> str:
    return f"The new test does not run: {message}"


@example([2])
@example([1, 3])
def points_left(numbers: Sequence[int]) -> str:
    """The tests leave points of the specification open."""
    if len(numbers) == 1:
        return f"No test shows point {numbers[0]} of the specification, and nothing says why not."
    listed = series([str(number) for number in numbers])
    return f"No test shows points {listed} of the specification, and nothing says why not."


GIVEN = "The test was given with the request."


@example(12)
def of_repair(pull_request: int) -> str:
    return f"The test was written for #{pull_request}."


OF_RUN = "The test was written before the budget was extended."


@example("tests/test_total.py")
def can_not_be_added(path: str) -> str:
    return f"The given test can't be added: {code(path)} already exists or can't be a file. Choose another name."


@example("python -m pytest tests/test_total.py")
def given_test_passes(command: str) -> str:
    return f"The given test passes on the original commit, so there is nothing to fix: {code(command)}."
