"""Remember the last `/fix stop` of each thread, for a `/fix` before it that GitHub delivers later."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, or_, select, update

from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import stops


class StopStore:
    """The table of stops. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, repo: Repo, number: int, at: datetime, comment_id: int) -> None:
        """Remember a stop, unless a later one is known.

        Args:
            repo: Where.
            number: Of the issue or pull request.
            at: When it was written or last edited, UTC.
            comment_id: Of its comment.
        """
        asked = {"asked_at": at, "comment_id": comment_id}
        row = {"identity": repo.identity, "number": number, **asked}
        same_moment = and_(stops.c.asked_at == at, stops.c.comment_id < comment_id)
        change = (
            update(stops)
            .where(stops.c.identity == repo.identity, stops.c.number == number)
            .where(or_(stops.c.asked_at < at, same_moment))
            .values(asked)
        )
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, stops, row) or connection.execute(change).rowcount
            )
        )

    async def last(self, repo: Repo, number: int) -> tuple[datetime, int] | None:
        """Return when a thread's last stop was written, and the id of its comment; None without."""
        statement = select(stops.c.asked_at, stops.c.comment_id).where(
            stops.c.identity == repo.identity, stops.c.number == number
        )
        found = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if found is None else (found.asked_at, found.comment_id)
