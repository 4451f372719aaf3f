"""Figures of runs that ended, by repository and by day. Pure."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal

from bot.model import Verdict


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
        attempts: That it made; None when that was not kept.
    """

    repository: str
    verdict: Verdict
    created_at: datetime
    seconds: float
    cost_usd: Decimal | None
    tokens: int
    attempts: int | None = None


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
    mean_attempts: float | None = None

    @property
    def runs(self) -> int:
        """How many ended."""
        return sum(self.verdicts.values())


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
    attempts = [run.attempts for run in group if run.attempts is not None]
    return DayFigures(
        day,
        dict(verdicts),
        sum((run.cost_usd or Decimal(0) for run in group), Decimal(0)),
        statistics.median(run.seconds for run in group) if group else None,
        sum(run.tokens for run in group),
        statistics.mean(attempts) if attempts else None,
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
