"""Copy all that a server keeps into an empty database, of the same kind or the other, and count it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import (
    JSON,
    URL,
    Connection,
    Engine,
    Table,
    delete,
    func,
    insert,
    inspect,
    null,
    select,
    text,
)

from bot.errors import UsageError
from bot.storage.database import database_time
from bot.storage.engines import engine_for, parsed_url
from bot.storage.migrations import is_empty, migrate, outstanding
from bot.storage.server_locks import ServerLocks
from bot.storage.steps_database import steps_database
from bot.storage.tables import (
    duties,
    finished_acts,
    metadata,
    migrations,
    schema_version,
    server_places,
    servers,
    steps_metadata,
)

_OF_PROCESSES = (servers, server_places, duties)
"""Which processes use a database: none uses the copy."""

_OWN = (*_OF_PROCESSES, schema_version)
_COPIED = tuple(table for table in metadata.sorted_tables if table not in _OWN)
_BOOKKEEPING = (*_OWN, migrations)
"""What a database has before anything was kept in it."""

_ROWS = 500
"""That are in memory at once: a row may hold a webhook's payload of megabytes."""

_PATIENCE_SECONDS = 3600.0
"""In a transaction, until PostgreSQL ends it: the other side may be slow."""

_SILENCE = timedelta(minutes=1)
"""After which a server that has not said that it lives does not, by the default of its beat."""


@dataclass(frozen=True, slots=True)
class Side:
    """One database, in a transaction.

    Attributes:
        main: Deliveries and runs.
        steps: Durable steps. In PostgreSQL and in a backup it is the same connection.
    """

    main: Connection
    steps: Connection


@dataclass(frozen=True, slots=True)
class EngineTables:
    """The tables of the engine of durable steps, which only its own room knows.

    Attributes:
        tables: Each behind those that it refers to.
        placed: Has a connection find them where its database keeps them.
        make: Makes them in the database of a URL, or brings them up to date.
    """

    tables: Sequence[Table]
    placed: Callable[[Connection], Connection]
    make: Callable[[URL], None]


Copied = Mapping[str, int]
"""Rows by the name of their table."""


def copy_all(source: Side, target: Side, engine: EngineTables) -> Copied:
    """Copy every table but the list of processes; leave the target's transaction to the caller.

    Both sides have the tables of today. What an interrupted copy left among the target's durable
    steps is replaced: without deliveries and runs they belong to nothing.

    Raises:
        UsageError: When the target holds something, or not as many rows arrived as there are.
    """
    refuse_filled(target.main)
    copied: dict[str, int] = {}
    steps = (*engine.tables, finished_acts)
    for connection in (source.steps, target.steps):
        engine.placed(connection)
    for table in reversed(steps):
        target.steps.execute(delete(table))
    target.main.execute(delete(migrations))  # when a database was made goes along
    for table in steps:
        copied[table.name] = _copy(source.steps, target.steps, table)
    for table in _COPIED:
        copied[table.name] = _copy(source.main, target.main, table)
    return copied


def refuse_filled(connection: Connection) -> None:
    """Make sure that nothing was kept in a database yet.

    Raises:
        UsageError: When something was, or a server uses it.
    """
    there = set(inspect(connection).get_table_names())
    for table in metadata.sorted_tables:
        if table in _BOOKKEEPING and table is not servers:
            continue
        if table.name in there and (rows := _count(connection, table)):
            raise UsageError(
                f"The target is not empty: its table {table.name} has {_rows(rows)}. Nothing was "
                "copied. Name a database that no Fixpoint has used."
            )


def _copy(source: Connection, target: Connection, table: Table) -> int:
    """Copy a table, and return how many rows arrived."""
    options = {"stream_results": True, "yield_per": _ROWS}
    found = source.execute(select(table), execution_options=options)
    json = [column.name for column in table.c if isinstance(column.type, JSON)]
    for part in found.mappings().partitions():
        rows = [{**row, **{name: null() for name in json if row[name] is None}} for row in part]
        target.execute(insert(table), rows)
    expected, arrived = _count(source, table), _count(target, table)
    if expected != arrived:
        raise UsageError(
            f"{table.name}: {_rows(arrived)} arrived of {expected}. The target was left as it was."
        )
    _count_on(target, table)
    return arrived


def _count_on(target: Connection, table: Table) -> None:
    """Have PostgreSQL number the next row behind those that came with their numbers."""
    column = table.autoincrement_column
    if target.dialect.name != "postgresql" or column is None:
        return
    names = {"table": table.name, "column": column.name}
    sequence = target.scalar(text("SELECT pg_get_serial_sequence(:table, :column)"), names)
    newest = target.scalar(select(func.max(column)))
    if sequence is not None and newest is not None:
        target.execute(
            text("SELECT setval(CAST(:name AS regclass), :value)"),
            {"name": sequence, "value": newest},
        )


def _count(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _rows(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


@contextmanager
def reading(url: SecretStr, engine: EngineTables, *, alone: bool) -> Iterator[Side]:
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
                yield Side(connection, connection)
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
            _count(steps, finished_acts)  # the moment is that of the first look
            yield Side(main, steps)


@contextmanager
def writing(url: SecretStr, engine: EngineTables) -> Iterator[Side]:
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
                yield Side(connection, connection)
            return
        with steps_database(url) as files:
            engine.make(files.url)
            steps_metadata.create_all(files)
            with database.begin() as main, files.begin() as steps:
                yield Side(main, steps)


@contextmanager
def in_one_file(file: Path, engine: EngineTables, *, made: bool) -> Iterator[Side]:
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
            yield Side(connection, connection)


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
