"""Remember for which pull requests a person switched automatic runs on or off."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select, update

from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import switches


class SwitchStore:
    """The table of switches. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def set(self, repo: Repo, number: int, actor: str, *, on: bool) -> None:
        """Switch a pull request on or off."""
        now = datetime.now(UTC)
        row = {
            "identity": repo.identity,
            "number": number,
            "on": on,
            "actor": actor,
            "set_at": now,
        }
        change = (
            update(switches)
            .where(switches.c.identity == repo.identity, switches.c.number == number)
            .values({"on": on, "actor": actor, "set_at": now})
        )
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, switches, row) or connection.execute(change).rowcount
            )
        )

    async def get(self, repo: Repo, number: int) -> bool | None:
        """Return how a pull request is switched; None when nobody did."""
        statement = select(switches.c.on).where(
            switches.c.identity == repo.identity, switches.c.number == number
        )
        found: bool | None = await self._database.read(
            lambda connection: connection.scalar(statement)
        )
        return found
