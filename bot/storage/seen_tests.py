"""Remember how tests ended: those that failed, and where these pass on other commits."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select

from bot.model.repository import Repo
from bot.model.seen_tests import SeenResult
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import repositories, seen_tests

_MOST = 5_000
"""Results of a repository, the newest, that are read."""

_LONGEST = 1_000
"""Characters of a test's id and of a message."""

_NAME = 255


class SeenTestStore:
    """The table of these results. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, repo: Repo, results: Sequence[SeenResult]) -> None:
        """Keep results; those of a test at a commit and place that are there stay as they are.

        A test that passes is kept only where it was seen failing before.
        """

        def act(connection: Connection) -> None:
            failed = {_digest(result.test) for result in results if result.failed}
            known = failed | self._known(connection, repo)
            for result in results:
                if (digest := _digest(result.test)) in known:
                    insert_if_new(connection, seen_tests, _values(repo, digest, result))

        if results:
            await self._database.write(act)

    def _known(self, connection: Connection, repo: Repo) -> set[str]:
        columns = seen_tests.c
        here = columns.identity == repo.identity, columns.failed.is_(True)
        return set(connection.scalars(select(columns.digest).where(*here).distinct()))

    async def of(
        self, repo: Repo | str, tests: Collection[str] | None = None
    ) -> tuple[SeenResult, ...]:
        """Return the newest results of a repository: of some tests, or of all.

        Args:
            repo: Or its name, as it was seen last.
            tests: Their ids; None for all.
        """
        columns = seen_tests.c
        statement = select(seen_tests).where(_of(repo))
        if tests is not None:
            statement = statement.where(columns.digest.in_([_digest(test) for test in tests]))
        newest = statement.order_by(columns.seen_at.desc()).limit(_MOST)
        rows = await self._database.read(lambda connection: connection.execute(newest).all())
        return tuple(map(_result, rows))

    async def forget(self, repo: Repo | str) -> int:
        """Delete all results of a repository; return of how many tests."""
        here = _of(repo)
        tests = select(func.count(seen_tests.c.digest.distinct())).where(here)

        def act(connection: Connection) -> int:
            found = connection.scalar(tests) or 0
            connection.execute(delete(seen_tests).where(here))
            return found

        return await self._database.write(act)

    async def prune(self, older_than: datetime) -> int:
        """Delete what was seen before that moment; return how many."""
        old = delete(seen_tests).where(seen_tests.c.seen_at < older_than)
        return await self._database.write(lambda connection: connection.execute(old).rowcount)


def _of(repo: Repo | str) -> ColumnElement[bool]:
    if isinstance(repo, Repo):
        return seen_tests.c.identity == repo.identity
    named = select(repositories.c.identity).where(repositories.c.name == repo.lower())
    return seen_tests.c.identity.in_(named) | (seen_tests.c.identity == repo.lower())


def _digest(test: str) -> str:
    return hashlib.sha256(test[:_LONGEST].encode("utf-8", "replace")).hexdigest()[:32]


def _values(repo: Repo, digest: str, result: SeenResult) -> dict[str, object]:
    return {
        "identity": repo.identity,
        "digest": digest,
        "commit_sha": result.commit,
        "place": result.where[:_NAME],
        "test": result.test[:_LONGEST],
        "branch": result.branch[:_NAME],
        "number": result.pull,
        "failed": result.failed,
        "message": result.message[:_LONGEST],
        "seen_at": result.seen_at,
        "owner": result.owner[:_LONGEST],
    }


def _result(row: Row[tuple[object, ...]]) -> SeenResult:
    return SeenResult(
        row.test,
        row.commit_sha,
        row.branch,
        row.number,
        row.place,
        row.failed,
        row.message,
        row.seen_at,
        row.owner or "",
    )
