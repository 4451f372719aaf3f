"""Figures of runs that ended, by repository and by day, counted where the runs are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Float,
    Numeric,
    Select,
    Subquery,
    case,
    cast,
    func,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import JSONB

from bot.model import Verdict
from bot.model.events import EventType
from bot.model.memory import Became
from bot.storage.database import Database
from bot.storage.run_lists import FIGURE_DAYS, of_these
from bot.storage.runs import RunStatus
from bot.storage.tables import attempts_made, events, repair_outcomes, runs

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
"""In microseconds."""

_NANO = 1_000_000_000
"""Of a dollar: what whole numbers count, so that sums are exact on both databases."""

_DECIDED = (Became.MERGED, Became.CLOSED, Became.REVERTED)
"""In the order of the fields of `RepositoryFigures`."""

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """What a model's attempts took.

    Attributes:
        model: Its name.
        attempts: That it made.
        tokens: Of all of them.
        cost_usd: Of all of them, to about a cent; None when a price is unknown.
    """

    model: str
    attempts: int
    tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class RepositoryFigures:
    """How a repository's runs went.

    Attributes:
        repository: Its name in lower case.
        runs: That ended.
        fixed: Of them, fixed: their patches were verified.
        flaky: Of them, flaky.
        median_seconds: From acceptance to end, of those fixed; None without one.
        cost_usd: Of all; None when a price is unknown.
        merged: Of those fixed, how many repairs people merged and kept.
        closed: How many they closed without merging.
        reverted: How many they merged and reverted later.
    """

    repository: str
    runs: int = 0
    fixed: int = 0
    flaky: int = 0
    median_seconds: float | None = None
    cost_usd: Decimal | None = Decimal(0)
    merged: int = 0
    closed: int = 0
    reverted: int = 0

    @property
    def decided(self) -> int:
        """How many repairs people have decided on."""
        return self.merged + self.closed + self.reverted


@dataclass(frozen=True, slots=True)
class DayFigures:
    """How the runs of one day (UTC) went.

    Attributes:
        day: On which they were accepted.
        verdicts: How many ended how.
        cost_usd: Of those whose price is known.
        median_seconds: From acceptance to end; None without a run.
        tokens: Of all calls.
        mean_attempts: Of the runs whose attempts were counted; None without one.
    """

    day: date
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)
    cost_usd: Decimal = Decimal(0)
    median_seconds: float | None = None
    tokens: int = 0
    mean_attempts: float | None = None

    @property
    def runs(self) -> int:
        """How many ended."""
        return sum(self.verdicts.values())


def _of_data(dialect: str, name: str) -> ColumnElement[Any]:
    """Return a value of an event's JSON as text or number."""
    found: ColumnElement[Any]
    if dialect == "postgresql":
        found = cast(events.c.data, JSONB)[name].astext
    else:
        found = func.json_extract(events.c.data, f"$.{name}")
    return found


class RunFigures:
    """Counts runs of the last days. Every method raises `StorageError` when the database fails.

    `among` are the identities of the repositories whose runs count; None for all there are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def models(self, among: frozenset[str] | None = None) -> tuple[ModelFigures, ...]:
        """Return what the attempts of each model took in the last days, the dearest first."""
        since = datetime.now(UTC) - timedelta(days=FIGURE_DAYS)

        def read(connection: Connection) -> tuple[ModelFigures, ...]:
            told = partial(_of_data, connection.dialect.name)
            model, cost = told("model"), cast(told("cost_usd"), Float)
            statement = (
                select(
                    model,
                    func.count(),
                    func.sum(cast(told("tokens"), BigInteger)),
                    func.sum(cost),
                    func.count(cost),
                )
                .join(runs, runs.c.id == events.c.run_id)
                .where(
                    events.c.type == EventType.ATTEMPT,
                    events.c.at >= since,
                    model.is_not(None),
                    *of_these(among),
                )
                .group_by(model)
            )
            found = (
                ModelFigures(
                    name,
                    attempts,
                    tokens or 0,
                    Decimal(str(round(dollars or 0, 4))) if priced == attempts else None,
                )
                for name, attempts, tokens, dollars, priced in connection.execute(statement)
            )
            return tuple(sorted(found, key=lambda each: (-(each.cost_usd or 0), each.model)))

        return await self._database.read(read)

    async def repositories(
        self, among: frozenset[str] | None = None
    ) -> tuple[RepositoryFigures, ...]:
        """Return the figures of each repository, the busiest first."""
        ended = ended_runs(timedelta(days=FIGURE_DAYS), among)
        fixed = case((ended.c.verdict == Verdict.FIXED, ended.c.took))
        became = case((ended.c.verdict == Verdict.FIXED, repair_outcomes.c.became))
        counted = (
            select(
                ended.c.whose,
                func.max(ended.c.repository),
                func.count(),
                func.count(fixed),
                func.count(case((ended.c.verdict == Verdict.FLAKY, 1))),
                func.count(ended.c.nano),
                _whole(ended.c.nano),
                *(func.count(case((became == item, 1))) for item in _DECIDED),
            )
            .select_from(ended.outerjoin(repair_outcomes, repair_outcomes.c.run_id == ended.c.id))
            .group_by(ended.c.whose)
        )
        medians = _medians(ended.c.whose, fixed)

        def read(connection: Connection) -> tuple[RepositoryFigures, ...]:
            seconds = _by_key(connection, medians)
            return tuple(
                RepositoryFigures(
                    name,
                    runs_,
                    good,
                    flaky,
                    seconds.get(whose),
                    _usd(nano) if runs_ == priced else None,
                    *decided,
                )
                for whose, name, runs_, good, flaky, priced, nano, *decided in connection.execute(
                    counted
                )
            )

        found = await self._database.read(read)
        return tuple(sorted(found, key=lambda item: (-item.runs, item.repository)))

    async def days(self, among: frozenset[str] | None = None) -> tuple[DayFigures, ...]:
        """Return the figures of each of the last days, the oldest first, also of those without a run."""
        ended = ended_runs(timedelta(days=FIGURE_DAYS), among)
        counted = (
            select(
                ended.c.day,
                ended.c.verdict,
                func.count(),
                _whole(ended.c.nano),
                _whole(ended.c.tokens),
                _whole(attempts_made.c.attempts),
                func.count(attempts_made.c.attempts),
            )
            .select_from(ended.outerjoin(attempts_made, attempts_made.c.run_id == ended.c.id))
            .group_by(ended.c.day, ended.c.verdict)
        )
        medians = _medians(ended.c.day, ended.c.took)

        def read(connection: Connection) -> tuple[dict[int, list[Any]], dict[Any, float]]:
            parts: defaultdict[int, list[Any]] = defaultdict(list)
            for day, *part in connection.execute(counted):
                parts[day].append(part)
            return parts, _by_key(connection, medians)

        parts, seconds = await self._database.read(read)
        last = (datetime.now(UTC).date() - _EPOCH).days
        return tuple(
            _day(day, parts.get(day, []), seconds.get(day))
            for day in range(last - FIGURE_DAYS + 1, last + 1)
        )

    async def verdicts(self, within: timedelta) -> dict[Verdict, int]:
        """Return how many runs that were accepted within that time ended how."""
        ended = ended_runs(within, None)
        counted = select(ended.c.verdict, func.count()).group_by(ended.c.verdict)
        rows = await self._database.read(lambda connection: connection.execute(counted).all())
        return {Verdict(verdict): number for verdict, number in rows}


def ended_runs(within: timedelta, among: frozenset[str] | None) -> Subquery:
    """Return the runs that count, with nothing that the index `runs_counted` lacks."""
    created = type_coerce(runs.c.created_at, BigInteger)
    updated = type_coerce(runs.c.updated_at, BigInteger)
    return (
        select(
            runs.c.id,
            runs.c.repository,
            func.coalesce(runs.c.identity, runs.c.repository).label("whose"),
            runs.c.verdict,
            (created // _DAY).label("day"),
            (updated - created).label("took"),
            func.round(cast(runs.c.cost_usd, Numeric) * _NANO).label("nano"),
            runs.c.tokens,
        )
        .where(
            runs.c.created_at > datetime.now(UTC) - within,
            runs.c.status == RunStatus.DONE,
            runs.c.verdict.is_not(None),
            *of_these(among),
        )
        .subquery()
    )


def _medians(key: ColumnElement[Any], value: ColumnElement[Any]) -> Select[Any]:
    """Return the median of the values of each key: of the one or two in the middle, the mean."""
    ranked = (
        select(
            key.label("key"),
            value.label("value"),
            func.row_number().over(partition_by=key, order_by=value).label("place"),
            func.count().over(partition_by=key).label("number"),
        )
        .where(value.is_not(None))
        .subquery()
    )
    middle = ranked.c.place.in_(((ranked.c.number + 1) // 2, (ranked.c.number + 2) // 2))
    mean = cast(func.avg(ranked.c.value), Float)
    return select(ranked.c.key, mean).where(middle).group_by(ranked.c.key)


def _by_key(connection: Connection, medians: Select[Any]) -> dict[Any, float]:
    return {key: value / _SECOND for key, value in connection.execute(medians)}


def _whole(values: ColumnElement[Any]) -> ColumnElement[int]:
    """Return the sum of whole numbers as one: PostgreSQL has another type for it."""
    return cast(func.coalesce(func.sum(values), 0), BigInteger)


def _usd(nano: int) -> Decimal:
    return Decimal(nano) / _NANO


def _day(number: int, parts: list[Any], seconds: float | None) -> DayFigures:
    """Return the figures of a day, counted from 1970, from a row for each verdict."""
    attempts, counted = sum(part[4] for part in parts), sum(part[5] for part in parts)
    return DayFigures(
        _EPOCH + timedelta(days=number),
        {Verdict(part[0]): part[1] for part in parts},
        _usd(sum(part[2] for part in parts)),
        seconds,
        sum(part[3] for part in parts),
        attempts / counted if counted else None,
    )
