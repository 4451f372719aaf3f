"""Remember the heads of merge queues: which pull request each added, and to what."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import delete, select

from bot.model.merge_group import QueueEntry
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import queue_entries

_MOST = 500
"""Of a branch's queue, the newest, that are read: GitHub's groups have at most 100 pull requests."""

_LONGEST = 255
"""Characters of a branch's name, as GitHub allows them."""


class QueueEntryStore:
    """The table of these heads. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, repo: Repo, base_branch: str, entry: QueueEntry) -> None:
        """Keep a head; twice changes nothing."""
        row = {
            "identity": repo.identity,
            "head": entry.head,
            "parent": entry.parent,
            "number": entry.number,
            "base_branch": base_branch[:_LONGEST],
            "seen_at": datetime.now(UTC),
        }
        await self._database.write(lambda connection: insert_if_new(connection, queue_entries, row))

    async def base_of(self, repo: Repo, head: str) -> str:
        """Return the branch that the queue with a head merges into; "" where it is no such head."""
        columns = queue_entries.c
        here = columns.identity == repo.identity, columns.head == head
        statement = select(columns.base_branch).where(*here)
        return await self._database.read(lambda connection: connection.scalar(statement)) or ""

    async def of_branch(self, repo: Repo, base_branch: str) -> tuple[QueueEntry, ...]:
        """Return the newest heads of the queue that merges into a branch."""
        columns = queue_entries.c
        statement = (
            select(columns.number, columns.parent, columns.head)
            .where(columns.identity == repo.identity, columns.base_branch == base_branch[:_LONGEST])
            .order_by(columns.seen_at.desc())
            .limit(_MOST)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(QueueEntry(row.number, row.parent, row.head) for row in rows)

    async def prune(self, older_than: datetime) -> int:
        """Delete what was seen before that moment; return how many."""
        old = delete(queue_entries).where(queue_entries.c.seen_at < older_than)
        return await self._database.write(lambda connection: connection.execute(old).rowcount)
