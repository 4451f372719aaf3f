"""Keep what became of the attempts in one pull request, and what people said of it."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from bot.model import Patch
from bot.model.memory import Remark, TriedRepair
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.memory_rows import (
    entry_of,
    read_remarks,
    row_as_merged,
    written_remarks,
)
from bot.storage.memory_scope import own
from bot.storage.outcomes import OPEN
from bot.storage.tables import memory_entries as entries

MOST_REMARKS = 5
"""That are kept of a pull request."""


class PullMemory:
    """Attempts of `MemoryStore` by their pull request. Every method raises `StorageError` as it does."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def undecided(self, repo: Repo, number: int) -> tuple[TriedRepair, ...]:
        """Return the verified attempts of a pull request that was not merged yet, oldest first."""
        statement = (
            select(entries)
            .where(own(repo), entries.c.pull_request == number, entries.c.became.in_(OPEN))
            .order_by(entries.c.number)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(entry_of, rows))

    async def note(self, repo: Repo, number: int, remark: Remark) -> None:
        """Keep what somebody said of a pull request with each of its attempts, once, the newest ones."""
        which = own(repo) & (entries.c.pull_request == number)

        def act(connection: Connection) -> None:
            rows = connection.execute(
                select(entries.c.number, entries.c.remarks).where(which)
            ).all()
            for row in rows:
                before = read_remarks(row.remarks)
                if remark not in before:
                    kept = written_remarks((*before, remark)[-MOST_REMARKS:])
                    one = update(entries).where(entries.c.number == row.number)
                    connection.execute(one.values(remarks=kept))

        await self._database.write(act)

    async def keep_as_merged(
        self,
        tried: TriedRepair,
        patch: Patch,
        before: tuple[tuple[str, bytes], ...],
        commit: str,
    ) -> None:
        """Keep beside an attempt what its pull request became; doing it again changes nothing.

        Args:
            tried: The attempt.
            patch: Of the pull request.
            before: The files that it changes, as they were.
            commit: The head of the pull request.
        """

        def act(connection: Connection) -> None:
            row = connection.execute(select(entries).where(entries.c.id == tried.id)).first()
            if row is not None:
                insert_if_new(connection, entries, row_as_merged(row, patch, before, commit))

        await self._database.write(act)
