"""Interruptions that were not a run's doing do not count against it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import Connection

from bot.errors import DatabaseUnavailable
from bot.model.request import FixRequest
from bot.runs.durability.database_outage import Excuses
from bot.storage.database import open_database
from bot.storage.ledger import Ledger
from bot.storage.stores import Stores

REQUEST = FixRequest("acme/app", 1, 1, False, "ada", 7, datetime(2026, 1, 1, tzinfo=UTC))  # noqa: FBT003 - fields in order


def taken_for_dead(_: Connection) -> None:
    """Refuse to write, as the fence of a server does that others took for dead."""
    raise DatabaseUnavailable("Another server took this one for dead.")


async def test_a_server_that_was_taken_for_dead_excuses_its_runs(tmp_path: Path) -> None:
    """It may write nothing else: that it was slow was not their doing."""
    url = SecretStr(f"sqlite:///{tmp_path / 'fixpoint.db'}")
    async with await open_database(url) as database:
        runs = Stores.on(database, Ledger(database)).runs
        await runs.create(REQUEST, "delivery")
        await runs.begin(REQUEST.run_id)
        assert (await runs.begin(REQUEST.run_id)).times == 2
        database.fenced_by(taken_for_dead)
        excuses = Excuses(runs)
        excuses.excuse(REQUEST.run_id)
        await excuses.noted()
    async with await open_database(url) as database:
        runs = Stores.on(database, Ledger(database)).runs
        assert (await runs.begin(REQUEST.run_id)).times == 2
