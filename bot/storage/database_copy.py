"""Copy all that a server keeps into an empty database, of the same kind or the other, and count it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    JSON,
    URL,
    Connection,
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
from bot.storage.tables import (
    duties,
    finished_acts,
    metadata,
    migrations,
    schema_version,
    server_places,
    servers,
)

_OF_PROCESSES = (servers, server_places, duties)
"""Which processes use a database: none uses the copy."""

_OWN = (*_OF_PROCESSES, schema_version)
_COPIED = tuple(table for table in metadata.sorted_tables if table not in _OWN)
_BOOKKEEPING = (*_OWN, migrations)
"""What a database has before anything was kept in it."""

_ROWS = 500
"""That are in memory at once: a row may hold a webhook's payload of megabytes."""


@dataclass(frozen=True, slots=True)
class CopiedDatabase:
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


def copy_all(source: CopiedDatabase, target: CopiedDatabase, engine: EngineTables) -> Copied:
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
