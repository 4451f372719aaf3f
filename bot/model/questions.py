"""Questions that runs ask people, and which of them an answer is meant for.

An answer belongs to the question that its author had read. A command, a button, a form and a call of
the API name that one; a command that names none is for the only one that stood there before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

ID_LENGTH = 6
"""Hex digits of a question's id: short enough to be typed, and no two of a thread are alike."""

SPECIFICATION = "the specification"
PATCH = "the patch"
BUDGET = "more budget"


@dataclass(frozen=True, slots=True)
class Question:
    """What a run asks, once.

    Attributes:
        key: Under which it is stored; see `question_key`.
        run_id: Of the run.
        about: What it asks for, such as `the patch`, or "" where a Fixpoint of before asked.
        asked_at: UTC, by our clock; None where a Fixpoint of before asked.
        posted_at: When people could read it in a thread, UTC, by GitHub's clock in whole seconds;
            None before that, and where there is no thread.
        until: UTC; without an answer by then, the run goes on, or ends, without.
    """

    key: str
    run_id: str
    about: str
    asked_at: datetime | None
    posted_at: datetime | None
    until: datetime

    @property
    def id(self) -> str:
        """What people call it."""
        return spoken_id(self.key)

    @property
    def has_no_id(self) -> bool:
        """Whether its text doesn't tell its id, because a Fixpoint of before wrote that."""
        return self.asked_at is None

    @property
    def id_on_button(self) -> str:
        """The id that buttons of its check run bring."""
        return "" if self.has_no_id else self.id

    def stood_before(self, moment: datetime) -> bool:
        """Whether somebody who wrote then had it in front of them: in its own second, nobody had."""
        if self.has_no_id:
            return True
        return self.posted_at is not None and self.posted_at < moment

    def is_later_than(self, moment: datetime) -> bool:
        """Whether it certainly wasn't there then; it is shown anew where a server died meanwhile."""
        if self.posted_at is None or self.asked_at is None:
            return False
        return min(self.posted_at, self.asked_at.replace(microsecond=0)) > moment


class Unmeant(StrEnum):
    """Why an answer is for no question."""

    NONE_OPEN = "no question is open"
    ANOTHER = "it names another question"
    EARLIER = "it is older than the question"
    SEVERAL = "it names none of several"


def question_key(run_id: str, about: str) -> str:
    """Return under which a question is stored that a run asks while it works.

    The one at the end of a run, about its patch or more budget, has the run's id.
    """
    return f"{run_id}:{hashlib.sha256(about.encode()).hexdigest()[:16]}"


def specification_key(run_id: str) -> str:
    """Return under which the question is stored whether a person agrees with a specification."""
    return question_key(run_id, SPECIFICATION)


def spoken_id(key: str) -> str:
    """Return what people call the question that is stored under a key."""
    return hashlib.sha256(f"question {key}".encode()).hexdigest()[:ID_LENGTH]


def meant(questions: Sequence[Question], named: str, at: datetime) -> Question | Unmeant:
    """Return the question that an answer is for.

    Args:
        questions: All that are open where it was given.
        named: The id that it names, or "".
        at: When it was written, or edited last, UTC, by GitHub's clock.
    """
    if not questions:
        return Unmeant.NONE_OPEN
    if named:
        found = next((question for question in questions if question.id == named), None)
        if found is None:
            return Unmeant.ANOTHER
        return Unmeant.EARLIER if found.is_later_than(at) else found
    stood = [question for question in questions if question.stood_before(at)]
    if len(stood) > 1:
        return Unmeant.SEVERAL
    return stood[0] if stood else Unmeant.EARLIER
