"""What a review thread is answered with, and when it is done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.github.values import Published
from bot.model import Report
from bot.reporting import review_replies as replies
from bot.runs.publishing.outcome_comment import (
    LeftBehind,
    NotPublished,
    Outcome,
    PatchOnly,
    Pushed,
    ReportOnly,
)
from bot.runs.publishing.review_answers import ThreadAnswer, answer_in
from tests.unit.reports import FIXED, GAVE_UP, MARK

URL = "https://github.com/o/r/commit/7d1f0b2"
PUSHED = Pushed("7d1f0b2", "fix", URL)
CHANGED = FIXED.patch.files[0]


@pytest.mark.parametrize(
    ("path", "report", "outcome", "text"),
    [
        ("other.py", FIXED, PUSHED, replies.another_file(URL, MARK)),
        (CHANGED, replace(FIXED, draft=True), PUSHED, replies.partly(URL, MARK)),
        (
            CHANGED,
            FIXED,
            Published(13, URL, "7d1f0b2", "fix"),
            replies.not_on_this_branch(URL, MARK),
        ),
        (CHANGED, FIXED, PatchOnly("It moved."), replies.not_pushed("It moved.", MARK)),
        (CHANGED, FIXED, LeftBehind("It moved."), replies.not_pushed("It moved.", MARK)),
        (CHANGED, FIXED, ReportOnly(), replies.only_reported(MARK)),
        (
            CHANGED,
            GAVE_UP,
            NotPublished(),
            replies.not_fixed(GAVE_UP.verdict, GAVE_UP.reason, MARK),
        ),
    ],
)
def test_a_thread_stays_open_unless_it_is_done(
    path: str, report: Report, outcome: Outcome, text: str
) -> None:
    """Where nothing is on the branch, only a part of it, or nothing in the thread's file."""
    assert answer_in(path, report, outcome, MARK) == ThreadAnswer(text)


def test_a_commit_that_changes_the_file_does_what_was_asked() -> None:
    """The answer has the commit and what its proposer says of it."""
    answer = answer_in(CHANGED, FIXED, PUSHED, MARK)
    attempt = FIXED.accepted_attempt
    assert attempt is not None
    assert answer == ThreadAnswer(replies.done(URL, attempt.proposal.summary, MARK), done=True)
    assert answer.text.startswith(f"Fixed in {URL}.\n\n> ")
