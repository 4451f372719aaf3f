"""Bring an older database up to date: forwards only, in steps that older programs can live with.

A step adds: a table, a column that may be empty, an index. Programs of before go on beside it, for
they name the columns that they write and read. What would break them raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import Column, Connection, Inspector, Table, func, insert, inspect, select, text
from sqlalchemy.schema import CreateColumn

from bot.errors import UsageError
from bot.storage.identities import identify
from bot.storage.memory_index import make_index
from bot.storage.tables import (
    SCHEMA_VERSION,
    api_keys,
    approvals,
    commits,
    deliveries,
    last_words,
    memory_entries,
    metadata,
    migrations,
    repair_outcomes,
    runs,
    schema_version,
    seen_tests,
    sessions,
    webhooks,
)

_LOCK = 7216453
"""Of PostgreSQL's advisory locks, for who changes tables; the number is arbitrary."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A change of tables that exist.

    Attributes:
        number: Counts up.
        what: For people, behind "Add".
        apply: Makes it; told the database as it is, since it may be there already.
    """

    number: int
    what: str
    apply: Callable[[Connection], None]


def _added(*columns: Column[object]) -> Callable[[Connection], None]:
    """Return what adds columns to their tables where they are missing."""

    def apply(connection: Connection) -> None:
        for column in columns:
            table: Table = column.table
            there = {found["name"] for found in inspect(connection).get_columns(table.name)}
            if column.name not in there:
                described = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {described}"))

    return apply


def _indexed(table: Table, name: str) -> Callable[[Connection], None]:
    """Return what adds an index where it is missing."""
    [index] = (item for item in table.indexes if item.name == name)
    return partial(index.create, checkfirst=True)


def _nothing(connection: Connection) -> None:
    """Leave it to a later step, which adds another index in place of this one's."""
    del connection


def _identities(connection: Connection) -> None:
    """Let rows belong to repositories by what GitHub knows them by; see `bot.storage.identities`."""
    for add in (
        _added(
            runs.c.identity,
            sessions.c.identity,
            memory_entries.c.identity,
            repair_outcomes.c.identity,
            last_words.c.repository_id,
            api_keys.c.identities,
        ),
        _indexed(runs, "runs_by_identity"),
        _indexed(runs, "runs_counted"),
        _indexed(memory_entries, "memory_entries_found"),
        _indexed(memory_entries, "memory_entries_of_pull"),
        _indexed(repair_outcomes, "repair_outcomes_of_pull"),
        identify,
    ):
        add(connection)


def _outcomes_from_memory(connection: Connection) -> None:
    """Note what became of the repairs of earlier runs, as far as memory knows it."""
    published = memory_entries.c.commit_sha != ""
    newest = select(func.max(memory_entries.c.number)).where(published)
    kept = (
        column.name
        for column in repair_outcomes.c
        if column.name not in {"published_at", "identity"}
    )
    columns = [memory_entries.c[name] for name in kept]
    known = select(*columns, memory_entries.c.made_at).where(
        memory_entries.c.number.in_(newest.group_by(memory_entries.c.run_id))
    )
    names = [*(column.name for column in columns), "published_at"]
    connection.execute(insert(repair_outcomes).from_select(names, known))


MIGRATIONS = (
    Migration(
        1,
        "who works on a delivery and on a commit",
        _added(deliveries.c.claimed_by, deliveries.c.thread, commits.c.claimed_by),
    ),
    Migration(2, "an index of runs that ended", _nothing),
    Migration(3, "full-text search in what earlier runs tried", make_index),
    Migration(4, "what became of the repairs of earlier runs", _outcomes_from_memory),
    Migration(5, "who else may read what is remembered", _added(memory_entries.c.reach)),
    Migration(6, "what people said of earlier repairs", _added(memory_entries.c.remarks)),
    Migration(
        7,
        "what questions are about, and since when they stand",
        _added(approvals.c.about, approvals.c.asked_at, approvals.c.posted_at),
    ),
    Migration(8, "which repository rows belong to, by its id instead of its name", _identities),
    Migration(9, "what people want of a commit whose checks failed", _added(commits.c.asked_for)),
    Migration(
        10, "what runs are called, and how far they came", _added(runs.c.title, runs.c.phase)
    ),
    Migration(11, "what messages of webhooks look like", _added(webhooks.c.format)),
    Migration(12, "who owns the tests that failed", _added(seen_tests.c.owner)),
)
"""In the order of their numbers. A step that was released stays as it is."""


def outstanding(connection: Connection) -> tuple[str, ...]:
    """Return what `migrate` would do, one sentence each; nothing where all is up to date.

    Raises:
        UsageError: When the database was made for a newer Fixpoint.
    """
    _refuse_newer(connection)
    return tuple(_outstanding(inspect(connection), connection))


def migrate(connection: Connection) -> tuple[str, ...]:
    """Do what is outstanding, and return what that was. Several programs may call it at once.

    Raises:
        UsageError: When the database was made for a newer Fixpoint.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    done = outstanding(connection)
    if not done:
        return ()
    metadata.create_all(connection)
    applied = set(connection.scalars(select(migrations.c.number)))
    for step in MIGRATIONS:
        if step.number not in applied:
            step.apply(connection)
            row = {"number": step.number, "applied_at": datetime.now(UTC)}
            connection.execute(insert(migrations).values(row))
    if connection.scalar(select(schema_version.c.version)) is None:
        connection.execute(insert(schema_version).values(version=SCHEMA_VERSION))
    return done


def is_empty(connection: Connection) -> bool:
    """Return whether no Fixpoint has used the database yet."""
    return not inspect(connection).has_table(schema_version.name)


def _outstanding(found: Inspector, connection: Connection) -> Iterator[str]:
    there = set(found.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in there:
            yield f"Create the table {table.name}."
    applied = (
        set(connection.scalars(select(migrations.c.number)))
        if migrations.name in there
        else set[int]()
    )
    for step in MIGRATIONS:
        if step.number not in applied:
            yield f"Add {step.what}."


def _refuse_newer(connection: Connection) -> None:
    if is_empty(connection):
        return
    found = connection.scalar(select(schema_version.c.version))
    if found is not None and found > SCHEMA_VERSION:
        raise UsageError(
            f"The database has schema version {found}, but this Fixpoint supports "
            f"versions up to {SCHEMA_VERSION}. Install a newer Fixpoint, or use another DATABASE_URL."
        )
