"""What a patch broke, by the whole suite with it and without it."""

from __future__ import annotations

import pytest

from bot.model import Failure, Observation, OtherFailure, OtherKind, TestCounts
from bot.repair.verification.comparison import new_failures, passing_now, seen_again, uncompared
from bot.reporting.reasons import verification as reasons

SUITE = "make check"


def suite(*failing: Failure | str, passed: int | None = 3, exit_code: int = 1) -> Observation:
    """Return a run of the suite; by default it is red."""
    failures = tuple(Failure(item) if isinstance(item, str) else item for item in failing)
    counts = None if passed is None else TestCounts(passed, len(failures), 0)
    return Observation(SUITE, exit_code, failures, counts=counts, seconds=600.4)


def lint(line: int, code: str = "E501") -> Failure:
    """Return what a linter says of one line."""
    return Failure(f"a.py:{line}: {code}", "a.py", line)


def names(failures: tuple[Failure, ...]) -> list[str]:
    return [failure.test for failure in failures]


def test_only_what_did_not_fail_before_is_new() -> None:
    """Failures of the untouched commit are not the patch's fault."""
    assert names(new_failures(suite("t::a", "t::b"), suite("t::b", "t::c"))) == ["t::c"]


def test_a_suite_that_passes_has_no_new_failure() -> None:
    """Whatever its output looks like."""
    assert new_failures(suite(passed=5, exit_code=0), suite("t::a", exit_code=0)) == ()


def test_what_is_mended_must_not_fail_in_the_whole_suite() -> None:
    """It passes alone with the patch; that is not enough."""
    before, after = suite("t::a", "t::b"), suite("t::a", "t::b")
    assert names(new_failures(before, after, frozenset({"t::a"}))) == ["t::a"]


def test_an_exit_status_counts_where_nothing_is_named() -> None:
    """A suite that passed and fails now is broken, also when it says nothing."""
    (failure,) = new_failures(suite(exit_code=0), suite(exit_code=3))
    assert (failure.test, failure.message) == (SUITE, "exited with 3")


def test_findings_of_a_linter_may_move() -> None:
    """A patch that adds a line above an old finding is not to blame for it."""
    assert new_failures(suite(lint(3), lint(9)), suite(lint(4), lint(10))) == ()


def test_one_more_finding_of_the_same_kind_is_new() -> None:
    """Findings of a file are counted by their code."""
    assert names(new_failures(suite(lint(3)), suite(lint(4), lint(10)))) == ["a.py:10: E501"]
    assert names(new_failures(suite(lint(3)), suite(lint(3, "F401")))) == ["a.py:3: F401"]


def test_what_fails_now_and_then_is_not_new() -> None:
    """A new failure fails in both runs with the patch."""
    first, second = suite("t::a", "t::b").failing, suite("t::b", "t::c").failing
    assert names(seen_again(first, second)) == ["t::b"]


@pytest.mark.parametrize("before", [suite("t::a"), suite(lint(3), passed=None), suite(exit_code=0)])
def test_a_suite_that_tells_can_be_compared(before: Observation) -> None:
    """It passes, or it names what fails while something works."""
    assert uncompared(before) == ""


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (suite(SUITE, passed=None, exit_code=4), reasons.suite_names_no_test(SUITE, 4)),
        (suite("t.a", passed=0, exit_code=2), reasons.suite_passes_nothing(SUITE)),
        (
            Observation(SUITE, 124, timed_out=True, seconds=600.4),
            reasons.suite_too_slow(SUITE, 600.4),
        ),
    ],
)
def test_a_suite_that_tells_nothing_is_called_so(before: Observation, why: str) -> None:
    """Usage errors, broken imports and hangs prove nothing about a patch."""
    assert uncompared(before) == why


def test_what_was_set_aside_may_pass_now() -> None:
    """It is named to pass, or all of the tests pass in a run that it failed in before."""
    others = [OtherFailure(f"t::{name}", OtherKind.UNRELATED, "") for name in "abc"]
    before = suite("t::a", "t::b")
    named = Observation(SUITE, 1, (Failure("t::b"),), passed=frozenset({"t::a", "t::b"}))
    assert passing_now(others, before, named) == ("t::a",)
    assert passing_now(others, before, suite(exit_code=0)) == ("t::a", "t::b")
    assert passing_now(others, before, suite("t::a", "t::b")) == ()
