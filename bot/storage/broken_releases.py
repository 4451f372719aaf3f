"""Remember which releases broke the repositories of this server: they are tried first elsewhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select, update

from bot.model.culprit import KnownRelease
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import broken_releases

_MOST = 200
"""The newest that are read."""

_LONGEST = 100
"""Characters of a version, and of a package's name: nobody writes longer ones."""


class BrokenReleaseStore:
    """The table of these releases. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, repo: Repo, release: KnownRelease) -> None:
        """Keep a release; what was done about it stays known if nothing was done now.

        Args:
            repo: That it broke.
            release: Of a package.
        """
        named = (release.package, release.before, release.after)
        if any(len(text) > _LONGEST for text in named):
            return
        changed: dict[str, object] = {"before": release.before, "seen_at": datetime.now(UTC)}
        key = {
            "owner": _owner(repo),
            "registry": release.registry,
            "package": release.package,
            "after": release.after,
        }
        row = key | changed | {"followed": json.dumps(release.followed)}
        if release.followed:
            changed["followed"] = row["followed"]
        columns = broken_releases.c
        change = (
            update(broken_releases)
            .where(*(columns[name] == value for name, value in key.items()))
            .values(changed)
        )
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, broken_releases, row)
                or connection.execute(change).rowcount
            )
        )

    async def known(self, repo: Repo) -> tuple[KnownRelease, ...]:
        """Return the releases, those of a repository's owner first, then the newest.

        What other owners did about theirs is not told.
        """
        newest = select(broken_releases).order_by(broken_releases.c.seen_at.desc()).limit(_MOST)
        rows = await self._database.read(lambda connection: connection.execute(newest).all())
        found: dict[tuple[str, str, str], KnownRelease] = {}
        for row in sorted(rows, key=lambda row: row.owner != _owner(repo)):
            is_own = row.owner == _owner(repo)
            told = json.loads(row.followed) if is_own else []
            followed = tuple((name, instead) for name, instead in told)
            release = KnownRelease(row.package, row.before, row.after, followed, row.registry)
            found.setdefault((row.registry, row.package, row.after), release)
        return tuple(found.values())


def _owner(repo: Repo) -> str:
    """Return an account by its installation: its login may be another's by now, and has no `#`."""
    return f"#{repo.installation_id}"


@dataclass(frozen=True, slots=True)
class ReleasesKnownTo:
    """What one repository may know of these releases."""

    store: BrokenReleaseStore
    repo: Repo

    async def known(self) -> tuple[KnownRelease, ...]:
        """Return the releases as the store tells them to the owner."""
        return await self.store.known(self.repo)
