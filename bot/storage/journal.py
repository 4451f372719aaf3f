"""What short acts of unfinished runs gave: cheaper to keep than a durable step, and no less safe."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from sqlalchemy import Engine, delete, select

from bot.storage.database import insert_if_new
from bot.storage.group_commit import Fence, GroupCommit
from bot.storage.tables import finished_acts, steps_metadata


class Journal:
    """Results by run and name, in the database of durable steps. Used from one event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writes = GroupCommit(engine)
        self._earlier: dict[str, dict[str, bytes]] = {}
        self._named: dict[str, set[str]] = {}

    def fenced_by(self, fence: Fence) -> None:
        """Have every result from now on pass the fence, in its own transaction."""
        self._writes.fence = fence

    async def open(self) -> None:
        """Create the table."""
        await asyncio.to_thread(steps_metadata.create_all, self._engine)

    async def earlier(self, run_id: str) -> dict[str, bytes]:
        """Return what earlier processes kept of a run; read once, then remembered.

        Raises:
            StorageError: When the database can't be read.
        """
        if run_id not in self._earlier:
            wanted = select(finished_acts.c.name, finished_acts.c.result).where(
                finished_acts.c.run_id == run_id
            )
            rows = await self._writes.run(lambda connection: connection.execute(wanted).all())
            self._earlier[run_id] = {row.name: row.result for row in rows}
        return self._earlier[run_id]

    def keep(self, run_id: str, name: str, result: bytes) -> asyncio.Future[bool]:
        """Begin to keep a result; the future tells whether no other process had one first.

        Results are kept in the order of these calls. The future fails with `StorageError` when
        this one could not be.

        Raises:
            StorageError: When the journal is closed.
            ValueError: When this process kept a result of that name before: a run that is begun
                again could not tell the two apart.
        """
        named = self._named.setdefault(run_id, set())
        if name in named:
            raise ValueError(f"Run {run_id} has two steps named {name!r}.")
        named.add(name)
        row = {"run_id": run_id, "name": name, "result": result, "kept_at": datetime.now(UTC)}
        return self._writes.submit(lambda connection: insert_if_new(connection, finished_acts, row))

    async def prune(self, older_than: datetime) -> int:
        """Delete what was kept before `older_than`; return how much.

        Raises:
            StorageError: When the database refuses.
        """
        old = delete(finished_acts).where(finished_acts.c.kept_at < older_than)
        return await self._writes.run(lambda connection: connection.execute(old).rowcount)

    def leave(self, run_id: str) -> None:
        """Drop from memory what was read of a run that is over here."""
        self._earlier.pop(run_id, None)
        self._named.pop(run_id, None)

    async def close(self) -> None:
        """Finish the writes that were begun."""
        await self._writes.close()
