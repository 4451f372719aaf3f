"""Remember which runs wait for a person, until when, and what the person said."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, select, update

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
        run_id: Of the run.
        until: UTC; without an answer by then, the run ends.
        answer: None before there is one.
        by: Login of who answered, or "".
    """

    run_id: str
    until: datetime
    answer: ApprovalAnswer | None
    by: str


class ApprovalStore:
    """The table of questions. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, run_id: str, until: datetime) -> None:
        """Keep a question; asking again changes nothing."""
        row = {"run_id": run_id, "until": until, "answer": None, "by": ""}
        await self._database.write(lambda connection: insert_if_new(connection, approvals, row))

    async def answer(self, run_id: str, answer: ApprovalAnswer, by: str) -> bool:
        """Keep the answer, unless there is one; return whether it is the one that counts."""
        statement = (
            update(approvals)
            .where(approvals.c.run_id == run_id, approvals.c.answer.is_(None))
            .values(answer=answer, by=by)
        )
        changed = await self._database.write(
            lambda connection: connection.execute(statement).rowcount
        )
        return changed == 1

    async def open_question(self, run_id: str) -> str | None:
        """Return the id of what a run asks while it works and nobody answered yet; see `question_id`.

        Of several, the one that ends first, which was asked first.
        """
        statement = (
            select(approvals.c.run_id)
            .where(approvals.c.run_id.startswith(f"{run_id}:"), approvals.c.answer.is_(None))
            .order_by(approvals.c.until)
        )
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else str(row.run_id)

    async def get(self, run_id: str) -> Approval | None:
        """Return the question of a run."""
        statement = select(approvals).where(approvals.c.run_id == run_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _approval(row)


def question_id(run_id: str, about: str) -> str:
    """Return the id of a question that a run asks while it works, besides the one at its end."""
    return f"{run_id}:{hashlib.sha256(about.encode()).hexdigest()[:16]}"


def specification_question(run_id: str) -> str:
    """Return the id of the question whether a person agrees with a run's specification."""
    return question_id(run_id, "the specification")


def _approval(row: Row[Any]) -> Approval:
    return Approval(
        run_id=row.run_id,
        until=row.until,
        answer=None if row.answer is None else ApprovalAnswer(row.answer),
        by=row.by,
    )
