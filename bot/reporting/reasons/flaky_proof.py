"""What was shown of a flaky test's repair, and what speaks against one."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.culprit import RunCounts
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.flaky import rate
from bot.reporting.series import series


@example(RunCounts(20, 0), RunCounts(0, 20))
def steady(before: RunCounts, after: RunCounts) -> str:
    """Return how often a flaky test's command failed without a repair, and with it."""
    return (
        f"Without the patch, the command {rate(before.failed, before.failed + before.passed)}; "
        f"with it, it {rate(after.failed, after.failed + after.passed)}."
    )


ORDERS_NOT_COMPARED = (
    "The suite's own order and its reverse could not be compared with and without the patch."
)


@example(12)
def orders_alike(tests: int) -> str:
    """Return what both orders of a suite show."""
    return (
        f"No test fails in the suite's own order or its reverse that passed in it without the patch: "
        f"{count(tests, 'test')} compared."
    )


@example("tests/test_app.py::test_index", 7)
def notices_as_much(test: str, faults: int) -> str:
    """Return which faults a test still notices."""
    return f"`{test}` notices {count(faults, 'fault')} that were put into the program, as it did without the patch."


@example("tests/test_app.py::test_index")
def no_fault_noticed(test: str) -> str:
    return (
        f"No fault that was put into the program made `{test}` fail before, so whether it notices "
        "as much with the patch is not known."
    )


@example(4, 5)
def fails_still(passed: int, runs: int) -> str:
    return f"The flaky test's command passed with the patch in {passed} of {count(runs, 'run')}."


@example(["tests/test_app.py::test_index"])
def fails_in_order(tests: Sequence[str]) -> str:
    named = series([f"`{test}`" for test in tests], most=3)
    return f"With the patch, the suite in its own order or reversed fails where it passed: {named}."


@example("tests/test_app.py::test_index", 1, 7)
def notices_less(test: str, lost: int, faults: int) -> str:
    return (
        f"With the patch, `{test}` no longer notices {lost} of {count(faults, 'fault')} in the "
        "program that it noticed."
    )


@example("python -m pytest tests/test_app.py::test_index tests/test_app.py::test_index")
def other_cause_left(command: str) -> str:
    return f"Another cause of the same test is left: with the patch, `{command}` fails."
