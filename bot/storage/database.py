"""Open the database and run work on it without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Self, TypeVar, cast

from pydantic import SecretStr
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Executable,
    Table,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from bot.errors import UsageError
from bot.storage.engines import READERS, STALL_SECONDS, engine_for, parsed_url
from bot.storage.group_commit import Act, Fence, GroupCommit, failed
from bot.storage.migrations import is_empty, migrate, outstanding
from bot.storage.notifications import Signals, news_of_other_servers

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PoolState:
    """How busy a database's connections are.

    Attributes:
        in_use: Connections that somebody has.
        idle: Connections that are open for the next one.
        writes_waiting: Writes that wait for the next transaction.
    """

    in_use: int
    idle: int
    writes_waiting: int


class Database:
    """One engine. Writes are durable when they return and share transactions; reads do not wait.

    Build it with `open_database`; use it from one event loop.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writes = GroupCommit(engine)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="storage-reader")

    def fenced_by(self, fence: Fence) -> None:
        """Have every write from now on pass the fence, in its own transaction."""
        self._writes.fence = fence

    async def write(self, act: Act[T], *, fenced: bool = True) -> T:
        """Run `act` in a transaction that others may share, and return once it is on disk.

        Args:
            act: What to do.
            fenced: Whether a process that was taken for dead may not do it any more.

        Raises:
            StorageError: When it failed; nothing of it was kept.
        """
        return await self._writes.run(act, fenced=fenced)

    def submit(self, act: Act[T]) -> asyncio.Future[T]:
        """Have `act` run behind all earlier writes and before all later ones; see `write`."""
        return self._writes.submit(act)

    async def read(self, act: Act[T]) -> T:
        """Run `act`, which only reads, in a transaction of its own.

        Raises:
            StorageError: When it failed.
        """
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, act)

    @property
    def pool(self) -> PoolState:
        """How busy its connections are at this moment."""
        pool = cast("QueuePool", self._engine.pool)
        return PoolState(pool.checkedout(), pool.checkedin(), self._writes.waiting)

    @property
    def is_shared(self) -> bool:
        """Whether servers on other machines may use it, too."""
        return self._engine.dialect.name == "postgresql"

    def news(self, signals: Signals) -> AbstractAsyncContextManager[None]:
        """Return a block in which `signals` hears of what other servers keep."""
        return news_of_other_servers(self._engine, signals)

    def _read(self, act: Act[T]) -> T:
        try:
            with self._engine.connect().execution_options(reads_only=True) as connection:
                return act(connection)
        except SQLAlchemyError as error:
            raise failed(error) from error

    async def close(self) -> None:
        """Finish the writes that were begun and close every connection."""
        await self._writes.close()
        await asyncio.to_thread(self._readers.shutdown)
        self._engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.close()


def database_time(connection: Connection) -> datetime:
    """Return the time now by the database's clock, which is one for all servers.

    Not that of the transaction's beginning.
    """
    if connection.dialect.name != "postgresql":
        return datetime.now(UTC)
    found: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return found.astimezone(UTC)


def insert_if_new(connection: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row unless one of its key is there; return whether it was inserted."""
    statement = _insert_unless_there(connection.dialect.name, table)
    # Not `rowcount`, which not every driver knows for an insert.
    return connection.execute(statement, dict(row)).first() is not None


@cache  # building it takes longer than carrying it out
def _insert_unless_there(database: str, table: Table) -> Executable:
    dialect = postgresql if database == "postgresql" else sqlite
    inserted = dialect.insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return cast("Executable", inserted)


async def open_database(
    url: SecretStr, *, flushed: bool = True, stall_seconds: float = STALL_SECONDS
) -> Database:
    """Open the database; an empty one gets its tables, and one in a file is brought up to date.

    Args:
        url: As `ServerSettings.database_url` has it.
        flushed: Whether a write waits for the disk. Without that it survives the end of every
            process of ours, and a power cut may cost the last few.
        stall_seconds: After which PostgreSQL ends a transaction whose process does nothing more:
            one that is stopped would else hold its locks against all others.

    Raises:
        UsageError: When it can't be opened, was made for a newer Fixpoint, or is on PostgreSQL and
            has to be brought up to date first.
    """
    return Database(await asyncio.to_thread(_open, parsed_url(url), flushed, stall_seconds))


def _open(url: URL, flushed: bool, stall_seconds: float) -> Engine:  # noqa: FBT001 - handed to a thread
    with engine_for(url, flushed=flushed, stall_seconds=stall_seconds) as engine:
        with engine.begin() as connection:
            if engine.dialect.name == "sqlite" or is_empty(connection):
                migrate(connection)
            elif steps := outstanding(connection):
                raise UsageError(
                    f"The database is not up to date ({' '.join(steps)}). Run `fixpoint migrate`, "
                    "which does not disturb servers of the version before."
                )
        return engine


def migrate_database(url: SecretStr, *, only_look: bool = False) -> tuple[str, ...]:
    """Bring a database up to date, and return what was done, or what has to be.

    Raises:
        UsageError: When it can't be opened, or was made for a newer Fixpoint.
    """
    with engine_for(parsed_url(url)) as engine:
        with engine.begin() as connection:
            steps = outstanding(connection) if only_look else migrate(connection)
        engine.dispose()
        return steps
