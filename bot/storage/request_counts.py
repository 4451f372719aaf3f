"""Count for all servers together how many requests callers of the API send in a minute."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from bot.storage.database import Database, insert_if_new
from bot.storage.tables import request_counts


class RequestCounts:
    """The table of request counts, one row per caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, caller: str, window: int, wanted: int, most: int) -> tuple[int, int]:
        """Take requests of a window for one server; return how many, and how many are left.

        Args:
            caller: Who sends them.
            window: Number of the minute; the first look at a later one begins it for all.
            wanted: At most so many.
            most: That all servers together may take in a window.

        Raises:
            StorageError: When the database fails.
        """

        def act(connection: Connection) -> tuple[int, int]:
            new = {"caller": caller, "window": window, "taken": 0}
            insert_if_new(connection, request_counts, new)
            mine = request_counts.c.caller == caller
            row = connection.execute(select(request_counts).where(mine).with_for_update()).one()
            taken = row.taken if row.window >= window else 0
            given = min(wanted, max(0, most - taken))
            if given:
                changes = {"window": max(row.window, window), "taken": taken + given}
                connection.execute(update(request_counts).where(mine).values(changes))
            return given, max(0, most - taken - given)

        # a process that was taken for dead answers requests all the same
        return await self._database.write(act, fenced=False)
