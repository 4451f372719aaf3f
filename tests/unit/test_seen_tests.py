"""What is remembered of tests, from how they ended on commits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.model.seen_tests import HERE, SeenResult, remembered

DAY = datetime(2026, 11, 1, tzinfo=UTC)


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
