"""`fixpoint migrate`, `backup` and `restore`: bring a database up to date, or take it along, all of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import typer
from pydantic import SecretStr

from bot.errors import UsageError
from bot.runs.durability.engine_tables import ENGINE_TABLES, migrate_engine
from bot.settings.environment import load_store_settings
from bot.storage.copy_sides import in_one_file, reading, writing
from bot.storage.database import migrate_database
from bot.storage.database_copy import Copied, copy_all
from bot.storage.engines import parsed_url


def run_migrate(*, check: bool) -> bool:
    """Do what is outstanding, or with `check` only list it; return whether nothing is left.

    Raises:
        UsageError: When the settings or the database can't be used.
    """
    url = load_store_settings(os.environ).database_url
    steps = (
        *migrate_database(url, only_look=check),
        *migrate_engine(url, only_look=check),
    )
    for step in steps:
        typer.echo(step)
    if not steps:
        typer.echo("The database is up to date.")
        return True
    if check:
        typer.echo("Run `fixpoint migrate`.")
    return not check


def run_move(source: str, target: str | None) -> None:
    """Copy a database into an empty one, and print how much of what that was.

    Args:
        source: URL of the database of a server that was stopped. It stays as it is.
        target: URL of the new one; `DATABASE_URL` if None.

    Raises:
        UsageError: When a URL is none, the source is in use, or the target isn't empty.
    """
    there = SecretStr(source)
    here = _own_database() if target is None else SecretStr(target)
    if parsed_url(there) == parsed_url(here):
        raise UsageError("--from and --to name the same database.")
    with (
        reading(there, ENGINE_TABLES, alone=True) as kept,
        writing(here, ENGINE_TABLES) as new,
    ):
        copied = copy_all(kept, new, ENGINE_TABLES)
    _tell(copied)
    typer.echo("Set DATABASE_URL to the new database before you start the server.")


def run_backup(file: Path) -> None:
    """Write the database into one file that only its owner may read; servers may go on.

    Raises:
        UsageError: When the file exists or can't be written, or there is no database.
    """
    if file.exists():
        raise UsageError(f"{file} exists. Name another file, or delete it first.")
    begun = file.with_name(f"{file.name}.unfinished")
    begun.unlink(missing_ok=True)  # of a backup that was interrupted
    with (
        reading(_own_database(), ENGINE_TABLES, alone=False) as kept,
        in_one_file(begun, ENGINE_TABLES, made=True) as backup,
    ):
        copied = copy_all(kept, backup, ENGINE_TABLES)
    begun.rename(file)
    _tell(copied)
    typer.echo(f"The backup is {file}.")


def run_restore(file: Path) -> None:
    """Fill an empty database from a backup.

    Raises:
        UsageError: When the file is no backup, or the database isn't empty.
    """
    if not file.is_file():
        raise UsageError(f"There is no file {file}.")
    # Of a copy, since an older backup is brought up to date and should stay what it was.
    with tempfile.TemporaryDirectory(prefix="fixpoint-restore-") as folder:
        copy = Path(shutil.copyfile(file, Path(folder) / "backup.db"))
        with (
            in_one_file(copy, ENGINE_TABLES, made=False) as backup,
            writing(_own_database(), ENGINE_TABLES) as new,
        ):
            copied = copy_all(backup, new, ENGINE_TABLES)
    _tell(copied)
    typer.echo("The database is restored. Start the server.")


def _own_database() -> SecretStr:
    return load_store_settings(os.environ).database_url


def _tell(copied: Copied) -> None:
    for table, rows in copied.items():
        if rows:
            typer.echo(f"{rows:>9,}  {table}")
    filled = sum(rows > 0 for rows in copied.values())
    tables = "1 table" if filled == 1 else f"{filled} tables"
    typer.echo(f"{sum(copied.values()):,} rows of {tables} were copied and counted.")
