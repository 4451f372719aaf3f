"""A database is copied whole, into another file or into PostgreSQL and back, or not at all."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
)

from bot.commands.migration import run_backup, run_move, run_restore
from bot.errors import UsageError
from bot.runs.durability.engine_tables import ENGINE_TABLES
from bot.storage.copy_sides import reading, writing
from bot.storage.database import open_database
from bot.storage.database_copy import CopiedDatabase, copy_all
from bot.storage.memory_index import found_by_words
from bot.storage.servers import ServerRow, ServerStore
from bot.storage.tables import (
    UtcDateTime,
    duties,
    finished_acts,
    memory_entries,
    metadata,
    migrations,
    runs,
    schema_version,
    server_places,
    servers,
)

PROCESSES = (servers, server_places, duties)
MAIN = [
    table
    for table in metadata.sorted_tables
    if table not in {*PROCESSES, schema_version, migrations}
]
STEPS = [*ENGINE_TABLES.tables, finished_acts]
NOW = datetime(2026, 11, 29, 20, 5, 7, 123457, tzinfo=UTC)
ROWS = 3


def value(column: Column[Any], row: int) -> object:  # noqa: PLR0911 - one for each type
    """A value of a column, another one in each row; nothing in the last, where that may be."""
    if column.nullable and row == ROWS - 1:
        return None
    match column.type:
        case UtcDateTime():
            return NOW + timedelta(microseconds=row)
        case Boolean():
            return row % 2 == 0
        case BigInteger():
            return 2**40 + row
        case Integer():
            return row + 1
        case Float():
            return row + 0.5
        case LargeBinary():
            return b"\x00\xff" + bytes([row])
        case JSON():
            return {"row": row}
        case String(length=length) | Text(length=length):
            return f"r{row} \N{SNOWMAN}"[: length or 99]
        case _:  # our own text
            return f"r{row} \N{SNOWMAN}"


def fill(url: SecretStr) -> None:
    """Put rows into every table of an empty database."""
    with writing(url, ENGINE_TABLES) as side:
        for table, connection in tables(side):
            rows = [{item.name: value(item, row) for item in table.c} for row in range(ROWS)]
            connection.execute(insert(table), rows)


def tables(side: CopiedDatabase) -> Iterator[tuple[Table, Connection]]:
    """Every table that goes along, with the connection that reaches it."""
    ENGINE_TABLES.placed(side.steps)
    yield from ((table, side.steps) for table in STEPS)
    yield from ((table, side.main) for table in MAIN)


def contents(url: SecretStr) -> Mapping[str, list[tuple[Any, ...]]]:
    """All rows of a database by their table."""
    with reading(url, ENGINE_TABLES, alone=False) as side:
        return {
            table.name: sorted((tuple(row) for row in found.execute(select(table))), key=repr)
            for table, found in tables(side)
        }


def file(folder: Path, name: str) -> SecretStr:
    """The URL of a database in a file."""
    return SecretStr(f"sqlite:///{folder / name / 'fixpoint.db'}")


@pytest.fixture
def postgresql(request: pytest.FixtureRequest) -> SecretStr:
    """An empty database of PostgreSQL."""
    return SecretStr(request.getfixturevalue("postgres").empty_database())


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.exhaustive]),
    ]
)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> SecretStr:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return file(tmp_path, "target")
    return SecretStr(request.getfixturevalue("postgres").empty_database())


@pytest.mark.postgres
def test_everything_goes_along_and_back(
    postgresql: SecretStr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every table, through PostgreSQL and a backup, to the same rows in a file."""
    source, again = file(tmp_path, "source"), file(tmp_path, "again")
    fill(source)
    before = contents(source)
    assert {len(rows) for rows in before.values()} == {ROWS}
    run_move(source.get_secret_value(), postgresql.get_secret_value())
    assert contents(postgresql) == before
    monkeypatch.setenv("DATABASE_URL", postgresql.get_secret_value())
    run_backup(tmp_path / "backup.db")
    assert (tmp_path / "backup.db").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("DATABASE_URL", again.get_secret_value())
    run_restore(tmp_path / "backup.db")
    assert contents(again) == before == contents(source)


def test_no_table_is_left_out(target: SecretStr) -> None:
    """What a database has beside what goes along is the state of its tables, or an index."""
    with writing(target, ENGINE_TABLES) as side:
        there = set(inspect(side.main).get_table_names())
        schema = "dbos" if side.main.dialect.name == "postgresql" else None
        there |= set(inspect(side.steps).get_table_names(schema=schema))
    left = there - {table.name for table in (*MAIN, *STEPS, migrations)}
    index = {name for name in left if name.startswith("memory_words")}
    of_processes = {table.name for table in PROCESSES}
    other_languages = {"event_dispatch_kv"}  # which DBOS for Python never uses
    kept = {"schema_version", "dbos_migrations"}
    assert left - index - other_languages == of_processes | kept


async def test_the_copy_goes_on_as_the_source_would(target: SecretStr, tmp_path: Path) -> None:
    """New rows get numbers of their own, and what was tried is found by its words."""
    source = file(tmp_path, "source")
    fill(source)
    run_move(source.get_secret_value(), target.get_secret_value())
    async with await open_database(target) as database:
        row = {item.name: value(item, 0) for item in memory_entries.c if item.name != "number"} | {
            "id": "new",
            "words": "needle",
        }
        await database.write(lambda found: found.execute(insert(memory_entries), row).rowcount)
        found = await database.read(
            lambda found: found_by_words(found, ["needle"], memory_entries.c.id == "new", 9)
        )
        assert found == [ROWS + 1]


def interrupted(source: SecretStr, target: SecretStr) -> None:
    """Copy everything, and end before it is kept."""
    with (
        reading(source, ENGINE_TABLES, alone=True) as old,
        writing(target, ENGINE_TABLES) as new,
    ):
        copy_all(old, new, ENGINE_TABLES)
        raise KeyboardInterrupt


def test_an_interrupted_copy_is_begun_again(target: SecretStr, tmp_path: Path) -> None:
    """It left nothing, or durable steps without the runs that they are of."""
    source = file(tmp_path, "source")
    fill(source)
    with pytest.raises(KeyboardInterrupt):
        interrupted(source, target)
    with writing(target, ENGINE_TABLES) as new:
        row = {item.name: value(item, 0) for item in finished_acts.c} | {"name": "left"}
        new.steps.execute(insert(finished_acts), row)
    run_move(source.get_secret_value(), target.get_secret_value())
    assert contents(target) == contents(source)


def test_what_is_kept_is_not_overwritten(target: SecretStr, tmp_path: Path) -> None:
    """Nor is a database copied onto itself, or one that isn't there."""
    source = file(tmp_path, "source")
    fill(source)
    fill(target)
    before = contents(target)
    for refused, words in (
        (source, "The target is not empty: its table .* has 3 rows"),
        (target, "--from and --to name the same database"),
        (file(tmp_path, "nowhere"), "There is no database at"),
    ):
        with pytest.raises(UsageError, match=words):
            run_move(refused.get_secret_value(), target.get_secret_value())
    assert contents(target) == before


HOLD = """\
import sys
from pydantic import SecretStr
from bot.storage.server_locks import ServerLocks
ServerLocks.of(SecretStr(sys.argv[1]), "here").hold()
print(flush=True)
sys.stdin.read()
"""


async def test_a_database_in_use_is_backed_up_and_not_moved(
    tmp_path: Path, target: SecretStr, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on writing into the old one would lose it; a backup is of a moment."""
    source, elsewhere = target.get_secret_value(), file(tmp_path, "elsewhere")
    held = [sys.executable, "-c", HOLD, source]
    process = await asyncio.create_subprocess_exec(*held, stdin=PIPE, stdout=PIPE)
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        async with await open_database(target) as database:
            await ServerStore(database).join(ServerRow("here", "serve", "host-1", "1.0.0", "35"))
            with pytest.raises(UsageError, match=r"A server on host-1 uses .* Stop it first"):
                run_move(source, elsewhere.get_secret_value())
            monkeypatch.setenv("DATABASE_URL", source)
            run_backup(tmp_path / "backup.db")
            with pytest.raises(UsageError, match="exists"):
                run_backup(tmp_path / "backup.db")
            await ServerStore(database).leave("here")
    finally:
        process.kill()
        await process.wait()
    run_move(source, elsewhere.get_secret_value())
    async with await open_database(elsewhere) as database:
        assert await ServerStore(database).living() == {}


def test_a_file_that_is_no_backup_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it holds."""
    monkeypatch.setenv("DATABASE_URL", file(tmp_path, "target").get_secret_value())
    (tmp_path / "text").write_text(
        "Not a database, but longer than a header of one would be.\n" * 9
    )
    (tmp_path / "empty").touch()
    for name, words in (("text", "file is not a database"), ("empty", "is no backup")):
        with pytest.raises(UsageError, match=words):
            run_restore(tmp_path / name)
    assert runs in MAIN
