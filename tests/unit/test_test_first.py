"""When a written test is believed to show the problem."""

from __future__ import annotations

from bot.model import Commands, Failure, Observation, Patch
from bot.repair.test_proof import narrowed, objection, test_files
from bot.reporting.reasons import written_test


def red(*failures: Failure) -> Observation:
    return Observation("pytest", 1, failing=failures)


def test_a_passing_test_proves_nothing() -> None:
    """It must fail on the untouched tree."""
    assert objection(Observation("pytest", 0), frozenset()) == written_test.passes()


def test_a_failing_test_is_accepted() -> None:
    """An assertion that fails is what was asked for."""
    assert objection(red(Failure("t::new", message="assert 3 == 4")), frozenset()) is None


def test_old_failures_are_no_proof() -> None:
    """What failed before says nothing of the new test."""
    assert (
        objection(red(Failure("t::old")), frozenset({"t::old"})) == written_test.nothing_new_fails()
    )


def test_a_broken_test_is_no_proof() -> None:
    """A test that does not even run fails for its own reason."""
    failure = Failure("t::new", message="SyntaxError: invalid syntax")
    assert objection(red(failure), frozenset()) == written_test.does_not_run(
        "SyntaxError: invalid syntax"
    )


def test_a_test_that_hangs_is_no_proof() -> None:
    """A time-out can't be told from a slow machine."""
    seen = Observation("pytest", 124, timed_out=True)
    assert objection(seen, frozenset()) == written_test.timed_out()


def test_pytest_runs_only_the_new_test() -> None:
    """The failing command of the attempts is the new test's file."""
    commands = Commands((), "python -m pytest -q", "python -m pytest -q")
    files = ("tests/conftest.py", "tests/test_a b.py", "tests/data.json")
    assert narrowed(commands, files).failing == "python -m pytest 'tests/test_a b.py'"


def test_other_runners_run_everything() -> None:
    """What can't be narrowed safely is not narrowed."""
    commands = Commands((), "make check", "make lint")
    assert narrowed(commands, ("spec/a_test.rb",)).failing == "make check"


def test_only_tests_are_kept_of_what_the_author_wrote() -> None:
    """A test-first patch that also touches the source is cut down to its tests."""
    patch = Patch(b"x", ("src/a.py", "tests/test_a.py", "src/a_test.go"))
    assert test_files(patch) == ("tests/test_a.py", "src/a_test.go")
