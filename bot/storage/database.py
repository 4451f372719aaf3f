"""Open the database and run work on it without blocking the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from pydantic import SecretStr
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Executable,
    Table,
    create_engine,
    event,
    insert,
    make_url,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from bot.errors import UsageError
from bot.storage.group_commit import Act, GroupCommit, failed
from bot.storage.signals import Signals, news_of_other_servers
from bot.storage.tables import SCHEMA_VERSION, metadata, schema_version

T = TypeVar("T")


LOCK_SECONDS = 10
"""How long a writer waits for one in another process."""

READERS = 4


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

    async def write(self, act: Act[T]) -> T:
        """Run `act` in a transaction that others may share, and return once it is on disk.

        Raises:
            StorageError: When it failed; nothing of it was kept.
        """
        return await self._writes.run(act)

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


async def open_database(url: SecretStr, *, flushed: bool = True) -> Database:
    """Open the database and create its tables where they are missing.

    Args:
        url: As `ServerSettings.database_url` has it.
        flushed: Whether a write waits for the disk. Without that it survives the end of every
            process of ours, and a power cut may cost the last few.

    Raises:
        UsageError: When it can't be opened, or was written by a newer Fixpoint.
    """
    return Database(await asyncio.to_thread(_open, _parsed(url), flushed))


def _parsed(url: SecretStr) -> URL:
    try:
        return make_url(url.get_secret_value())
    except (ArgumentError, ValueError):
        # `from None`: what the parser quotes may be a part of the password.
        raise UsageError(
            "DATABASE_URL must look like sqlite:////path/to/file.db or postgresql://user@host/name."
        ) from None


def _open(url: URL, flushed: bool) -> Engine:  # noqa: FBT001 - handed to a thread
    try:
        kind = _sqlite if url.get_backend_name() == "sqlite" else _postgresql
        engine = kind(url, flushed=flushed)
        try:
            with engine.begin() as connection:
                _create(connection)
        except BaseException:
            engine.dispose()
            raise
    except (SQLAlchemyError, OSError) as error:
        shown = url.render_as_string(hide_password=True)
        reason = failed(error) if isinstance(error, SQLAlchemyError) else error
        raise UsageError(f"Could not open DATABASE_URL ({shown}). {reason}") from error
    return engine


def _create(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Servers that start together would both see a missing table; the number is arbitrary.
        connection.execute(text("SELECT pg_advisory_xact_lock(7216453)"))
    metadata.create_all(connection)
    found = connection.scalar(select(schema_version.c.version))
    if found is None:
        connection.execute(insert(schema_version).values(version=SCHEMA_VERSION))
    elif found > SCHEMA_VERSION:
        raise UsageError(
            f"The database has schema version {found}, but this Fixpoint supports "
            f"versions up to {SCHEMA_VERSION}. Install a newer Fixpoint, or use another DATABASE_URL."
        )


def _postgresql(url: URL, *, flushed: bool) -> Engine:
    # https://www.postgresql.org/docs/current/wal-async-commit.html
    options = {} if flushed else {"options": "-c synchronous_commit=off"}
    return create_engine(url, pool_pre_ping=True, pool_size=READERS + 1, connect_args=options)


def _sqlite(url: URL, *, flushed: bool) -> Engine:
    # Payloads of private repositories are nobody else's on this machine.
    Path(url.database or "").parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(url, pool_size=READERS + 1, connect_args={"timeout": LOCK_SECONDS})
    event.listen(engine, "connect", partial(_prepare_sqlite, flushed))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(flushed: bool, connection: Any, record: object) -> None:  # noqa: FBT001 - bound before the event
    """Set up a new connection: readers beside one writer; flushed commits survive power loss."""
    del record
    connection.isolation_level = None  # `_begin_sqlite` begins; the driver would do so too late
    set_up_sqlite(connection, flushed=flushed)
    connection.execute("PRAGMA foreign_keys=ON")


def set_up_sqlite(connection: Any, *, flushed: bool) -> None:
    """Let readers work beside one writer; only `flushed` commits survive a power cut."""
    _write_ahead(connection)
    connection.execute(f"PRAGMA synchronous={'FULL' if flushed else 'NORMAL'}")


def _write_ahead(connection: Any) -> None:
    """Keep the log of writes in a file of its own; SQLite does not wait for that lock itself.

    Raises:
        sqlite3.OperationalError: When another process holds it for long.
    """
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock first: one that is asked for after a read can't be waited for.

    See https://www.sqlite.org/isolation.html and SQLITE_BUSY_SNAPSHOT.
    """
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
