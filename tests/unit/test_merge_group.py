"""What each pull request of a merge group is told: no more than was measured."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.model import Problem, Report, Verdict
from bot.model.culprit import RunCounts
from bot.model.merge_group import EntryCause, GroupFinding, MergeGroup, QueueEntry
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.reporting.merge_group import AGAIN, NOT_LOOKED_INTO, entry_check, opening

GROUP = MergeGroup(
    "main",
    tuple(QueueEntry(7 + n, f"{n}" * 40, f"{n + 1}" * 40, f"{n + 5}" * 40) for n in range(3)),
)
REQUEST = FixRequest(
    repository="acme/app",
    installation_id=1,
    number=None,
    is_pull_request=False,
    actor="",
    comment_id=None,
    asked_at=datetime(2026, 11, 30, tzinfo=UTC),
    failed=FailedCommit("3" * 40, GROUP.branch, "main", None, (FailedCheck("test"),), GROUP),
    only_explains=True,
)
PROVEN = EntryCause(
    (1,),
    ("t::a",),
    with_it=RunCounts(8, 0),
    without_it=RunCounts(0, 7),
    is_sure=True,
    rest_passes=True,
    suffices=True,
    alone=RunCounts(1, 0),
)
TOGETHER = EntryCause(
    (2,),
    ("t::a",),
    with_it=RunCounts(8, 0),
    without_it=RunCounts(0, 7),
    is_sure=True,
    rest_passes=True,
    suffices=False,
    alone=RunCounts(0, 1),
    together_with=0,
)


def told(found: GroupFinding | None, verdict: Verdict = Verdict.EXPLAINED) -> list[str]:
    """Return the titles of the check runs, in the order of the queue."""
    reason = opening(GROUP, found) if found is not None else "It failed in 1 of 4 runs."
    report = Report("run1", verdict, reason, Problem(), "3" * 40, group=found)
    checks = [entry_check(REQUEST, report, place) for place in range(3)]
    assert [check.head_sha for check in checks] == [entry.pull_head for entry in GROUP.entries]
    assert {check.conclusion for check in checks} == {"neutral"}
    return [f"{check.title}{'; again' if AGAIN in check.summary else ''}" for check in checks]


CLEARED = "The merge group fails with #8, not with this pull request; again"


@pytest.mark.parametrize(
    ("found", "titles"),
    [
        (
            GroupFinding((PROVEN,)),
            [CLEARED, "The merge group fails with this pull request", CLEARED],
        ),
        (
            GroupFinding((PROVEN,), open=("t::b",)),
            [
                "The merge group fails with #8",
                "The merge group fails with this pull request",
                "The merge group fails with #8",
            ],
        ),
        (
            GroupFinding((TOGETHER,)),
            [
                "The merge group fails with this pull request and #9 together",
                "The merge group fails with #7 and #9 together",
                "The merge group fails with this pull request and #7 together",
            ],
        ),
        (
            GroupFinding((EntryCause((0, 1), ("t::a",), RunCounts(2), RunCounts(passed=1)),)),
            [
                "The merge group likely fails with this pull request or #8",
                "The merge group likely fails with this pull request or #7",
                "The merge group likely fails with #7 or #8",
            ],
        ),
        (
            GroupFinding(unsteady=("t::a",)),
            ["No pull request of the merge group was found to be the cause"] * 3,
        ),
    ],
)
def test_each_is_told_its_own_part(found: GroupFinding, titles: list[str]) -> None:
    """Only where the rest passes, and the cause needs nobody, is anybody told that it is none of it."""
    assert told(found) == titles


def test_a_failure_that_comes_and_goes_is_nobodys() -> None:
    """All may be added again; what could not be run says nothing of anybody."""
    assert told(None, Verdict.FLAKY) == ["The failure of the merge group comes and goes; again"] * 3
    assert told(None, Verdict.INFRASTRUCTURE) == [NOT_LOOKED_INTO] * 3


def test_what_was_seen_is_said_with_its_runs() -> None:
    """Of the group, of the group without it, and of it alone."""
    assert opening(GROUP, GroupFinding((PROVEN,))) == (
        "`t::a` fails in 8 of 8 runs of the group, and passes in 7 of 7 runs of the group without #8. "
        "With #8 alone on the base, that fails in 1 of 1 run."
    )
    assert opening(GROUP, GroupFinding((TOGETHER,))).endswith(
        "With #9 alone on the base, that passes in 1 of 1 run; it fails once #7 is merged before it."
    )
