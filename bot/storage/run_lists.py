"""Lists and figures of many runs, for people and programs that look at all of them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, or_, select

from bot.model import Verdict
from bot.storage.database import Database
from bot.storage.runs import LISTED, RunRecord, RunStatus, run_of
from bot.storage.tables import runs

FIGURE_DAYS = 30
"""Of which figures are made."""

_MOST_WORDS = 8
_MOST_ROWS = 50_000
"""Runs of which figures are made: the youngest."""


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs; what is unset does not matter.

    Attributes:
        repository: `owner/name`.
        status: Where they are.
        verdict: How they ended.
        words: In the repository's name, the reason or the id.
        offset: How many to leave out.
        limit: How many at most.
        among: Repositories, in lower case, of which all are; None for all there are.
    """

    repository: str = ""
    status: RunStatus | None = None
    verdict: Verdict | None = None
    words: str = ""
    offset: int = 0
    limit: int = 50
    among: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class RunPageOf:
    """Some runs, without reports, and how many there are of them."""

    runs: tuple[RunRecord, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EndedRun:
    """What figures are made of.

    Attributes:
        repository: In lower case.
        verdict: How it ended.
        created_at: UTC.
        seconds: From acceptance to end.
        cost_usd: None when a price is unknown.
        tokens: Of all calls.
    """

    repository: str
    verdict: Verdict
    created_at: datetime
    seconds: float
    cost_usd: Decimal | None
    tokens: int


@dataclass(frozen=True, slots=True)
class RepositoryFigures:
    """How a repository's runs went.

    Attributes:
        repository: In lower case.
        runs: That ended.
        fixed: Of them, fixed.
        flaky: Of them, flaky.
        median_seconds: From acceptance to end, of those fixed; None without one.
        cost_usd: Of all; None when a price is unknown.
    """

    repository: str
    runs: int
    fixed: int
    flaky: int
    median_seconds: float | None
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class DayFigures:
    """How the runs of one day (UTC) went."""

    day: date
    verdicts: dict[Verdict, int] = field(default_factory=dict)
    cost_usd: Decimal = Decimal(0)
    median_seconds: float | None = None
    tokens: int = 0

    @property
    def runs(self) -> int:
        """How many ended."""
        return sum(self.verdicts.values())


class RunLists:
    """Reads the table of runs. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, query: RunQuery) -> RunPageOf:
        """Return the youngest runs that fit."""
        wanted = and_(*_conditions(query))
        listed = (
            select(*LISTED)
            .where(wanted)
            .order_by(runs.c.created_at.desc(), runs.c.id)
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
            .where(runs.c.status != RunStatus.DONE, *_of_these(among))
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

    async def queue(self) -> dict[str, int]:
        """Return the place of each queued run, from 1: the oldest is the next."""
        statement = (
            select(runs.c.id)
            .where(runs.c.status == RunStatus.QUEUED)
            .order_by(runs.c.created_at, runs.c.id)
        )
        rows = await self._database.read(lambda connection: connection.scalars(statement).all())
        return {run_id: place for place, run_id in enumerate(rows, start=1)}

    async def ended(
        self, days: int = FIGURE_DAYS, among: frozenset[str] | None = None
    ) -> tuple[EndedRun, ...]:
        """Return what figures of the last days are made of, the youngest first.

        Args:
            days: How many, up to now.
            among: Repositories, in lower case, whose runs count; None for all there are.
        """
        since = datetime.now(UTC) - timedelta(days=days)
        columns = (
            runs.c.repository, runs.c.verdict, runs.c.created_at, runs.c.updated_at,
            runs.c.cost_usd, runs.c.tokens,
        )  # fmt: skip
        statement = (
            select(*columns)
            .where(runs.c.created_at > since, runs.c.status == RunStatus.DONE, *_of_these(among))
            .order_by(runs.c.created_at.desc())
            .limit(_MOST_ROWS)
        )

        def read(connection: Connection) -> list[Row[Any]]:
            return list(connection.execute(statement))

        rows = await self._database.read(read)
        return tuple(_ended(row) for row in rows if row.verdict is not None)


def repositories(ended: tuple[EndedRun, ...]) -> tuple[RepositoryFigures, ...]:
    """Return the figures of each repository, the busiest first."""
    grouped: defaultdict[str, list[EndedRun]] = defaultdict(list)
    for run in ended:
        grouped[run.repository].append(run)
    found = [_figures(name, group) for name, group in grouped.items()]
    return tuple(sorted(found, key=lambda one: (-one.runs, one.repository)))


def days(ended: tuple[EndedRun, ...], last: date, count: int) -> tuple[DayFigures, ...]:
    """Return the figures of each of `count` days up to `last`, also of those without a run."""
    grouped: defaultdict[date, list[EndedRun]] = defaultdict(list)
    for run in ended:
        grouped[run.created_at.date()].append(run)
    wanted = [last - timedelta(days=count - 1 - n) for n in range(count)]
    return tuple(_day(day, grouped[day]) for day in wanted)


def _day(day: date, group: list[EndedRun]) -> DayFigures:
    verdicts: defaultdict[Verdict, int] = defaultdict(int)
    for run in group:
        verdicts[run.verdict] += 1
    return DayFigures(
        day,
        dict(verdicts),
        sum((run.cost_usd or Decimal(0) for run in group), Decimal(0)),
        statistics.median(run.seconds for run in group) if group else None,
        sum(run.tokens for run in group),
    )


def _figures(name: str, group: list[EndedRun]) -> RepositoryFigures:
    fixed = [run.seconds for run in group if run.verdict is Verdict.FIXED]
    costs = [run.cost_usd for run in group]
    known = [one for one in costs if one is not None]
    return RepositoryFigures(
        repository=name,
        runs=len(group),
        fixed=len(fixed),
        flaky=sum(run.verdict is Verdict.FLAKY for run in group),
        median_seconds=statistics.median(fixed) if fixed else None,
        cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
    )


def _ended(row: Row[Any]) -> EndedRun:
    return EndedRun(
        row.repository,
        Verdict(row.verdict),
        row.created_at,
        (row.updated_at - row.created_at).total_seconds(),
        None if row.cost_usd is None else Decimal(row.cost_usd),
        row.tokens,
    )


def _conditions(query: RunQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [runs.c.id != "", *_of_these(query.among)]
    if query.repository:
        found.append(runs.c.repository == query.repository.lower())
    if query.status is not None:
        found.append(runs.c.status == query.status)
    if query.verdict is not None:
        found.append(runs.c.verdict == query.verdict)
    found.extend(map(_holds, query.words.split()[:_MOST_WORDS]))
    return found


def _of_these(among: frozenset[str] | None) -> tuple[ColumnElement[bool], ...]:
    # sorted, so that the same repositories are the same statement
    return () if among is None else (runs.c.repository.in_(sorted(among)),)


def _holds(word: str) -> ColumnElement[bool]:
    return or_(
        runs.c.repository.contains(word.lower(), autoescape=True),
        runs.c.reason.icontains(word, autoescape=True),
        runs.c.id.startswith(word.lower(), autoescape=True),
    )
