"""Know which processes work on this database: each has a row, which it keeps alive by beating.

Who has no row any more may write nothing (`fence`), and what it had claimed is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from bot.errors import DatabaseUnavailable
from bot.storage.database import Database, insert_if_new
from bot.storage.group_commit import Fence
from bot.storage.tables import duties, servers

SWEEPS = "sweeps"
"""The duty of what one server does for all: looking for what nobody asked for, and tidying up."""

LIVING = select(servers.c.id)
"""What a server that is not among these had claimed is free."""


@dataclass(frozen=True, slots=True)
class ServerRow:
    """One process.

    Attributes:
        id: Made up at its start; no other process ever has it.
        role: `serve`, `web` or `worker`.
        host: Name of its machine.
        version: Of the program.
        steps: Version of the stored steps that it can read.
    """

    id: str
    role: str
    host: str
    version: str
    steps: str


@dataclass(frozen=True, slots=True)
class Beat:
    """What a process learns when it beats.

    Attributes:
        beats: Of every process, by id; a number that only grows.
        leads: Whether the sweeps are this one's duty.
    """

    beats: Mapping[str, int]
    leads: bool


class ServerStore:
    """The table of servers. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def join(self, server: ServerRow) -> None:
        """Begin to be there."""
        now = datetime.now(UTC)
        row = {
            "id": server.id,
            "role": server.role,
            "host": server.host,
            "version": server.version,
            "steps": server.steps,
            "started_at": now,
            "beat_at": now,
            "beats": 0,
        }
        await self._database.write(
            lambda connection: connection.execute(insert(servers).values(row)).rowcount,
            fenced=False,
        )

    async def beat(self, server_id: str, *, works: bool) -> Beat | None:
        """Say that a process lives; None when another one took it for dead.

        Args:
            server_id: Of the process.
            works: Whether the sweeps may become its duty, if they are nobody's.
        """

        def act(connection: Connection) -> Beat | None:
            values = {"beats": servers.c.beats + 1, "beat_at": datetime.now(UTC)}
            statement = update(servers).where(servers.c.id == server_id).values(values)
            if connection.execute(statement).rowcount == 0:
                return None
            leads = works and _takes_duty(connection, server_id)
            found = connection.execute(select(servers.c.id, servers.c.beats)).all()
            return Beat({row.id: row.beats for row in found}, leads)

        return await self._database.write(act, fenced=False)

    async def living(self) -> dict[str, ServerRow]:
        """Return all processes that nobody took for dead."""
        rows = await self._database.read(lambda connection: connection.execute(_ALL).all())
        return {
            row.id: ServerRow(row.id, row.role, row.host, row.version, row.steps) for row in rows
        }

    async def bury(self, server_id: str, beats: int) -> bool:
        """Take a process for dead unless it has beaten since; return whether this call did.

        One that stopped in the middle of a write still locks its row, and is left for the next
        time: see `stall_seconds` of `bot.storage.database`.
        """
        silent = (
            select(servers.c.id)
            .where(servers.c.id == server_id, servers.c.beats == beats)
            .with_for_update(skip_locked=True)
        )
        statement = delete(servers).where(servers.c.id.in_(silent))
        gone = await self._database.write(lambda connection: connection.execute(statement).rowcount)
        return gone == 1

    async def leave(self, server_id: str) -> None:
        """Cease to be there."""
        statement = delete(servers).where(servers.c.id == server_id)
        await self._database.write(
            lambda connection: connection.execute(statement).rowcount, fenced=False
        )

    def fence(self, server_id: str) -> Fence:
        """Return what refuses to write for a process that was taken for dead.

        The row stays locked until the commit, so that nobody takes it for dead in between.
        """
        there = select(servers.c.id).where(servers.c.id == server_id)

        def check(connection: Connection) -> None:
            if connection.scalar(there.with_for_update(read=True, key_share=True)) is None:
                raise DatabaseUnavailable(
                    "Another server took this one for dead, because it did not answer for a while. "
                    "It begins anew under another id."
                )

        return check


_ALL = select(
    servers.c.id, servers.c.role, servers.c.host, servers.c.version, servers.c.steps
).order_by(servers.c.started_at, servers.c.id)


def _takes_duty(connection: Connection, server_id: str) -> bool:
    """Take the sweeps over if they are nobody's; return whether they are this one's.

    Looks first: who changes nothing waits for nobody's lock.
    """
    mine, free = duties.c.server_id == server_id, duties.c.server_id.not_in(LIVING)
    duty = select(mine.label("mine"), free.label("free")).where(duties.c.name == SWEEPS)
    found = connection.execute(duty).first()
    if found is None:
        return insert_if_new(connection, duties, {"name": SWEEPS, "server_id": server_id})
    if found.mine or not found.free:
        return bool(found.mine)
    statement = update(duties).where(duties.c.name == SWEEPS, free).values(server_id=server_id)
    return connection.execute(statement).rowcount == 1
