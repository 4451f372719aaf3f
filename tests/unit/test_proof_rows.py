"""Rows *tests* and *suite* of a proof card: what runs on both sides come to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.code.change import FileDiff
from bot.model import Failure, Observation, Problem
from bot.model.proof_card import FactKind, RowState
from bot.proof.reproducing import compared_steps, snippet_of
from bot.proof.suite_row import SuiteRuns, row_of_suite
from bot.proof.tests_row import TestRuns, row_of_tests, shown_by, was_seen_once

FILE = "100644"
OLD = b"def total(prices):\n    return sum(prices[1:])\n"
NEW = b"def total(prices):\n    return sum(prices)\n\n\ndef mean(prices):\n    return total(prices) / len(prices)\n"
TEST_BEFORE = b"from app import total\n\n\ndef test_old():\n    assert total([]) == 0\n"
TEST_AFTER = TEST_BEFORE + (
    b"\n\ndef test_all():\n    assert total([1, 2]) == 3\n\n\ndef test_mean():\n    assert mean([1]) == 1\n"
)
CODE = FileDiff("app.py", OLD, NEW, FILE, FILE)
TESTS = FileDiff("tests/test_app.py", TEST_BEFORE, TEST_AFTER, FILE, FILE)
CHANGES = (CODE, TESTS)


def seen(*passed: str, **failing: str) -> Observation:
    """Return a run: names of tests that passed, and those that failed with their messages."""
    failures = tuple(
        Failure(f"tests.test_app::{name}", message=why) for name, why in failing.items()
    )
    return Observation(
        "pytest",
        int(bool(failures)),
        failing=failures,
        passed=frozenset(f"tests.test_app::{name}" for name in passed),
    )


BEFORE = seen("test_old")
AFTER = seen("test_old", "test_all", "test_mean")


def test_a_test_that_fails_for_what_it_asserts_proves_the_change() -> None:
    """It is named with its message; one that lacks a name of the change is told apart."""
    laid = seen(
        "test_old", test_all="assert 2 == 3", test_mean="NameError: name 'mean' is not defined"
    )
    shown = shown_by(TestRuns(BEFORE, laid, AFTER), CHANGES)
    assert [failure.test for failure in shown.proving] == ["tests.test_app::test_all"]
    assert [failure.test for failure in shown.lacking] == ["tests.test_app::test_mean"]
    row = row_of_tests(shown, CHANGES, ran=("pytest",))
    assert row.state is RowState.SHOWN
    assert [fact.kind for fact in row.facts] == [FactKind.PROVEN, FactKind.NOT_COVERED]


def test_a_command_that_runs_no_test_decides_nothing() -> None:
    """It is said how it ends; a test that it ran on one side is another matter."""
    broken = Observation("pytest", 4, output="usage: pytest\npytest: error: no --cov\n\n")
    row = row_of_tests(shown_by(TestRuns(broken, None, broken), CHANGES), CHANGES, ran=("pytest",))
    assert (row.state, row.facts) == (RowState.UNDECIDED, ())
    assert row.summary.endswith("(exit code 4): `pytest: error: no --cov`")
    assert shown_by(TestRuns(BEFORE, None, broken), CHANGES).unrun is None


def test_what_a_tool_no_longer_reports_is_no_test() -> None:
    """All that is shown is that the tool is silent."""
    red = replace(seen(), exit_code=1, failing=(Failure("app.py:3: F401", message="unused"),))
    shown = shown_by(TestRuns(red, None, seen()), (CODE,))
    row = row_of_tests(shown, (CODE,), ran=("ruff",))
    assert (row.state, "no test shows it" in row.summary) == (RowState.SHOWN, True)
    assert "is gone" in row.facts[0].text


@pytest.mark.parametrize(
    "message",
    [
        "AttributeError: module 'app' has no attribute 'mean'",
        "ImportError: cannot import name 'mean' from 'app'",
        "TypeError: mean is not a function",
        "./app_test.go:9:2: undefined: mean",
        "error[E0425]: cannot find function `mean` in this scope",
        "NoMethodError: undefined method `mean' for main",
    ],
)
def test_a_missing_name_is_no_proof_of_a_bug(message: str) -> None:
    """Whatever the language says of it; the row is not shown, and nothing is held against it."""
    laid = seen("test_old", test_mean=message)
    shown = shown_by(TestRuns(BEFORE, laid, seen("test_old", "test_mean")), CHANGES)
    row = row_of_tests(shown, CHANGES, ran=())
    assert (row.state, len(shown.lacking), shown.proving) == (RowState.NOT_SHOWN, 1, ())


def test_an_attribute_error_of_the_old_code_is_a_bug() -> None:
    """Its name is none that the change brings."""
    laid = seen(test_all="AttributeError: 'NoneType' object has no attribute 'strip'")
    shown = shown_by(TestRuns(BEFORE, laid, AFTER), CHANGES)
    assert [failure.test for failure in shown.proving] == ["tests.test_app::test_all"]


def test_tests_that_pass_without_the_change_show_nothing() -> None:
    """New and changed ones alone are counted, not their neighbours."""
    shown = shown_by(TestRuns(BEFORE, AFTER, AFTER), CHANGES)
    assert shown.indifferent == ("tests.test_app::test_all", "tests.test_app::test_mean")
    row = row_of_tests(shown, CHANGES, ran=())
    assert row.state is RowState.NOT_SHOWN
    assert "All 2 tests of the change pass without it too." in row.summary


def test_what_fails_at_one_time_and_not_at_another_proves_nothing() -> None:
    """A test that the change leaves alone has to fail twice without it; one of the change is another one."""
    before = seen(test_old="took 3 s", test_slow="took 3 s")
    laid = seen(test_all="assert 2 == 3")
    runs = TestRuns(before, laid, seen("test_old", "test_all", "test_slow"))
    shown = shown_by(runs, CHANGES)
    assert {failure.test[-8:] for failure in shown.proving} == {"test_all", "test_old", "est_slow"}
    assert was_seen_once(runs, shown, CHANGES)
    again = replace(runs, again=seen("test_old", test_slow="took 4 s"))
    shown = shown_by(again, CHANGES)
    assert {failure.test[-8:] for failure in shown.proving} == {"test_all", "est_slow"}
    assert not was_seen_once(again, shown, CHANGES)
    row = row_of_tests(shown, CHANGES, ran=())
    assert row.summary.endswith(
        "1 other test fails without the change only sometimes, so proves nothing."
    )
    silent = Observation("make check", 1)
    check = TestRuns(silent, None, replace(silent, exit_code=0))
    assert was_seen_once(check, shown_by(check, (CODE,)), (CODE,))
    check = replace(check, again=replace(silent, exit_code=0))
    assert shown_by(check, (CODE,)).silenced == ""


def test_a_change_without_tests() -> None:
    """A red test of the base that it turns green proves it; nothing does else."""
    red = seen(test_old="assert 1 == 0")
    shown = shown_by(TestRuns(red, None, BEFORE), (CODE,))
    assert row_of_tests(shown, (CODE,), ran=()).state is RowState.SHOWN
    shown = shown_by(TestRuns(BEFORE, None, BEFORE), (CODE,))
    assert row_of_tests(shown, (CODE,), ran=()).state is RowState.NOT_SHOWN
    shown = shown_by(TestRuns(red, None, BEFORE), (TESTS,))
    row = row_of_tests(shown, (TESTS,), ran=())
    assert (row.state, row.facts[0].kind) == (RowState.NOT_SHOWN, FactKind.NOT_JUDGED)
    shown = shown_by(TestRuns(red, BEFORE, BEFORE), CHANGES)
    assert row_of_tests(shown, CHANGES, ran=()).state is RowState.NOT_SHOWN
    silent = Observation("make check", 0, passed=BEFORE.passed)
    shown = shown_by(TestRuns(replace(silent, exit_code=1), None, silent), (TESTS,))
    assert row_of_tests(shown, (TESTS,), ran=()).state is RowState.SHOWN
    shown = shown_by(TestRuns(BEFORE, None, AFTER), (TESTS,))
    assert row_of_tests(shown, (TESTS,), ran=()).state is RowState.NOT_ASKED


def test_a_test_of_the_change_that_fails_with_it_speaks_against_it() -> None:
    """One that failed before and is none of its own does not."""
    after = seen("test_old", test_all="assert 2 == 3", test_other="boom")
    before = seen("test_old", test_other="boom")
    shown = shown_by(TestRuns(before, after, after), CHANGES)
    row = row_of_tests(shown, CHANGES, ran=())
    assert row.state is RowState.REFUTED
    assert [fact.subject for fact in row.facts if fact.kind is FactKind.REFUTED] == [
        "tests.test_app::test_all"
    ]


def test_changed_tests_that_the_command_does_not_run_are_named() -> None:
    """A command that runs other files says nothing of them."""
    other = Observation("pytest other", 0, passed=frozenset({"other.test_b::test_b"}))
    shown = shown_by(TestRuns(other, other, other), CHANGES)
    assert shown.silent == ("tests/test_app.py",)
    assert "gave no result" in row_of_tests(shown, CHANGES, ran=()).summary


@pytest.mark.parametrize("name", ["tests.test_app", "tests/test_app.py"])
def test_a_file_of_tests_that_cannot_be_loaded_was_run(name: str) -> None:
    """It fails, and nothing says besides that the command leaves it out."""
    broken = Observation("pytest", 2, failing=(Failure(name, message="SyntaxError"),))
    assert not shown_by(TestRuns(BEFORE, broken, broken), CHANGES).silent


def test_what_breaks_is_against_the_change() -> None:
    """What failed before is not; what is gone is told, and refutes where no test file changed."""
    after = seen("test_all", test_old="assert 1 == 0")
    broken = SuiteRuns(BEFORE, after, after.failing)
    assert row_of_suite([broken], CHANGES, ()).state is RowState.REFUTED
    assert row_of_suite([SuiteRuns(BEFORE, AFTER)], CHANGES, ()).state is RowState.SHOWN
    gone = SuiteRuns(AFTER, BEFORE)
    assert row_of_suite([gone], (CODE,), ()).state is RowState.REFUTED
    row = row_of_suite([gone], CHANGES, ())
    assert (row.state, len(row.facts)) == (RowState.NOT_SHOWN, 2)


def test_a_case_that_is_named_by_the_time_is_not_lost() -> None:
    """It is told, and as many cases of the test pass; one case less is a loss."""
    before, after = seen("test_day[07:44]", "test_day[x]"), seen("test_day[07:52]", "test_day[x]")
    row = row_of_suite([SuiteRuns(before, after)], (CODE,), ())
    assert (row.state, len(row.facts)) == (RowState.SHOWN, 1)
    fewer = SuiteRuns(before, seen("test_day[x]"))
    assert row_of_suite([fewer], (CODE,), ()).state is RowState.REFUTED


def test_tests_that_are_new_as_a_whole_are_compared_by_what_runs_more() -> None:
    """The command finds none of them at the base, and the suite was compared."""
    none = Observation("pytest tests/test_new.py", 4)
    own = SuiteRuns(none, replace(AFTER, command=none.command))
    assert row_of_suite([own], CHANGES, ()).state is RowState.UNDECIDED
    assert row_of_suite([own, SuiteRuns(BEFORE, AFTER)], CHANGES, ()).state is RowState.SHOWN
    other = SuiteRuns(BEFORE, seen("test_old"))
    assert row_of_suite([own, other], CHANGES, ()).state is RowState.UNDECIDED


def test_a_suite_that_does_not_end_decides_nothing() -> None:
    """What was compared of it is said all the same."""
    slow = Observation("pytest", 124, timed_out=True, seconds=120.0)
    row = row_of_suite([SuiteRuns(BEFORE, AFTER, too_slow=slow)], CHANGES, ())
    assert row.state is RowState.UNDECIDED
    assert "did not end within 2 min 00 s" in row.summary


SESSION = "It fails:\n\n```python\n>>> from app import total\n>>> total([1, 2])\n2\n```\n"
PROGRAM = "```js\nconsole.log(require('./app')(1))\n```"


def test_the_first_program_of_a_description_is_run() -> None:
    """A session as a person types it; shell text is as often what they saw."""
    typed = snippet_of(Problem(body=SESSION))
    assert typed is not None
    assert typed.startswith("python -c ")
    assert "total([1, 2])" in typed
    assert (
        snippet_of(Problem(body=PROGRAM))
        == "node -e " + "'console.log(require('\"'\"'./app'\"'\"')(1))\n'"
    )
    assert snippet_of(Problem(body="```sh\nrm -rf /\n```\n\n```\nTraceback\n```")) is None


def test_steps_are_compared_by_what_they_print() -> None:
    """Addresses are no difference; what can't be run decides nothing."""
    command = "python -c 'x'"
    before, after = (Observation(command, 0, output=f"<a at 0x{n}>") for n in ("12ab", "34cd"))
    assert compared_steps(before, after).state is RowState.NOT_SHOWN
    fixed = Observation(command, 0, output="3")
    row = compared_steps(Observation(command, 0, output="2"), fixed)
    assert row.state is RowState.SHOWN
    assert row.facts[0].text == "The description's code block: `2` → `3`"
    lacks = Observation(command, 1, output="ModuleNotFoundError: No module named 'pandas'")
    assert compared_steps(lacks, lacks).state is RowState.UNDECIDED
