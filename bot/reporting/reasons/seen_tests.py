"""What is said of a test that failed before: never more than was seen."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.model.seen_tests import RememberedTest
from bot.reporting.example import example
from bot.reporting.figures import count

TOLERATED = "It is in quarantine: its failure was expected."

_DAY = datetime(2026, 11, 20, tzinfo=UTC)


@example(
    RememberedTest(
        "tests/test_app.py::test_index",
        (True, False, True),
        (7, 9),
        ("a", "b"),
        ("test",),
        _DAY,
        _DAY,
        "",
    ),
    9,
)
@example(
    RememberedTest("tests/test_app.py::test_index", (True,), (), ("main",), ("",), _DAY, _DAY, ""),
    None,
)
def failed_before(test: RememberedTest, pull: int | None) -> str:
    """Return on how many other commits a test failed.

    Args:
        test: What is remembered of it, this commit left out.
        pull: Number of the pull request that it fails on now; None for none.
    """
    others = [number for number in test.pulls if number != pull]
    where = f", in {count(len(others), 'other pull request')}" if others else ""
    return (
        f"{test.test} also failed on {test.failed} of the {count(len(test.commits), 'other commit')} on "
        f"which Fixpoint saw how it ends{where}; last on {test.last_failed:%Y-%m-%d}."
    )
