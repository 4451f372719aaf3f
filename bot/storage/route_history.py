"""What became of each model's attempts in a repository: read from the reports of its runs."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Row, select

from bot.errors import StorageError
from bot.model import Attempt
from bot.model.route import ModelStrength, RungRecord
from bot.storage.database import Database
from bot.storage.stored_json import load_report
from bot.storage.tables import runs

_RUNS = 20
"""Of a repository, the newest: models and programs change."""


class RouteHistory:
    """Counts attempts and accepted ones by rung."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def records(self, repository: str) -> tuple[RungRecord, ...]:
        """Return what became of each rung's attempts in the newest runs of a repository.

        Raises:
            StorageError: When the database fails.
        """
        wanted = (
            select(runs.c.report)
            .where(runs.c.repository == repository.lower(), runs.c.report.is_not(None))
            .order_by(runs.c.created_at.desc())
            .limit(_RUNS)
        )
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        tried: Counter[str] = Counter()
        won: Counter[str] = Counter()
        for attempts in map(_attempts, rows):
            for attempt in attempts:
                if attempt.route is not None:
                    tried[attempt.route.strength] += 1
                    won[attempt.route.strength] += attempt.accepted
        return tuple(RungRecord(one, tried[one], won[one]) for one in ModelStrength if tried[one])


def _attempts(row: Row[tuple[bytes]]) -> tuple[Attempt, ...]:
    try:
        return load_report(row.report).attempts
    except StorageError:  # of another version: it says nothing here
        return ()
