"""Keep what runs said at their ends for a while, in case a late edit of their progress replaces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, delete, select, update

from bot.model.check_report import CheckReport
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import last_words

TIMES = 2
"""So often it is looked at whether they still stand."""

SETTLED = timedelta(seconds=60)
"""A request that was under way when a server stalled has arrived by then, or never does: this is
the time limit of a request."""


@dataclass(frozen=True, slots=True)
class StoredComment:
    """The last words of one run.

    Attributes:
        run_id: Of the run.
        repo: Where they stand.
        comment: Id of the comment with them, or None.
        text: Of the comment.
        check_run: Id of the check run with them, or None.
        report: Of the check run.
    """

    run_id: str
    repo: Repo
    comment: int | None
    text: str
    check_run: int | None
    report: CheckReport | None


class _Stored(BaseModel):
    report: CheckReport


class LastWords:
    """The table of last words. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def say(self, said: StoredComment) -> None:
        """Keep last words; later ones of the same run take their place."""
        report = None if said.report is None else _Stored(report=said.report).model_dump_json()
        values: Mapping[str, Any] = {
            "full_name": said.repo.full_name,
            "installation_id": said.repo.installation_id,
            "repository_id": said.repo.id,
            "comment_id": said.comment,
            "text": said.text,
            "check_run_id": said.check_run,
            "report": report,
            "said_at": datetime.now(UTC),
            "looks": 0,
        }
        row = {"run_id": said.run_id, **values}
        again = update(last_words).where(last_words.c.run_id == said.run_id).values(values)
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, last_words, row) or connection.execute(again).rowcount
            )
        )

    async def to_look_at(self, limit: int = 50) -> tuple[StoredComment, ...]:
        """Return those that were said long enough ago, the oldest first."""
        statement = (
            select(last_words)
            .where(last_words.c.said_at <= datetime.now(UTC) - SETTLED)
            .order_by(last_words.c.looks, last_words.c.said_at)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(
            StoredComment(
                row.run_id,
                Repo(row.full_name, row.installation_id, row.repository_id),
                row.comment_id,
                row.text,
                row.check_run_id,
                None if row.report is None else _Stored.model_validate_json(row.report).report,
            )
            for row in rows
        )

    async def looked_at(self, run_id: str) -> None:
        """Note that they stand; after some times nobody needs to look any more."""
        this = last_words.c.run_id == run_id

        def act(connection: Connection) -> int:
            enough = delete(last_words).where(this, last_words.c.looks >= TIMES - 1)
            once_more = update(last_words).where(this).values(looks=last_words.c.looks + 1)
            return connection.execute(enough).rowcount or connection.execute(once_more).rowcount

        await self._database.write(act)
