"""Know repositories by name: under which one each was seen last, to show it and to look for it.

What is kept of a repository stays under its identity, whatever it is called and by whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Connection, Update, select, update

from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.identities import follow_runs
from bot.storage.tables import (
    commits,
    memory_entries,
    memory_lessons,
    open_pulls,
    repair_outcomes,
    repo_of,
    repositories,
    runs,
    sessions,
)

_REMEMBERED = 5_000


class NameStore:
    """Names of repositories. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: LRUCache[str, tuple[str, int]] = LRUCache(_REMEMBERED)

    async def seen(self, repo: Repo) -> bool:
        """Note what a repository is called now; return whether that is another name or owner."""
        now = repo.full_name, repo.installation_id
        if repo.id is None or self._seen.get(repo.identity) == now:
            return False
        changed = await self._database.write(lambda connection: _note(connection, repo))
        self._seen[repo.identity] = now
        return changed

    async def named(self, name: str, among: frozenset[str] | None) -> Repo | None:
        """Return the repository that was last seen under a name.

        Args:
            name: `owner/name`.
            among: Identities of those that count; None for all.
        """
        statement = (
            select(repositories)
            .where(repositories.c.name == name.lower())
            .order_by(repositories.c.seen_at.desc())
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return next((repo_of(row) for row in rows if among is None or row.identity in among), None)

    async def unproven(self, repo: Repo, most: int) -> Mapping[str, int]:
        """Return runs that an earlier version kept under a repository's name, the newest ones.

        Returns:
            By id: of the comment that showed its progress, which tells where the run was.
        """
        statement = (
            select(runs.c.id, runs.c.progress_comment_id)
            .where(
                runs.c.identity.is_(None),
                runs.c.repository == repo.full_name.lower(),
                runs.c.progress_comment_id.is_not(None),
            )
            .order_by(runs.c.created_at.desc())
            .limit(most)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {row.id: row.progress_comment_id for row in rows}

    async def prove(self, run_id: str, repo: Repo, *, is_its: bool) -> None:
        """Note whether such a run, with all that belongs to it, is of a repository; once and for all."""
        whose = repo.identity if is_its else repo.full_name.lower()
        old = update(runs).where(runs.c.id == run_id, runs.c.identity.is_(None))

        def act(connection: Connection) -> None:
            connection.execute(old.values(identity=whose))
            if is_its:
                follow_runs(connection)

        await self._database.write(act)


def names_of(connection: Connection) -> Mapping[str, str]:
    """Return the name of each repository that was seen, by its identity."""
    found = connection.execute(select(repositories.c.identity, repositories.c.full_name))
    return {row.identity: row.full_name for row in found}


def introduce(connection: Connection, repo: Repo) -> bool:
    """Note a repository unless it was seen before; return whether it is new."""
    return insert_if_new(connection, repositories, _row(repo))


def _row(repo: Repo) -> dict[str, Any]:
    return {
        "identity": repo.identity,
        "full_name": repo.full_name,
        "name": repo.full_name.lower(),
        "installation_id": repo.installation_id,
        "seen_at": datetime.now(UTC),
    }


def _note(connection: Connection, repo: Repo) -> bool:
    is_new = introduce(connection, repo)
    here = update(repositories).where(repositories.c.identity == repo.identity)
    other = (repositories.c.full_name != repo.full_name) | (
        repositories.c.installation_id != repo.installation_id
    )
    is_other = connection.execute(here.where(other).values(_row(repo))).rowcount > 0
    for change in _changes(repo) if is_new or is_other else ():
        connection.execute(change)
    return is_other


def _changes(repo: Repo) -> Iterator[Update]:
    name = {"repository": repo.full_name.lower()}
    for table in (runs, memory_entries, repair_outcomes):
        yield update(table).where(table.c.identity == repo.identity).values(name)
    of_it = sessions.c.identity == repo.identity
    yield update(sessions).where(of_it).values({**name, "full_name": repo.full_name})
    of_it = memory_lessons.c.identity == repo.identity
    yield update(memory_lessons).where(of_it).values(full_name=repo.full_name)
    place = {"full_name": repo.full_name, "installation_id": repo.installation_id}
    for watched in (commits, open_pulls):
        yield update(watched).where(watched.c.identity == repo.identity).values(place)
    # What is remembered stays with the account that kept it, which shares nothing of a repository
    # that is no longer its own.
    kept = update(memory_entries).where(memory_entries.c.identity == repo.identity)
    yield kept.where(memory_entries.c.installation_id != repo.installation_id).values(reach=None)
