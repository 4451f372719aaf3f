"""What became of each model's attempts in a repository: by the reports of its runs, and by people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from bot.errors import StorageError
from bot.model import Attempt
from bot.model.memory import Became
from bot.model.route import ModelStrength, RungRecord
from bot.storage.database import Database
from bot.storage.stored_json import load_report
from bot.storage.tables import repair_outcomes, runs

_RUNS = 20
"""Of a repository, the newest: models and programs change."""


class StoredRouteHistory:
    """Counts attempts by rung, and what became of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def records(self, identity: str) -> tuple[RungRecord, ...]:
        """Return what became of each rung's attempts in the newest runs of a repository.

        Raises:
            StorageError: When the database fails.
        """
        wanted = (
            select(runs.c.report, repair_outcomes.c.became)
            .outerjoin(repair_outcomes, repair_outcomes.c.run_id == runs.c.id)
            .where(runs.c.identity == identity, runs.c.report.is_not(None))
            .order_by(runs.c.created_at.desc())
            .limit(_RUNS)
        )
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        made = [item for row in rows for item in _made(row.report, row.became)]
        records = (
            _record(rung, [item for item in made if item.rung is rung]) for rung in ModelStrength
        )
        return tuple(record for record in records if record.tried)


@dataclass(frozen=True, slots=True)
class _Made:
    """An attempt: with which rung, and what became of it."""

    rung: ModelStrength
    became: Became


def _made(report: bytes, became: str | None) -> Iterator[_Made]:
    """Yield the attempts of a run that asked a model; an accepted one became what the run's repair did."""
    published = Became(became or Became.VERIFIED)
    for attempt in _attempts(report):
        if attempt.route is not None:
            how = published if attempt.accepted else Became.REJECTED
            yield _Made(attempt.route.strength, how)


def _record(rung: ModelStrength, made: Sequence[_Made]) -> RungRecord:
    counts = Counter(item.became for item in made)
    return RungRecord(
        rung,
        tried=len(made),
        accepted=len(made) - counts[Became.REJECTED],
        merged=counts[Became.MERGED],
        undone=counts[Became.CLOSED] + counts[Became.REVERTED],
    )


def _attempts(report: bytes) -> tuple[Attempt, ...]:
    try:
        return load_report(report).attempts
    except StorageError:  # of another version: it says nothing here
        return ()
