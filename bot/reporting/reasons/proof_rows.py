"""What the rows of a proof card say."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.markdown import code
from bot.reporting.series import series

_NAMED = 5
"""Tests that a sentence names."""

_TESTS = ["tests.test_app.test_a", "tests.test_app.test_b"]

ONLY_TESTS = "The change has tests and no code, so there is nothing that they could prove."
ONLY_DOCUMENTS = "The change is to documents alone, so there is nothing that tests could prove."
NO_TEST_SHOWS_IT = "No test shows the change: none fails without it and passes with it."
SET_UP_TWICE = (
    "The change touches files that the setup reads, so both sides were set up separately."
)
NO_STEPS = "The description has no code block that can be run as it is."
STEPS_NOT_RUN = "The code block of the description can't be run here."
STEPS_SAME = "The code block of the description does the same with and without the change."
STEPS_DIFFER = "The code block of the description behaves differently with the change."


@example("`pip install -e .` failed (exit code 1).")
def base_not_set_up(why: str) -> str:
    return f"The base can't be set up, so it runs in the environment of the head. {why}"


@example("error: app.py: patch does not apply")
def does_not_fit(why: str) -> str:
    return f"The change does not fit the files that the setup leaves: {why}"


@example(1, 0, 0, 0)
@example(3, 2, 1, 0)
@example(0, 0, 0, 2)
@example(1, 0, 0, 1)
def tests_prove(proving: int, indifferent: int, lacking: int, problems: int) -> str:
    """Return what the tests prove, and which problems that tools reported are gone."""
    fails = "fails" if proving == 1 else "fail"
    passes = "passes" if proving == 1 else "pass"
    said = f"{count(proving, 'test')} {fails} without the change and {passes} with it."
    if problems:
        are = "is" if problems == 1 else "are"
        gone = f"{count(problems, 'problem')} that a tool reports without the change {are} gone"
        said = (
            f"{said} {gone}." if proving else f"{gone}: that tool is silent, and no test shows it."
        )
    if lacking:
        said += f" {_lack(lacking)}"
    if indifferent:
        other = "test of the change passes" if indifferent == 1 else "tests of the change pass"
        said += f" {indifferent} {other} without it too."
    return said


@example("python -m pytest", 4, "error: unrecognized arguments: --cov=app")
@example("make check", 2, "")
def nothing_ran(command: str, exit_code: int, printed: str) -> str:
    said = f"{code(command)} runs no test on either side (exit code {exit_code})"
    return f"{said}: {code(printed, 200)}" if printed else f"{said}."


@example(1)
@example(3)
def unsteady(tests: int) -> str:
    verb, proves = ("fails", "proves") if tests == 1 else ("fail", "prove")
    return f"{count(tests, 'other test')} {verb} without the change only sometimes, so {proves} nothing."


def _lack(lacking: int) -> str:
    verb = "fails" if lacking == 1 else "fail"
    return (
        f"{count(lacking, 'test')} {verb} without it only because a name is missing that it adds."
    )


@example("make check")
def check_silent(command: str) -> str:
    return (
        f"{code(command)} names nothing that fails; it fails without the change and passes with it."
    )


@example(1)
@example(3)
def mended_by_tests(tests: int) -> str:
    passes = "passes" if tests == 1 else "pass"
    return (
        f"{count(tests, 'failing test')} {passes} once tests are changed, whatever the code does."
    )


@example("tests.test_app.test_a", "AssertionError: 1 != 2")
def test_mended_by_tests(test: str, message: str) -> str:
    return f"{code(test)} passes with the changed tests alone; before it failed{_why(message)}"


@example(2)
def tests_lack_names(lacking: int) -> str:
    return f"{_lack(lacking)} That shows that the name is there, and not that anything was wrong."


@example(2, ())
@example(0, ("tests/test_app.py",))
@example(0, ())
def tests_indifferent(indifferent: int, silent: Sequence[str]) -> str:
    if indifferent:
        subject = "The test" if indifferent == 1 else f"All {indifferent} tests"
        verb = "passes" if indifferent == 1 else "pass"
        return f"No test shows the change. {subject} of the change {verb} without it too."
    if silent:
        files = series([code(path) for path in silent], most=_NAMED)
        return f"No test shows the change. The tests in {files} gave no result."
    return NO_TEST_SHOWS_IT


@example(1)
@example(2)
def tests_fail(failing: int) -> str:
    verb = "fails" if failing == 1 else "fail"
    return f"{count(failing, 'test')} of the change {verb} with it."


@example("tests.test_app.test_a", "AssertionError: 1 != 2")
@example("tests.test_app.test_a", "")
def test_proves(test: str, message: str) -> str:
    return f"{code(test)} passes; without the change it fails{_why(message)}"


@example("app.py:3: F401", "`os` imported but unused")
def problem_gone(problem: str, message: str) -> str:
    return f"{code(problem)} is gone; without the change it is reported{_why(message)}"


@example("tests.test_app.test_a", "ImportError: cannot import name 'total'")
def test_lacks(test: str, message: str) -> str:
    return f"{code(test)} can't run without the change{_why(message)}"


@example("tests.test_app.test_a")
def test_indifferent(test: str) -> str:
    return f"{code(test)} passes without the change too."


@example("tests/test_app.py")
def no_result(path: str) -> str:
    return f"The changed tests in {code(path)} gave no result: the command does not run them."


@example("tests.test_app.test_a", "AssertionError: 1 != 2")
def test_fails_with_change(test: str, message: str) -> str:
    return f"{code(test)} fails with the change{_why(message)}"


def _why(message: str) -> str:
    return f": {code(message)}" if message else "."


@example("make check")
def command_proves(command: str) -> str:
    return f"{code(command)} fails without the patch and passes with it."


@example(1, 3)
@example(4, 1)
@example(0, 3)
@example(0, 1, problems=2)
@example(1, 3, problems=1)
def mended(tests: int, runs: int, *, problems: int = 0) -> str:
    times = f"in {'a clean sandbox' if runs == 1 else f'{runs} clean sandboxes'}"
    said = []
    if tests:
        passes = "passes" if tests == 1 else "pass"
        said.append(f"{count(tests, 'test')} that failed before {passes}")
    if problems:
        are = "is" if problems == 1 else "are"
        said.append(f"{count(problems, 'problem')} that tools reported before {are} gone")
    return f"{' and '.join(said) or 'The failing command passes'} with the patch, {times}."


@example(2)
@example(0, problems=1)
@example(0)
def still_fail(tests: int, *, problems: int = 0) -> str:
    said = [f"{count(tests, 'test')} still {'fails' if tests == 1 else 'fail'}"] if tests else []
    if problems:
        said.append(f"{count(problems, 'problem')} {'stays' if problems == 1 else 'stay'}")
    return f"{' and '.join(said) or 'The failing command still fails'} with the patch."


WHOLE_SUITE_PASSES = "The failing command is the whole suite, and passes."
NO_TEST_RUN = "No test was run, so nothing shows what else the patch changes."
NOT_COMPARED = "The other tests were not run."


@example("app.py", 3, "has `<` instead of `<=`")
def survives(file: str, line: int, says: str) -> str:
    return f"No test notices when {code(f'{file}:{line}')} {says}."


@example(1)
@example(3)
def findings(number: int) -> str:
    return f"{count(number, 'point')} to look at."


@example(3, 3)
def repeated(passed: int, runs: int) -> str:
    return f"The failing command passed in {passed} of {count(runs, 'run')} with the patch."


@example(1)
def results_doubted(findings: int) -> str:
    del findings
    return "The results of the tests are not genuine: see the evidence."


@example(1)
@example(3)
def broken(tests: int) -> str:
    verb = "fails" if tests == 1 else "fail"
    return f"{count(tests, 'test')} {verb} with the change and not without it; seen twice."


@example(2, 30)
def tests_gone(gone: int, before: int) -> str:
    verb = "has" if gone == 1 else "have"
    return f"{gone} of {count(before, 'test')} that passed before {verb} no result any more."


@example(30, 30, ("pytest -q",))
@example(29, 30, ("pytest -q tests/test_app.py", "pytest"))
@example(0, 0, ("make check",))
def nothing_broke(still: int, before: int, ran: Sequence[str]) -> str:
    commands = series([code(command) for command in ran], most=_NAMED)
    if not before:
        return f"{commands} passes with the change; it names no tests."
    if still == before:
        every = "The test" if before == 1 else f"All {before} tests"
        return (
            f"{every} that passed before still {'passes' if before == 1 else 'pass'} ({commands})."
        )
    return f"{still} of {count(before, 'test')} that passed before still pass ({commands})."


@example("pytest -q", 120.0)
def suite_too_slow(command: str, seconds: float) -> str:
    return f"The suite ({code(command)}) did not end within {duration(seconds)}, so nothing is known of the other tests."


@example("tests.test_app.test_a", "AssertionError: 1 != 2")
def test_broken(test: str, message: str) -> str:
    return f"{code(test)} passes without the change and fails with it{_why(message)}"


@example("tests.test_app.test_a")
def test_skipped(test: str) -> str:
    return f"{code(test)} passed before and is skipped now."


@example("tests.test_app.test_a")
def test_gone(test: str) -> str:
    return f"{code(test)} passed before and has no result any more."


@example(_TESTS)
def fail_on_both(tests: Sequence[str]) -> str:
    verb = "fails" if len(tests) == 1 else "fail"
    return (
        f"{series([code(test) for test in tests], most=_NAMED)} {verb} with and without the change."
    )


@example("Traceback ...")
def steps_same(output: str) -> str:
    return f"The description's code block prints the same on both sides: {code(output)}"


@example("IndexError: list index out of range", "[]")
def steps_differ(before: str, after: str) -> str:
    return f"The description's code block: {code(before)} → {code(after)}"
