"""`fixpoint migrate`: bring the database up to date, or say what that would take."""

from __future__ import annotations

import os

import typer

from bot.runs.durability.engine_tables import migrate_engine
from bot.settings.environment import load_store_settings
from bot.storage.database import migrate_database


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
