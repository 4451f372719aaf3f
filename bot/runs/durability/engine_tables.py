"""Bring the tables of the durable engine (DBOS) up to date: it has migrations of its own."""

from __future__ import annotations

from dbos import DBOS
from dbos._migration import get_migration_versions
from dbos._schemas import SCHEMA_PLACEHOLDER
from dbos._schemas.system_database import SystemSchema
from pydantic import SecretStr
from sqlalchemy import URL, Connection, Engine

from bot.errors import UsageError
from bot.storage.database_copy import EngineTables
from bot.storage.steps_database import steps_database

_SCHEMA = "dbos"


def migrate_engine(url: SecretStr, *, only_look: bool = False) -> tuple[str, ...]:
    """Bring the tables up to date, and return what was done, or what has to be.

    In a file, whose server does that by itself, there is nothing to do.
    """
    with steps_database(url) as engine:
        if engine.dialect.name == "sqlite":
            return ()
        there, wanted = get_migration_versions(engine, _SCHEMA, use_listen_notify=True)
        if there >= wanted:
            return ()
        if not only_look:
            DBOS.migrate(engine.url.render_as_string(hide_password=False), schema=_SCHEMA)
        return (f"Bring the tables of durable steps from version {there} to {wanted}.",)


def makes_own_tables(engine: Engine) -> bool:
    """Whether a server that starts makes the tables: in a file, and where there are none yet.

    Raises:
        UsageError: When there are older ones, which have to be brought up to date first.
    """
    if engine.dialect.name == "sqlite":
        return True
    there, wanted = get_migration_versions(engine, _SCHEMA, use_listen_notify=True)
    if 0 < there < wanted:
        raise UsageError(
            f"The tables of durable steps have version {there}, and this Fixpoint needs {wanted}. "
            "Run `fixpoint migrate`, which does not disturb servers of the version before."
        )
    return there == 0


def _placed(connection: Connection) -> Connection:
    schema = None if connection.dialect.name == "sqlite" else _SCHEMA
    return connection.execution_options(schema_translate_map={SCHEMA_PLACEHOLDER: schema})


def _make(url: URL) -> None:
    DBOS.migrate(url.render_as_string(hide_password=False), schema=_SCHEMA)


ENGINE_TABLES = EngineTables(tuple(SystemSchema.metadata_obj.sorted_tables), _placed, _make)
"""What the engine keeps, for a copy of the database."""
