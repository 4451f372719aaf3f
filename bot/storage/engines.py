"""Make the engine of a database: what SQLite and PostgreSQL have to be told first."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from bot.errors import UsageError
from bot.storage.group_commit import failed

LOCK_SECONDS = 10
"""How long a writer waits for one in another process."""

READERS = 4

STALL_SECONDS = 10.0
"""In a transaction, between two statements. Ours never wait for anything but the database."""


def parsed_url(url: SecretStr) -> URL:
    """Return a URL in parts.

    Raises:
        UsageError: When it is none; the text quotes nothing of it.
    """
    try:
        return make_url(url.get_secret_value())
    except (ArgumentError, ValueError):
        # `from None`: what the parser quotes may be a part of the password.
        raise UsageError(
            "DATABASE_URL must look like sqlite:////path/to/file.db or postgresql://user@host/name."
        ) from None


@contextmanager
def engine_for(
    url: URL, *, flushed: bool = True, stall_seconds: float = STALL_SECONDS
) -> Iterator[Engine]:
    """Yield an engine; whatever goes wrong closes it, and says which database it was."""
    try:
        if url.get_backend_name() == "sqlite":
            engine = _sqlite(url, flushed=flushed)
        else:
            engine = postgresql_engine(url, flushed=flushed, stall_seconds=stall_seconds)
        try:
            yield engine
        except BaseException:
            engine.dispose()
            raise
    except (SQLAlchemyError, OSError) as error:
        shown = url.render_as_string(hide_password=True)
        reason = failed(error) if isinstance(error, SQLAlchemyError) else error
        raise UsageError(
            f"Could not open the database {shown}: {str(reason).rstrip('.')}. Check its address in "
            "DATABASE_URL, or in the option that names it."
        ) from error


def postgresql_engine(
    url: URL, *, flushed: bool, stall_seconds: float, pool_size: int = READERS + 1
) -> Engine:
    """Return an engine for PostgreSQL; see `open_database`."""
    options = f"-c idle_in_transaction_session_timeout={round(stall_seconds * 1000)}"
    if not flushed:
        # https://www.postgresql.org/docs/current/wal-async-commit.html
        options += " -c synchronous_commit=off"
    return create_engine(
        url, pool_pre_ping=True, pool_size=pool_size, connect_args={"options": options}
    )


def _sqlite(url: URL, *, flushed: bool) -> Engine:
    make_private(Path(url.database or ""))
    engine = create_engine(url, pool_size=READERS + 1, connect_args={"timeout": LOCK_SECONDS})
    event.listen(engine, "connect", partial(_prepare_sqlite, flushed))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def make_private(file: Path) -> None:
    """Make a database's file and folder, or take from others what they may do with the file.

    Payloads of private repositories are nobody else's on this machine. SQLite gives its other files
    the mode of this one.

    Raises:
        OSError: When it can't be made.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.name or file.name == ":memory:":
        return
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    # One that is there is not opened: to close it would end the locks that SQLite has in this
    # process, https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    for kept in (file, *(file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))):
        with contextlib.suppress(OSError):  # it isn't there, or whose it is has decided
            kept.chmod(stat.S_IMODE(kept.stat().st_mode) & ~stat.S_IRWXO)


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
