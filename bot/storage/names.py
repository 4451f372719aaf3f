"""Let everything that is kept of a repository follow it to its new name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Table, Update, select, update

from bot.model.repository import Repo
from bot.storage.database import Database
from bot.storage.tables import (
    commits,
    memory_entries,
    memory_lessons,
    open_pulls,
    repair_outcomes,
    runs,
    sessions,
    stops,
    switches,
)


class NameStore:
    """Names of repositories. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def renamed(self, old: Repo, new: Repo) -> None:
        """Note that a repository has another name or owner now."""

        def act(connection: Connection) -> int:
            return sum(connection.execute(one).rowcount for one in _changes(old, new))

        await self._database.write(act)


def _changes(old: Repo, new: Repo) -> Iterator[Update]:
    name = {"repository": new.full_name.lower()}
    full = {**name, "full_name": new.full_name}
    yield _moved(runs, old).values(name)
    yield _moved(sessions, old).values(full)
    # What is remembered stays with the installation that kept it.
    yield _moved(memory_entries, old).values(name)
    yield _moved(repair_outcomes, old).values(name)
    yield _moved_unless_there(memory_lessons, "id", old, new).values(name)
    yield _moved_unless_there(commits, "sha", old, new).values(
        {**full, "installation_id": new.installation_id}
    )
    yield _moved_unless_there(open_pulls, "number", old, new).values(
        {**full, "installation_id": new.installation_id}
    )
    for table in (switches, stops):
        yield _moved_unless_there(table, "number", old, new).values(name)


def _moved(table: Table, old: Repo) -> Update:
    return update(table).where(table.c.repository == old.full_name.lower())


def _moved_unless_there(table: Table, key: str, old: Repo, new: Repo) -> Update:
    """Leave rows behind whose like was noted under the new name already."""
    there: Any = table.alias()
    same = select(there.c[key]).where(
        there.c.repository == new.full_name.lower(), there.c[key] == table.c[key]
    )
    return _moved(table, old).where(~same.exists())
