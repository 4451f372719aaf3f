"""Remember what runs ask people, since when and until when, and what a person said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, or_, select, update

from bot.model.questions import Question
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import approvals


class ApprovalAnswer(StrEnum):
    """What became of a question."""

    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Approval:
    """A question that a run asked.

    Attributes:
        question: What, when, and until when.
        answer: None before there is one.
        by: Login of who answered, or "".
    """

    question: Question
    answer: ApprovalAnswer | None
    by: str


class ApprovalStore:
    """The table of questions. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, key: str, about: str, until: datetime) -> None:
        """Keep a question; asking again changes nothing."""
        row = {
            "run_id": key,
            "about": about,
            "asked_at": datetime.now(UTC),
            "until": until,
            "answer": None,
            "by": "",
        }
        await self._database.write(lambda connection: insert_if_new(connection, approvals, row))

    async def posted(self, key: str, at: datetime) -> None:
        """Say when people could first read a question in its thread, by GitHub's clock."""
        statement = (
            update(approvals)
            .where(approvals.c.run_id == key, approvals.c.posted_at.is_(None))
            .values(posted_at=at)
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def answer(self, key: str, answer: ApprovalAnswer, by: str) -> bool:
        """Keep the answer, unless there is one; return whether it is the one that counts."""
        statement = (
            update(approvals)
            .where(approvals.c.run_id == key, approvals.c.answer.is_(None))
            .values(answer=answer, by=by)
        )
        changed = await self._database.write(
            lambda connection: connection.execute(statement).rowcount
        )
        return changed == 1

    async def open_of(self, run_id: str) -> tuple[Question, ...]:
        """Return what a run asks and nobody answered yet, in the order in which it ends."""
        is_its = or_(approvals.c.run_id == run_id, approvals.c.run_id.startswith(f"{run_id}:"))
        statement = (
            select(approvals)
            .where(is_its, approvals.c.answer.is_(None))
            .order_by(approvals.c.until)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_approval(row).question for row in rows)

    async def get(self, key: str) -> Approval | None:
        """Return the question that is stored under a key."""
        statement = select(approvals).where(approvals.c.run_id == key)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _approval(row)


def _approval(row: Row[Any]) -> Approval:
    question = Question(
        key=row.run_id,
        run_id=row.run_id.partition(":")[0],
        about=row.about or "",
        asked_at=row.asked_at,
        posted_at=row.posted_at,
        until=row.until,
    )
    return Approval(
        question=question,
        answer=None if row.answer is None else ApprovalAnswer(row.answer),
        by=row.by,
    )
