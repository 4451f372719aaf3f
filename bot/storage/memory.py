"""Keep what earlier runs tried, and find it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Connection, Row, case, delete, func, or_, select, update

from bot.errors import ProviderError
from bot.model.embedding import Embedder, HashedNgrams, Vector, fused
from bot.model.memory import (
    Became,
    FailureSignature,
    MemoryLimits,
    SimilarAttempts,
    TriedRepair,
)
from bot.model.memory_sharing import Sharing, SharingScope
from bot.model.repository import Repo
from bot.model.search_words import search_words
from bot.storage.database import Database, insert_if_new
from bot.storage.memory_index import found_by_likeness, found_by_words
from bot.storage.memory_rows import changed_lines, entry_of, row_of
from bot.storage.memory_scope import of_others, of_owner, own
from bot.storage.tables import memory_entries as entries

_log = structlog.get_logger(__name__)

MOST_SAME = 3
"""Repairs of the very same failure that are recalled."""

_SETTLED = (Became.MERGED.value, Became.REVERTED.value)
"""Of which people had the last word."""

_MOST_SETTLED = 1000

_RANKED = 50
"""Entries of each ranking that are joined into one."""

_LISTED = tuple(column for column in entries.c if column.name not in {"patch", "before", "vector"})

_BY_WORTH = case(
    (entries.c.became == Became.MERGED.value, 2),
    (entries.c.became == Became.VERIFIED.value, 1),
    else_=0,
)


class MemoryStore:
    """The table of what was tried. Every method raises `StorageError` when the database fails.

    Whatever is asked for a repository comes from what the same installation kept of it, and from
    what others share with it, where the operator lets them.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None = None,
        sharing: Sharing = Sharing.NONE,
    ) -> None:
        self._database = database
        self._embedder: Embedder = embedder or HashedNgrams()
        self.sharing = sharing

    async def keep(
        self,
        repo: Repo,
        tried: Sequence[TriedRepair],
        limits: MemoryLimits,
        reach: SharingScope | None = None,
    ) -> int:
        """Keep attempts of a run; return how many are new. Keeping them again changes nothing.

        Args:
            repo: Where the run worked.
            tried: The attempts.
            limits: Of what is kept of the repository.
            reach: Who else may read it; see `narrow`.
        """
        if not tried:
            return 0
        reach = None if self.sharing is Sharing.NONE else reach
        name, vectors = await self._vectors([repair.signature.text for repair in tried])
        rows = [
            row_of(repair, repo, repair.made_at + timedelta(days=limits.days), name, vector, reach)
            for repair, vector in zip(tried, vectors, strict=True)
        ]

        def act(connection: Connection) -> int:
            new = sum(insert_if_new(connection, entries, row) for row in rows)
            if new:
                _drop_beyond(connection, repo, limits.entries)
            return new

        return await self._database.write(act)

    async def narrow(self, repo: Repo, reach: SharingScope | None) -> None:
        """Have what was kept of a repository go no further than this, and no further than it did."""
        nearer = {
            None: (),
            SharingScope.OWNER: (SharingScope.OWNER,),
            SharingScope.PUBLIC: tuple(SharingScope),
        }[reach]
        farther = update(entries).where(own(repo), entries.c.reach.not_in(nearer))
        await self._database.write(
            lambda connection: connection.execute(farther.values(reach=reach)).rowcount
        )

    async def same(
        self, repo: Repo, signature: FailureSignature, reach: SharingScope | None = None
    ) -> tuple[TriedRepair, ...]:
        """Return repairs of the very same failure that may have been merged, its own first, newest first.

        What people reverted is not among them, unless the same was merged again later. Of other
        repositories, only those of the same owner count, and what was merged there: these patches
        are applied without anybody who judges them before.

        Args:
            repo: Whose run asks.
            signature: Of the failure.
            reach: How far the repository's own memory goes; None reads of no other.
        """
        statement = (
            select(entries)
            .where(
                or_(
                    own(repo) & entries.c.became.in_((*_SETTLED, Became.VERIFIED.value)),
                    of_owner(repo, reach, self.sharing) & entries.c.became.in_(_SETTLED),
                ),
                entries.c.fingerprint == signature.fingerprint,
                entries.c.patch.is_not(None),
                entries.c.pull_request.is_not(None),
                entries.c.expires_at > datetime.now(UTC),
            )
            .order_by(entries.c.made_at.desc(), entries.c.number.desc())
            .limit(_RANKED)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        newest: dict[bytes, TriedRepair] = {}
        for repair in _own_first(rows, repo):
            newest.setdefault(changed_lines(repair.patch), repair)
        kept = [repair for repair in newest.values() if repair.became is not Became.REVERTED]
        return tuple(kept[:MOST_SAME])

    async def settled(
        self, repo: Repo, reach: SharingScope | None = None
    ) -> tuple[TriedRepair, ...]:
        """Return the repairs that were merged, also those reverted later, in the order of `same`.

        Without their patches.
        """
        statement = (
            select(*_LISTED)
            .where(
                or_(own(repo), of_owner(repo, reach, self.sharing)),
                entries.c.became.in_(_SETTLED),
                entries.c.patch.is_not(None),
                entries.c.expires_at > datetime.now(UTC),
            )
            .order_by(entries.c.made_at.desc(), entries.c.number.desc())
            .limit(_MOST_SETTLED)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return _own_first(rows, repo)

    async def similar(
        self, repo: Repo, signature: FailureSignature, most: int, reach: SharingScope | None = None
    ) -> SimilarAttempts:
        """Return attempts at failures like this one; see `same`.

        Of other repositories, all that they share counts: a model is shown it, as data.
        """
        name, [vector] = await self._vectors([signature.text])
        words = search_words(signature.text)
        within = own(repo), of_others(repo, reach, self.sharing)

        def act(connection: Connection) -> list[TriedRepair]:
            told = found_by_words(connection, words, or_(*within), _RANKED)
            near = found_by_likeness(connection, name, vector, within, _RANKED)
            numbers = fused(told, near, most=most)
            rows = connection.execute(
                select(entries).where(
                    entries.c.number.in_(numbers), entries.c.expires_at > datetime.now(UTC)
                )
            ).all()
            place = {number: n for n, number in enumerate(numbers)}
            return [entry_of(row, repo) for row in sorted(rows, key=lambda row: place[row.number])]

        return SimilarAttempts(tuple(await self._database.read(act)), name)

    async def list(self, repo: Repo | str, most: int = 100) -> tuple[TriedRepair, ...]:
        """Return what is kept of a repository without the patches, newest first.

        A name instead of a `Repo` means all installations: for the operator.
        """
        statement = select(*_LISTED).where(own(repo)).order_by(entries.c.number.desc()).limit(most)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(entry_of, rows))

    async def get(self, repo: Repo | str, entry_id: str) -> TriedRepair | None:
        """Return an entry with its patch."""
        statement = select(entries).where(own(repo), entries.c.id == entry_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else entry_of(row)

    async def counts(self, repo: Repo) -> Mapping[Became, int]:
        """Return how many entries there are, by what became of them."""
        statement = (
            select(entries.c.became, func.count()).where(own(repo)).group_by(entries.c.became)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {Became(became): count for became, count in rows}

    async def forget(self, repo: Repo | str, named: str | None = None) -> int:
        """Forget an entry, those of a run, or all of a repository; return how many there were."""
        which = own(repo)
        if named is not None:
            which &= or_(entries.c.id == named, entries.c.run_id == named)
        return await self._database.write(
            lambda connection: connection.execute(delete(entries).where(which)).rowcount
        )

    async def repositories(self) -> tuple[tuple[str, int], ...]:
        """Return the repositories of which something is kept, with how many entries."""
        name = entries.c.repository
        statement = select(name, func.count()).group_by(name).order_by(name)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple((row[0], row[1]) for row in rows)

    async def prune(self, now: datetime) -> int:
        """Forget what has expired; return how many entries."""
        statement = delete(entries).where(entries.c.expires_at <= now)
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _vectors(self, texts: Sequence[str]) -> tuple[str, tuple[Vector, ...]]:
        """Return who made the vectors of texts, and these; empty ones where a service does not answer."""
        try:
            return self._embedder.name, await self._embedder.embed(texts)
        except ProviderError as error:  # what is kept is then found by its words alone
            _log.warning("no vectors", problem=str(error))
            return "", tuple(b"" for _ in texts)


def _own_first(rows: Sequence[Row[Any]], repo: Repo) -> tuple[TriedRepair, ...]:
    """Return entries; what people decided in the repository itself goes before what others did."""
    found = (entry_of(row, repo) for row in rows)
    return tuple(sorted(found, key=lambda item: item.origin is not None))


def _drop_beyond(connection: Connection, repo: Repo, most: int) -> None:
    """Drop what is more than may be kept: first what was never published, then the oldest."""
    kept = (
        select(entries.c.number)
        .where(own(repo))
        .order_by(_BY_WORTH.desc(), entries.c.number.desc())
        .offset(most)
    )
    beyond = list(connection.scalars(kept))
    if beyond:
        connection.execute(delete(entries).where(entries.c.number.in_(beyond)))
