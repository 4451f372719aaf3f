"""What is said of a patch that takes back what a commit changed."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.culprit import ChangeEvent, EventKind, RunCounts
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series

_SHORT = 12
_NAMED = 3
_EVENT = ChangeEvent(
    EventKind.COMMIT,
    "4f2a91c07d3e5b6a8f90112233445566778899aa",
    "0" * 40,
    "4f2a91c07d3e5b6a8f90112233445566778899aa",
    "parser: accept empty values",
    "Ada",
    "2024-03-31T10:00:00+00:00",
)

ONLY_TAKES_BACK = "It passes, but it only takes back what broke the tests. A repair keeps what that change was for."


@example(_EVENT, RunCounts(failed=2), RunCounts(passed=3), is_whole=False)
@example(_EVENT, RunCounts(failed=2), RunCounts(passed=3), is_whole=True)
def taken_back(event: ChangeEvent, having: RunCounts, without: RunCounts, *, is_whole: bool) -> str:
    """Say whose change is taken back, and why that one."""
    what = "what" if is_whole else "part of what"
    return (
        f"It takes back {what} commit {named(event)} changed. The tests failed in {having.failed} of "
        f"{count(having.failed + having.passed, 'run')} with that commit and passed in {without.passed} "
        f"of {count(without.failed + without.passed, 'run')} without it."
    )


@example(_EVENT)
def named(event: ChangeEvent) -> str:
    """Return a commit with its subject, its author and its day."""
    by = f" by {code(event.author)}" if event.author else ""
    return f"{event.name[:_SHORT]} ({code(event.title)}{by}, {event.date[:10]})"


@example(["shop/cart.py", "shop/tax.py"], 14, is_whole=False)
@example(["shop/cart.py"], 1, is_whole=True)
def lost(files: Sequence[str], lines: int, *, is_whole: bool) -> str:
    """Say what is lost with it."""
    where = series([code(file) for file in files], most=_NAMED)
    rest = (
        "Its tests and its documentation stay"
        if is_whole
        else "Everything else of the commit stays"
    )
    return f"Lost with it: {count(lines, 'line')} of {where}. {rest}, and so do later changes."


@example(["Ada"])
@example([])
def for_its_author(authors: Sequence[str]) -> str:
    """Say who decides."""
    who = series([code(author) for author in authors]) if authors else "its author"
    return (
        f"Somebody wanted that change, so this is only suggested. Whether to take it back or to mend "
        f"it is for {who} to decide."
    )


@example(3, 1)
@example(1, 4)
def trying(n: int, parts: int) -> str:
    return f"Try {n}: taking back {count(parts, 'part')} of what broke the tests"


@example(_EVENT)
def entangled(event: ChangeEvent) -> str:
    """No part of the commit can be taken back: later changes build on it, or other tests fail as well."""
    return (
        f"Commit {named(event)} broke tests, but no way was found to take it back with which all "
        "failing tests pass."
    )


@example(["tests/test_cart.py::test_empty", "tests/test_cart.py::test_tax"])
def own_tests_fail(tests: Sequence[str]) -> str:
    """Tests that came with the commit fail without it."""
    named_tests = series([code(test) for test in tests], most=_NAMED)
    verb = "fails" if len(tests) == 1 else "fail"
    return (
        f"Tests that the commit added or changed: {named_tests} {verb} without what is taken back."
    )


@example(120, most=20)
def takes_back_much(lines: int, *, most: int) -> str:
    """It is more than may be taken back without approval."""
    return f"It takes back {count(lines, 'line')} of somebody's commit (allowed without approval: {most:,})."
