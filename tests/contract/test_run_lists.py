"""What lists and figures of runs promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pydantic import SecretStr
from sqlalchemy import Connection, insert, text
from sqlalchemy.dialects import sqlite

from bot.model import Verdict
from bot.model.events import EventType, RunEvent
from bot.model.repository import Repo
from bot.storage.database import Database, open_database
from bot.storage.events import EventStore, KeyedEvent
from bot.storage.outcomes import OutcomeStore
from bot.storage.run_figures import (
    DayFigures,
    ModelFigures,
    RepositoryFigures,
    RunFigures,
    ended_runs,
)
from bot.storage.run_lists import RunLists, RunQuery
from bot.storage.runs import RunStatus, RunStore
from bot.storage.tables import attempts_made, runs
from tests.contract.databases import url
from tests.contract.run_requests import REQUEST

__all__ = ["url"]  # a fixture: pytest finds it by name


async def test_only_what_somebody_sees_is_there(url: SecretStr) -> None:
    """Pages, their totals, states and figures are of the given repositories alone."""
    async with await open_database(url) as database:
        store, lists, figures = RunStore(database), RunLists(database), RunFigures(database)
        other = replace(REQUEST, repository="octo/secret")
        for request in (REQUEST, replace(REQUEST, comment_id=502), other):
            await store.create(request, "delivery")
        for request in (REQUEST, other):
            await store.update(request.run_id, status=RunStatus.DONE, verdict=Verdict.FIXED)
        for among, repositories, queued in (
            (None, ["octo/secret", "octo/widgets"], 1),
            (frozenset({"octo/widgets", "octo/other"}), ["octo/widgets"], 1),
            (frozenset({"octo/secret"}), ["octo/secret"], 0),
            (frozenset[str](), [], 0),
        ):
            page = await lists.page(RunQuery(among=among, limit=1))
            assert page.total == len(repositories) + queued
            assert len(page.runs) == min(1, page.total)
            assert (await lists.by_status(among)).get(RunStatus.QUEUED, 0) == queued
            found = await figures.repositories(among)
            assert [repository_figures.repository for repository_figures in found] == repositories
            assert (await figures.days(among))[-1].runs == len(repositories)


async def test_what_models_took(url: SecretStr) -> None:
    """By model, the dearest first; of what somebody sees, and with a price that is unknown said so."""
    async with await open_database(url) as database:
        await RunStore(database).create(REQUEST, "delivery")
        told = [
            ("small", 100, 0.25),
            ("large", 400, 1.5),
            ("small", 50, 0.25),
            ("unpriced", 7, None),
            (None, 0, 0),
        ]
        named = [
            KeyedEvent(
                str(n),
                RunEvent(EventType.ATTEMPT, {"model": model, "tokens": tokens, "cost_usd": cost}),
            )
            for n, (model, tokens, cost) in enumerate(told)
        ]
        await EventStore(database).append(REQUEST.run_id, named)
        figures = RunFigures(database)
        assert await figures.models() == (
            ModelFigures("large", 1, 400, Decimal("1.5")),
            ModelFigures("small", 2, 150, Decimal("0.5")),
            ModelFigures("unpriced", 1, 7, None),
        )
        assert await figures.models(frozenset({"another"})) == ()


async def test_figures_of_runs_that_ended(url: SecretStr) -> None:
    """By repository and by day: counts, medians, exact sums, and what is not known."""
    ended = (
        ("octo/widgets", Verdict.FIXED, 0, 60, "1.500000001", 2),
        ("octo/widgets", Verdict.FIXED, 1, 30, "0.1", None),
        ("octo/widgets", Verdict.FLAKY, 0, 20, "0.2", 5),
        ("octo/widgets", Verdict.FIXED, 40, 900, "9", 9),
        ("octo/gears", Verdict.FIXED, 0, 10, "0.3", 1),
        ("octo/gears", Verdict.FIXED, 0, 20, "0.3", 1),
        ("octo/gears", Verdict.FIXED, 0, 40, None, 1),
        ("octo/gears", Verdict.INFRASTRUCTURE, 0, 7, "0", None),
        ("octo/gears", None, 0, 7, "0", None),
    )
    today = datetime.now(UTC).replace(hour=0, minute=0, second=1)
    async with await open_database(url) as database:
        for number, pair in enumerate(ended):
            await _end(database, number, today, *pair)
        outcomes = OutcomeStore(database)
        for number, pair in enumerate(ended[:7]):
            repo = Repo(pair[0], 1)
            run = replace(REQUEST, repository=pair[0], comment_id=number).run_id
            await outcomes.published(
                repo, run, "", pull_request=number, url="", commit=f"{number}" * 40
            )
            if number != 1:
                await outcomes.closed(repo, number, merge_commit=None if number == 6 else "c" * 40)
        await outcomes.reverted(Repo("octo/gears", 1), [5], [])
        figures = RunFigures(database)
        assert await figures.repositories() == (
            RepositoryFigures("octo/gears", 4, 3, 0, 20.0, None, merged=1, closed=1, reverted=1),
            RepositoryFigures("octo/widgets", 3, 2, 1, 45.0, Decimal("1.800000001"), merged=1),
        )
        days = await figures.days()
        assert [day.day for day in days[::29]] == [today.date() - timedelta(29), today.date()]
        assert days[-2:] == (
            DayFigures(
                today.date() - timedelta(1), {Verdict.FIXED: 1}, Decimal("0.1"), 30.0, 7, None
            ),
            DayFigures(
                today.date(),
                {Verdict.FIXED: 4, Verdict.FLAKY: 1, Verdict.INFRASTRUCTURE: 1},
                Decimal("2.300000001"),
                20.0,
                42,
                2.0,
            ),
        )
        assert sum(day.runs for day in days) == 7
        assert await figures.verdicts(timedelta(days=1)) == dict(days[-1].verdicts)


async def _end(
    database: Database,
    number: int,
    today: datetime,
    repository: str,
    verdict: Verdict | None,
    days: int,
    seconds: int,
    cost: str | None,
    attempts: int | None,
) -> None:
    """Store a run that took so long so many days ago."""
    request = replace(REQUEST, repository=repository, comment_id=number)
    created = today - timedelta(days=days)
    row = {
        "id": request.run_id,
        "repository": repository,
        "number": number,
        "request": b"",
        "delivery_id": "delivery",
        "status": RunStatus.DONE if verdict else RunStatus.RUNNING,
        "begun": 1,
        "verdict": verdict,
        "reason": "",
        "stop_requested": False,
        "cost_usd": cost,
        "tokens": 7,
        "created_at": created,
        "updated_at": created + timedelta(seconds=seconds),
    }

    def act(connection: Connection) -> None:
        connection.execute(insert(runs), row)
        if attempts is not None:
            made = {"run_id": request.run_id, "attempts": attempts}
            connection.execute(insert(attempts_made), made)

    await database.write(act)


async def test_figures_are_read_from_an_index(url: SecretStr) -> None:
    """Alone: rows with large reports are not touched."""
    async with await open_database(url) as database:
        if database.is_shared:
            return  # there, reports are not in the rows
        asked = str(
            ended_runs(timedelta(days=1), None)
            .select()
            .compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        )
        rows = await database.read(
            lambda connection: connection.execute(text(f"EXPLAIN QUERY PLAN {asked}")).all()
        )
        assert "USING COVERING INDEX runs_counted" in str(rows)
