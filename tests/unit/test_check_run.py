"""What our own check run says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.reporting import after_publication, check_run

FAILED = FailedCommit("a" * 40, "main", "main", checks=(FailedCheck("lint `x`"), FailedCheck("a")))
REQUEST = FixRequest(
    repository="acme/app",
    installation_id=7,
    number=None,
    is_pull_request=False,
    actor="",
    comment_id=None,
    asked_at=datetime(2026, 3, 1, tzinfo=UTC),
    failed=FAILED,
)


def test_an_accepted_run_lists_the_checks() -> None:
    """By their names, which are strangers' text."""
    report = check_run.accepted(REQUEST)
    assert (report.status, report.title, report.external_id) == (
        "queued",
        "Will work on 2 failed checks",
        REQUEST.run_id,
    )
    assert report.summary == snapshot("""\
Fixpoint will work on this now:

- `` lint `x` ``: failure
- `a`: failure\
""")


def test_buttons_stand_in_for_comments_where_there_is_no_thread() -> None:
    """A commit of the default branch has nowhere to comment; a pull request has."""
    text = "To stop it, comment `/fix stop`. Comment `/fix retry` to start again."
    alone = check_run.under_way(REQUEST, text)
    assert alone.summary == snapshot("To stop it, press *Stop*. Press *Retry* to start again.")
    in_thread = check_run.under_way(replace(REQUEST, number=7), text)
    assert in_thread.summary == text


def test_it_never_fails() -> None:
    """A run without a repair is neutral, and can be started again."""
    ended = check_run.without_fix(Verdict.GAVE_UP)
    report = check_run.over(REQUEST, ended, "done", "x" * 70_000)
    assert (report.conclusion, report.title) == ("neutral", "Verdict: gave up")
    assert [action.identifier for action in report.actions] == ["retry"]
    assert len(report.text) == 65_535
    success = check_run.over(REQUEST, check_run.Ended("Fixed in #2", success=True), "done", "")
    assert (success.conclusion, success.actions) == ("success", ())


def test_a_run_of_a_comment_has_none() -> None:
    """Its thread shows it."""
    with pytest.raises(ValueError, match="has no check run"):
        check_run.accepted(replace(REQUEST, failed=None))


def test_what_the_projects_own_checks_say() -> None:
    """They pass; they fail and that is all; they fail and work goes on."""
    failed = (FailedCheck("lint"), *(FailedCheck(f"t{n}") for n in range(6)))
    told = [
        after_publication.judged((), limit=False),
        after_publication.judged(failed[:1], limit=True),
        after_publication.judged(failed, limit=False),
        after_publication.goes_on(failed[:2], "https://github.test/acme/app/pull/2"),
        after_publication.title(green=True, pull_request=2),
        after_publication.title(green=False, pull_request=None),
    ]
    assert told == snapshot(
        [
            "The project's own checks pass on it.",
            "The project's own checks fail on it: `lint`. What the repo config allows for one repair is used up, so nothing more is tried.",
            "The project's own checks fail on it: `lint`, `t0`, `t1`, `t2`, `t3` and 2 others. To go on, comment `/fix` there.",
            "The project's own checks fail on it: `lint`, `t0`. Work goes on in https://github.test/acme/app/pull/2",
            "Fixed in #2; its checks pass",
            "Fixed on the branch; its checks fail",
        ]
    )
