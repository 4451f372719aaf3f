"""Lists of many runs, for people and programs that look at all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select

from bot.model import Verdict
from bot.model.repository import Repo
from bot.model.waiting_time import QueuePosition
from bot.storage.database import Database
from bot.storage.run_queue import RunQueue
from bot.storage.runs import LISTED, RunRecord, RunStatus, run_of
from bot.storage.tables import runs

FIGURE_DAYS = 30
"""Of which figures are made."""

_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs; what is unset does not matter.

    Attributes:
        repository: `owner/name`.
        status: Where they are.
        verdict: How they ended.
        words: In the title, the repository's name, the reason or the id.
        offset: How many to leave out.
        limit: How many at most.
        among: Identities of the repositories of which all are; None for all there are.
        oldest_first: Instead of the youngest.
    """

    repository: str = ""
    status: RunStatus | None = None
    verdict: Verdict | None = None
    words: str = ""
    offset: int = 0
    limit: int = 50
    among: frozenset[str] | None = None
    oldest_first: bool = False


@dataclass(frozen=True, slots=True)
class RunPageOf:
    """Some runs, without reports, and how many there are of them."""

    runs: tuple[RunRecord, ...]
    total: int


class RunLists:
    """Reads the table of runs. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database, queue: RunQueue | None = None) -> None:
        """Say where runs are, and where they wait: by default in a queue without limits."""
        self._database = database
        self._queue = RunQueue(database) if queue is None else queue

    async def page(self, query: RunQuery) -> RunPageOf:
        """Return the youngest runs that fit, or the oldest."""
        wanted = and_(*_conditions(query))
        age = runs.c.created_at if query.oldest_first else runs.c.created_at.desc()
        listed = (
            select(*LISTED)
            .where(wanted)
            .order_by(age, runs.c.id)
            .offset(query.offset)
            .limit(query.limit)
        )
        count = select(func.count()).select_from(runs).where(wanted)

        def read(connection: Connection) -> tuple[list[Row[Any]], int]:
            return list(connection.execute(listed)), connection.scalar(count) or 0

        rows, total = await self._database.read(read)
        return RunPageOf(tuple(map(run_of, rows)), total)

    async def by_status(self, among: frozenset[str] | None = None) -> dict[RunStatus, int]:
        """Return how many runs are where; those that ended are left out."""
        statement = (
            select(runs.c.status, func.count())
            .where(runs.c.status != RunStatus.DONE, *of_these(among))
            .group_by(runs.c.status)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {RunStatus(status): count for status, count in rows}

    async def oldest_queued(self) -> datetime | None:
        """Return since when the run waits that has waited longest."""
        statement = select(func.min(runs.c.created_at)).where(runs.c.status == RunStatus.QUEUED)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        moment: datetime | None = rows[0][0]
        return moment

    async def queue(self) -> Mapping[str, QueuePosition]:
        """Return where the runs are that wait for a place, the next one first."""
        return await self._queue.positions()

    async def next_in_queue(
        self, most: int, among: frozenset[str] | None = None
    ) -> tuple[RunRecord, ...]:
        """Return the runs that are let through next, in order."""
        places = await self.queue()
        wanted = and_(runs.c.id.in_(list(places)), *of_these(among))
        ids = await self._database.read(
            lambda connection: connection.scalars(select(runs.c.id).where(wanted)).all()
        )
        chosen = sorted(ids, key=lambda item: places[item].place)[:most]
        listed = select(*LISTED).where(runs.c.id.in_(chosen))
        found = await self._database.read(lambda connection: connection.execute(listed).all())
        return tuple(sorted(map(run_of, found), key=lambda run: places[run.id].place))

    async def flaky(self, repo: Repo, most: int = 500) -> tuple[RunRecord, ...]:
        """Return the youngest runs of the last days that found a flaky failure there."""
        since = datetime.now(UTC) - timedelta(days=FIGURE_DAYS)
        statement = (
            select(*LISTED)
            .where(
                runs.c.identity == repo.identity,
                runs.c.created_at > since,
                runs.c.verdict == Verdict.FLAKY,
            )
            .order_by(runs.c.created_at.desc())
            .limit(most)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(run_of, rows))


def _conditions(query: RunQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [runs.c.id != "", *of_these(query.among)]
    if query.repository:
        found.append(runs.c.repository == query.repository.lower())
    if query.status is not None:
        found.append(runs.c.status == query.status)
    if query.verdict is not None:
        found.append(runs.c.verdict == query.verdict)
    found.extend(map(_holds, query.words.split()[:_MOST_WORDS]))
    return found


def of_these(among: frozenset[str] | None) -> tuple[ColumnElement[bool], ...]:
    """Return what holds for runs of the repositories of these identities; None is all of them."""
    # sorted, so that the same repositories are the same statement
    return () if among is None else (runs.c.identity.in_(sorted(among)),)


def _holds(word: str) -> ColumnElement[bool]:
    return or_(
        runs.c.repository.contains(word.lower(), autoescape=True),
        runs.c.reason.icontains(word, autoescape=True),
        func.coalesce(runs.c.title, "").icontains(word, autoescape=True),
        runs.c.id.startswith(word.lower(), autoescape=True),
    )
