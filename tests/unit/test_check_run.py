"""What our own check run says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from bot.intake.check_policy import Why
from bot.model import Limits, Verdict
from bot.model.offer import Offer
from bot.model.request import FailedCheck, FailedCommit, FixRequest
from bot.reporting import approval, check_run, final_report, messages
from bot.reporting.answer_instructions import APPROVE, RETRY, STOP, AnswerBy, answer_by, ask, parts
from bot.reporting.progress_comment import render
from bot.reporting.reasons import publication
from tests.unit.reports import FIXED, GAVE_UP, MARK, STARTED, VIEW

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
        "Queued: 2 failed checks",
        REQUEST.run_id,
    )
    assert report.summary == snapshot("""\
Fixpoint will now try to fix:

- `` lint `x` ``: failure
- `a`: failure\
""")


def test_buttons_stand_in_for_comments_where_there_is_no_thread() -> None:
    """A commit of the default branch has nowhere to comment; a pull request has."""
    assert answer_by(REQUEST) is AnswerBy.BUTTON
    assert answer_by(replace(REQUEST, number=7)) is AnswerBy.COMMENT
    asked = [ask(action, by) for action in (STOP, RETRY, APPROVE) for by in AnswerBy]
    assert asked == snapshot(
        [
            "comment `/fix stop`",
            "press *Stop*",
            "comment `/fix retry`",
            "press *Retry*",
            "comment `/fix approve`",
            "press *Approve*",
        ]
    )


def test_no_text_for_buttons_names_a_command() -> None:
    """Each text that a commit without a thread can get speaks of buttons alone."""
    by = AnswerBy.BUTTON
    offer = Offer(Limits(), "maintain", STARTED)
    texts = [
        render(VIEW, STARTED, MARK, by),
        approval.waiting(FIXED, ["It deletes 3 files."], "write", STARTED, MARK, by),
        approval.more(offer, by),
        messages.crashed("ab12", 3, MARK, by),
        messages.broke("ab12", None, MARK, by),
        messages.config_invalid("a.yml", ["Line 1: no."], MARK, by),
        messages.no_access("GitHub forbids it.", MARK, by),
        messages.ended_early(MARK),
        *(
            final_report.not_fixed(replace(GAVE_UP, verdict=verdict), MARK, by=by)
            for verdict in Verdict
            # One sends people to an issue, to comment there; the other is an answer to a comment.
            if verdict not in {Verdict.NOT_REPRODUCED, Verdict.EXPLAINED}
        ),
    ]
    assert [text for text in texts if "omment" in text or "`/fix" in text] == []


def test_its_buttons_say_which_question_they_answer() -> None:
    """An identifier may have 20 characters, and stays with the button when another run asks."""
    buttons = check_run.waiting(REQUEST, "", "4f2a1b").actions
    assert [parts(button.identifier) for button in buttons] == [
        ("approve", "4f2a1b"),
        ("reject", "4f2a1b"),
    ]
    assert all(len(button.identifier) <= 20 for button in buttons)
    spent = replace(check_run.without_fix(Verdict.BUDGET_SPENT), question="4f2a1b")
    over = check_run.over(REQUEST, spent, "", "").actions
    assert [action.identifier for action in over] == ["approve-4f2a1b", "retry"]


def test_it_never_fails() -> None:
    """A run without a repair is neutral, and can be started again."""
    ended = check_run.without_fix(Verdict.GAVE_UP)
    report = check_run.over(REQUEST, ended, "done", "x" * 70_000)
    assert (report.conclusion, report.title) == ("neutral", "Not fixed: found no patch that passes")
    assert [action.identifier for action in report.actions] == ["retry"]
    assert len(report.text) == 65_535
    success = check_run.over(REQUEST, check_run.Ended("Fixed in #2", success=True), "done", "")
    assert (success.conclusion, success.actions) == ("success", ())


def test_retry_is_not_offered_on_a_superseded_commit() -> None:
    """No run starts for a commit that is no longer the newest, whatever else was asked there."""
    ended = check_run.Ended(check_run.superseded(), may_retry=False)
    for question in ("", "4f2a1b"):
        report = check_run.over(REQUEST, replace(ended, question=question), "done", "")
        assert (report.conclusion, report.actions) == ("neutral", ())


def test_fix_this_is_not_offered_where_it_cannot_help() -> None:
    """Nor asked for in words; where a person's word helps, both are there."""
    useless = check_run.offer("a" * 40, "No.", FAILED.checks, may_start=False)
    assert useless.actions == ()
    assert "press" not in useless.summary.lower()
    useful = check_run.offer("a" * 40, "No.", FAILED.checks)
    assert ([action.label for action in useful.actions], "Press *Fix this*" in useful.summary) == (
        ["Fix this", "What changed?"],
        True,
    )


@pytest.mark.parametrize("why", Why)
def test_what_a_person_is_offered_would_start_a_run(why: Why) -> None:
    """Of the reasons against a run, those stay that no person's word changes."""
    facts = {Why.NOT_THE_NEWEST, Why.NOTHING_FAILED}
    assert why.is_final == (why in facts)
    assert not (why.is_told and why.is_final)


def test_a_run_of_a_comment_has_none() -> None:
    """Its thread shows it."""
    with pytest.raises(ValueError, match="has no check run"):
        check_run.accepted(replace(REQUEST, failed=None))


def test_what_the_projects_own_checks_say() -> None:
    """They pass; they fail and that is all; they fail and work goes on."""
    failed = (FailedCheck("lint"), *(FailedCheck(f"t{n}") for n in range(6)))
    told = [
        publication.checks_ended((), limit=False),
        publication.checks_ended(failed[:1], limit=True),
        publication.checks_ended(failed, limit=False),
        publication.checks_go_on(failed[:2], "https://github.test/acme/app/pull/2"),
        publication.checks_title(green=True, pull_request=2),
        publication.checks_title(green=False, pull_request=None),
    ]
    assert told == snapshot(
        [
            "The repository's own checks pass with this fix.",
            "The repository's own checks fail with this fix: `lint`. The repo config's limits for one fix are used up, so Fixpoint stops here.",
            "The repository's own checks fail with this fix: `lint`, `t0`, `t1`, `t2`, `t3` and 2 more. To continue, comment `/fix` on the pull request.",
            "The repository's own checks fail with this fix: `lint` and `t0`. Continuing in https://github.test/acme/app/pull/2",
            "Fixed in #2; checks pass",
            "Fixed on the branch; checks fail",
        ]
    )
