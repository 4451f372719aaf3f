"""How much a server that nothing strikes needs while the others die: memory, disk, database."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.chaos.company import Company, Member
from sandbox.disk_room import held_below
from tests.contract.postgres import PostgresServer

_MIB = 1024 * 1024
_EVERY_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Footprint:
    """What was seen at one moment.

    Attributes:
        minute: Since the first look.
        memory: Resident bytes of the server's process.
        disk: Bytes in the data folders of all servers.
        database: Bytes, as PostgreSQL counts them.
    """

    minute: float
    memory: int
    disk: int
    database: int

    @property
    def row(self) -> tuple[str, ...]:
        """As a line of a table, in MiB."""
        sizes = (self.memory, self.disk, self.database)
        return (f"{self.minute:.0f}", *(f"{size / _MIB:.0f}" for size in sizes))


@asynccontextmanager
async def footprints(
    company: Company, spared: Member, postgres: PostgresServer
) -> AsyncIterator[list[Footprint]]:
    """Look every few seconds, and keep what is seen in the list.

    Args:
        company: All servers, whose disk counts.
        spared: The one that nothing strikes, whose memory counts.
        postgres: Of all of them.
    """
    seen = list[Footprint]()
    watching = asyncio.create_task(_watch(seen, company, spared, postgres))
    try:
        yield seen
    finally:
        watching.cancel()


async def _watch(
    seen: list[Footprint], company: Company, spared: Member, postgres: PostgresServer
) -> None:
    began = time.monotonic()
    folders = [member.folder for member in company.members]
    while True:
        try:
            seen.append(await asyncio.to_thread(_look, began, spared, folders, postgres))
        except psycopg.Error as error:  # the database is away, which is one of the disasters
            print(f"no look at the footprint: {error}", flush=True)
        await asyncio.sleep(_EVERY_SECONDS)


def _look(
    began: float, spared: Member, folders: Sequence[Path], postgres: PostgresServer
) -> Footprint:
    with psycopg.connect(
        host=str(postgres.folder), user="fixpoint", dbname=postgres.database, connect_timeout=5
    ) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return Footprint(
        minute=(time.monotonic() - began) / 60,
        memory=_resident(spared.process.pid),
        disk=held_below(folders).size,
        database=int(row[0]) if row else 0,
    )


def _resident(pid: int) -> int:
    """Return a process's resident memory, as https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html has it."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
