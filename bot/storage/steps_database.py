"""Where the results of durable steps are kept."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, event, make_url

from bot.storage.engines import STALL_SECONDS, make_private, postgresql_engine, set_up_sqlite

LOCK_SECONDS = 30
POOL_SIZE = 10

_KNOWS_SUBSECONDS = (3, 42)
"""The SQLite from which `unixepoch('subsec')` gives a time. From Python 3.12 on DBOS takes that for
granted, but a Python that was built on Debian 12 has an older one."""


@contextmanager
def steps_database(
    database_url: SecretStr, *, stall_seconds: float = STALL_SECONDS
) -> Iterator[Engine]:
    """Open the same PostgreSQL as everything else's, or an SQLite file of its own.

    A file of its own, because a step's commit need not wait for the disk (a crash of the process
    loses nothing), while a delivery's must: GitHub does not send it again.
    """
    url = make_url(database_url.get_secret_value())
    if url.get_backend_name() == "sqlite":
        engine = _file(Path(url.database or "fixpoint.db").with_suffix(".steps.db"))
    else:
        engine = postgresql_engine(
            url, flushed=True, stall_seconds=stall_seconds, pool_size=POOL_SIZE
        )
    try:
        yield engine
    finally:
        engine.dispose()


def _file(path: Path) -> Engine:
    make_private(path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": LOCK_SECONDS})
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, record: object) -> None:
    del record
    set_up_sqlite(connection, flushed=False)
    if sqlite3.sqlite_version_info < _KNOWS_SUBSECONDS:
        connection.create_function("unixepoch", 1, _unixepoch)


def _unixepoch(modifier: str) -> float:
    """Stand for SQLite's own, as DBOS asks it.

    Raises:
        ValueError: When it is asked for anything else.
    """
    if modifier != "subsec":
        raise ValueError(f"unixepoch({modifier!r}) is not supported here")
    return time.time()
