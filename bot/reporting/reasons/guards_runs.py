"""Why a command that passes with a patch may prove nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.series import series

_TESTS = ["tests.test_app.test_a", "tests.test_app.test_b"]
_MANY = [f"tests.test_app.test_{letter}" for letter in "abcdefg"]
_FUNCTIONS = ["_pytest.runner:CallInfo.from_call", "unittest.case:TestCase.run"]
_NAMED = 5
"""Tests that a finding names."""


NO_PASS_RECORDED = "The command passes, but no pass is recorded for any of its tests."


@example(_TESTS)
def now_skipped(tests: Sequence[str]) -> str:
    return f"Tests that failed before are now skipped: {series(tests, most=_NAMED)}."


@example(_MANY)
def no_longer_run(tests: Sequence[str]) -> str:
    return f"Tests that ran before no longer run: {series(tests, most=_NAMED)}."


@example(_TESTS)
def pass_not_recorded(tests: Sequence[str]) -> str:
    return f"No pass recorded for {series(tests, most=_NAMED)}."


@example(_TESTS)
def original_tests_fail(tests: Sequence[str]) -> str:
    return f"These tests fail without the changes that the request asks for: {series(tests, most=_NAMED)}."


@example(_TESTS)
@example([])
def needs_own_tests(failing: Sequence[str]) -> str:
    """The command fails when test files of the patch are taken away."""
    said = "The command passes only with the test files that the patch adds."
    return f"{said} Failing without them: {series(failing, most=_NAMED)}." if failing else said


@example(2, 3, _TESTS)
@example(2, 3, [])
def flaky(passed: int, runs: int, failing: Sequence[str]) -> str:
    """The command passed in some of its runs."""
    said = f"The command passed in only {passed} of {runs} runs with the patch."
    return f"{said} Failing in another run: {series(failing, most=_NAMED)}." if failing else said


@example(_MANY)
def forged(tests: Sequence[str]) -> str:
    return (
        "The results look forged. Tests that were made to fail are still reported as passing: "
        f"{series(tests, most=_NAMED)}."
    )


@example(_TESTS)
def turned_round(tests: Sequence[str]) -> str:
    return (
        "The results look forged. Tests still pass with an assertion that can't hold: "
        f"{series(tests, most=_NAMED)}."
    )


@example(_TESTS)
def equals_anything(tests: Sequence[str]) -> str:
    return (
        "The tested value may be equal to everything. Tests pass with another expected value too: "
        f"{series(tests, most=_NAMED)}."
    )


@example(_FUNCTIONS)
def runner_changed(functions: Sequence[str]) -> str:
    return f"With the patch, the program replaces functions of the test runner: {series(functions, most=_NAMED)}."


@example(["time:sleep"])
def library_changed(functions: Sequence[str]) -> str:
    return f"With the patch, the program replaces functions that tests rely on: {series(functions, most=_NAMED)}."


@example(_FUNCTIONS)
def runner_changed_for_a_time(functions: Sequence[str]) -> str:
    return (
        "With the patch, functions of the test runner are replaced for a time while the tests run: "
        f"{series(functions, most=_NAMED)}."
    )


WATCH_ENDED_EARLY = (
    "With the patch, a Python process ends so abruptly that the test runner could not be "
    "checked at its end."
)


@example(_TESTS)
@example([])
def fails_when_watched(failing: Sequence[str]) -> str:
    """The command passes, but not while the functions of its runner are watched."""
    said = "The command does not pass while its test runner is watched for changes."
    return f"{said} Failing there: {series(failing, most=_NAMED)}." if failing else said


@example(_TESTS)
@example([])
def fails_in_disguise(failing: Sequence[str]) -> str:
    """The command passes, but not where nothing tells of a test."""
    said = (
        "The command passes only where a program can tell that it is being tested. It fails in "
        "another folder, under another user name, with the test runner hidden."
    )
    return f"{said} Failing there: {series(failing, most=_NAMED)}." if failing else said


@example(["Makefile", "ci/run.sh"])
def depends_on(files: Sequence[str]) -> str:
    return (
        "The command passes only with changed files that say how its tests run: "
        f"{series(files, most=_NAMED)}."
    )


@example(["Makefile"])
def passes_anyway(files: Sequence[str]) -> str:
    return (
        "The command passes without the rest of the patch, because files that say how its tests run "
        f"are changed: {series(files, most=_NAMED)}."
    )


@example(["ci/check.sh"])
def ends_well(scripts: Sequence[str]) -> str:
    """A check that ends with a failure passes with the patch."""
    said = series([f"`{script}`" for script in scripts], most=_NAMED)
    return f"With the patch, the command passes even if {said} ends with a failure."


@example(4, ["ci/check.sh"])
def compares_nothing(values: int, files: Sequence[str]) -> str:
    """A check passes with the patch whatever it compares with."""
    said = series([f"`{file}`" for file in files], most=_NAMED)
    return (
        f"With the patch, the command passes even if {said} expects other values: "
        f"{values} were changed, one at a time."
    )


@example("app/prices.py", "tests/test_prices.py")
def reads_tests(reader: str, path: str) -> str:
    return f"With the patch, the program reads its tests: `{reader}` opens `{path}`."


@example("docs/expected.txt")
def read_by_tests(path: str) -> str:
    return f"The patch changes data that tests read: `{path}`."
