"""What is remembered of tests, from how they ended on commits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.model import Cause, Observation, Reproduction
from bot.model.quarantine import MarkKind, Quarantine, QuarantineState
from bot.model.request import FixRequest
from bot.model.seen_tests import HERE, SeenResult, remembered
from bot.runs.result_history import seen_in
from tests.unit.reports import FIXED

DAY = datetime(2026, 11, 1, tzinfo=UTC)
REQUEST = FixRequest("acme/app", 1, 7, True, "ada", 9, DAY)  # noqa: FBT003 - fields in order


def seen(test: str, commit: int, *, failed: bool = True, where: str = "test") -> SeenResult:
    """Return how a test ended on the n-th commit, which is that of pull request n."""
    at = DAY + timedelta(days=commit)
    return SeenResult(test, f"{commit:040}", "work", commit, where, failed, "No.", at)


def test_what_failed_on_most_commits_comes_first() -> None:
    """A commit counts once, and as failed if it failed in one place of several."""
    rare = [seen("rare", 3), *(seen("rare", n, failed=False) for n in (1, 2, 4))]
    often = [seen("often", n) for n in (1, 2)]
    often += [seen("often", 2, failed=False, where=HERE), seen("often", 2, where="other")]
    first, second = remembered([*rare, *often, seen("sound", 1, failed=False)])
    assert (first.test, first.commits, first.failed) == ("often", (True, True), 2)
    assert (first.pulls, first.checks) == ((1, 2), ("test", "other"))
    assert (second.test, second.commits) == ("rare", (False, False, True, False))
    assert second.first_failed == second.last_failed == DAY + timedelta(days=3)


def test_an_expected_failure_of_a_test_in_quarantine_is_a_failure() -> None:
    """Its mark keeps it from failing a check, and not from being counted; other skips count as nothing."""
    kept = Quarantine(
        "ab12", "tests/test_a.py::test_x", "tests/test_a.py", MarkKind.XFAIL, None, DAY,
        QuarantineState.OPEN, DAY,
    )  # fmt: skip
    ids = frozenset({"tests.test_a::test_x", "tests.test_a::test_y"})
    for tolerated, failed in ((ids, True), (frozenset[str](), False)):
        ran = Observation("pytest", 0, skipped=ids, tolerated=tolerated)
        report = replace(FIXED, reproduction=Reproduction(Cause.REAL, ran))
        [result] = seen_in(REQUEST, report, (), DAY, [kept])
        assert (result.test, result.failed) == ("tests.test_a::test_x", failed)
        assert not list(seen_in(REQUEST, report, (), DAY))
