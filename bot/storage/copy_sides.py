"""Open the databases between which everything is copied: a server's, an empty one, and a backup."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import URL, Connection, Engine, func, select

from bot.errors import UsageError
from bot.storage.database import database_time
from bot.storage.database_copy import CopiedDatabase, EngineTables, refuse_filled
from bot.storage.engines import engine_for, parsed_url
from bot.storage.migrations import is_empty, migrate, outstanding
from bot.storage.server_locks import ServerLocks
from bot.storage.steps_database import steps_database
from bot.storage.tables import finished_acts, servers, steps_metadata

_PATIENCE_SECONDS = 3600.0
"""In a transaction, until PostgreSQL ends it: the other side may be slow."""

_SILENCE = timedelta(minutes=1)
"""After which a server that has not said that it lives does not, by the default of its beat."""


@contextmanager
def reading(url: SecretStr, engine: EngineTables, *, alone: bool) -> Iterator[CopiedDatabase]:
    """Yield a server's database as it is at this moment, whatever is written meanwhile.

    In files, durable steps are read as of a moment before everything else. Then the copy is as
    after a crash that lost the last steps, which are done again, instead of one that lost a run.

    Args:
        url: As `StoreSettings.database_url` has it.
        engine: Of durable steps.
        alone: Whether no server may use it, because it is moved.

    Raises:
        UsageError: When there is no such database, it is not up to date, or a server uses it.
    """
    with _opened(url) as database:
        if database.dialect.name == "postgresql":
            with database.begin() as connection:
                _refuse_unfit(connection, url, alone=alone)
            engine.make(database.url)
            steps_metadata.create_all(database)
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            with database.connect().execution_options(**options) as connection:
                yield CopiedDatabase(connection, connection)
            return
        with database.begin() as connection:
            _refuse_unfit(connection, url, alone=alone)
            migrate(connection)
        with (
            steps_database(url) as files,
            files.connect() as steps,
            database.connect().execution_options(reads_only=True) as main,
        ):
            engine.make(files.url)
            steps_metadata.create_all(files)
            steps.exec_driver_sql("BEGIN")
            steps.scalar(
                select(func.count()).select_from(finished_acts)
            )  # the moment is that of the first look
            yield CopiedDatabase(main, steps)


@contextmanager
def writing(url: SecretStr, engine: EngineTables) -> Iterator[CopiedDatabase]:
    """Yield an empty database with its tables; what is written is kept if the block ends well.

    In files, durable steps are kept first: an interruption in between leaves a target that still
    counts as empty.

    Raises:
        UsageError: When it can't be opened, or isn't empty.
    """
    with _opened(url, made=True) as database:
        with database.begin() as connection:
            refuse_filled(connection)
            migrate(connection)
        if database.dialect.name == "postgresql":
            engine.make(database.url)
            with database.begin() as connection:
                steps_metadata.create_all(connection)
                yield CopiedDatabase(connection, connection)
            return
        with steps_database(url) as files:
            engine.make(files.url)
            steps_metadata.create_all(files)
            with database.begin() as main, files.begin() as steps:
                yield CopiedDatabase(main, steps)


@contextmanager
def in_one_file(file: Path, engine: EngineTables, *, made: bool) -> Iterator[CopiedDatabase]:
    """Yield a backup, which holds both databases in one file; an older one is brought up to date.

    Args:
        file: The file.
        engine: Of durable steps.
        made: Whether it is a new one.

    Raises:
        UsageError: When it can't be opened, is none, or was made by a newer Fixpoint.
    """
    url = SecretStr(URL.create("sqlite", database=str(file)).render_as_string())
    with _opened(url, made=made) as database:
        with database.begin() as connection:
            if not made and is_empty(connection):
                raise UsageError(f"{file} is no backup of Fixpoint's.")
            migrate(connection)
            steps_metadata.create_all(connection)
        engine.make(database.url)
        with database.begin() as connection:
            yield CopiedDatabase(connection, connection)


@contextmanager
def _opened(url: SecretStr, *, made: bool = False) -> Iterator[Engine]:
    """Yield the engine of a database that is there, or may be `made`."""
    parsed = parsed_url(url)
    if (
        not made
        and parsed.get_backend_name() == "sqlite"
        and not Path(parsed.database or "").is_file()
    ):
        raise UsageError(f"There is no database at {parsed.database}.")
    with engine_for(parsed, stall_seconds=_PATIENCE_SECONDS) as engine:
        yield engine
        engine.dispose()


def _refuse_unfit(connection: Connection, url: SecretStr, *, alone: bool) -> None:
    shown = parsed_url(url).render_as_string(hide_password=True)
    if is_empty(connection):
        raise UsageError(f"No Fixpoint has used the database {shown}: there is nothing to copy.")
    if connection.dialect.name == "postgresql" and (steps := outstanding(connection)):
        raise UsageError(
            f"The database {shown} is not up to date ({' '.join(steps)}). Run `fixpoint migrate` "
            "with DATABASE_URL set to it first."
        )
    if alone and (hosts := _in_use(connection, url)):
        raise UsageError(
            f"A server on {', '.join(sorted(hosts))} uses the database {shown}. Stop it first: what "
            "it did from now on would be lost."
        )


def _in_use(connection: Connection, url: SecretStr) -> frozenset[str]:
    """Return the machines of the servers that use a database."""
    rows = connection.execute(select(servers.c.id, servers.c.host, servers.c.beat_at)).all()
    ended = ServerLocks.of(url, "").ended(row.id for row in rows)
    now = database_time(connection)
    return frozenset(
        row.host for row in rows if row.id not in ended and now - row.beat_at < _SILENCE
    )
