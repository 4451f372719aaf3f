"""Which question an answer is meant for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.model.questions import (
    PATCH,
    Question,
    Unmeant,
    meant,
    question_key,
    specification_key,
    spoken_id,
)

POSTED = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def asked(key: str, posted: datetime | None = POSTED) -> Question:
    """Return a question that stands since then."""
    run, until = key.partition(":")[0], POSTED + timedelta(days=7)
    return Question(key, run, PATCH, posted or POSTED, posted, until)


ONE, OTHER = asked("3fa9c1d20b7e"), asked(question_key("3fa9c1d20b7e", "bash"))
LATER = asked("0b7e3fa9c1d2", POSTED + 60 * SECOND)
AGAIN = replace(LATER, asked_at=POSTED)
"""Shown by a server, and after its death by another one."""
OLD = replace(ONE, asked_at=None, posted_at=None)


@pytest.mark.parametrize(
    ("questions", "named", "at", "expected"),
    [
        ([], "", POSTED, Unmeant.NONE_OPEN),
        ([], ONE.id, POSTED, Unmeant.NONE_OPEN),
        ([ONE], "", POSTED + SECOND, ONE),
        ([ONE], "", POSTED, Unmeant.EARLIER),
        ([ONE], "", POSTED - SECOND, Unmeant.EARLIER),
        ([ONE], ONE.id, POSTED, ONE),
        ([ONE], ONE.id, POSTED - SECOND, Unmeant.EARLIER),
        ([ONE], OTHER.id, POSTED + SECOND, Unmeant.ANOTHER),
        ([ONE], ONE.id[:4], POSTED + SECOND, Unmeant.ANOTHER),
        ([ONE], ONE.run_id, POSTED + SECOND, Unmeant.ANOTHER),
        ([ONE, OTHER], "", POSTED + SECOND, Unmeant.SEVERAL),
        ([ONE, OTHER], OTHER.id, POSTED + SECOND, OTHER),
        ([ONE, LATER], "", POSTED + SECOND, ONE),
        ([ONE, LATER], "", POSTED + 61 * SECOND, Unmeant.SEVERAL),
        ([LATER], "", POSTED + SECOND, Unmeant.EARLIER),
        ([LATER], LATER.id, POSTED + SECOND, Unmeant.EARLIER),
        ([AGAIN], AGAIN.id, POSTED + SECOND, AGAIN),
        ([AGAIN], "", POSTED + SECOND, Unmeant.EARLIER),
        ([asked(ONE.key, None)], "", POSTED + SECOND, Unmeant.EARLIER),
        ([asked(ONE.key, None)], ONE.id, POSTED + SECOND, asked(ONE.key, None)),
        ([OLD], "", POSTED - SECOND, OLD),
        ([OLD, LATER], "", POSTED + 61 * SECOND, Unmeant.SEVERAL),
    ],
)
def test_an_answer_is_for_what_its_author_had_read(
    questions: list[Question], named: str, at: datetime, expected: Question | Unmeant
) -> None:
    """By its id, or as the only one that stood there before; never in the second of its question."""
    assert meant(questions, named, at) == expected


def test_ids_are_short_and_differ() -> None:
    """Those of a run's questions, and those of many runs."""
    run = "3fa9c1d20b7e"
    ids = {spoken_id(key) for key in (run, specification_key(run), question_key(run, "bash"))}
    assert len(ids) == 3
    assert {len(item) for item in ids} == {6}
    many = {spoken_id(f"{number:012x}") for number in range(1_000)}
    assert len(many) >= 999
