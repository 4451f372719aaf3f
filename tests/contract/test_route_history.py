"""What the reports of earlier runs teach about models, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr
from sqlalchemy import Connection, update

from bot.model import Attempt, Observation, Patch, Problem, Proposal, Report, Verdict, Verification
from bot.model.repository import Repo
from bot.model.route import ModelStrength, Route, RungRecord
from bot.storage.database import open_database
from bot.storage.outcomes import OutcomeStore
from bot.storage.route_history import StoredRouteHistory
from bot.storage.runs import RunStore
from bot.storage.tables import runs
from tests.contract.databases import url
from tests.contract.run_requests import REQUEST

__all__ = ["url"]  # a fixture: pytest finds it by name

SMALL, DEFAULT, _ = ModelStrength


def report(run_id: str, *attempts: tuple[ModelStrength | None, int]) -> Report:
    """Return a report with attempts by strength and the exit code of the failing command."""
    made = tuple(
        Attempt(
            n,
            "search" if strength is None else "agent",
            Proposal(Patch(b"x", ("a.py",)), ""),
            Verification(Observation("pytest", code)),
            (),
            1.0,
            route=None if strength is None else Route(strength),
        )
        for n, (strength, code) in enumerate(attempts, start=1)
    )
    return Report(run_id, Verdict.GAVE_UP, "", Problem(), "c" * 40, attempts=made)


async def test_attempts_are_counted_by_model(url: SecretStr) -> None:
    """Of the repository alone; those that asked no model and reports that can't be read are out.

    What people closed or reverted is undone, what they merged is merged.
    """
    requests = [replace(REQUEST, comment_id=n) for n in range(3)]
    other = replace(REQUEST, repository="octo/other")
    async with await open_database(url) as database:
        store, history = RunStore(database), StoredRouteHistory(database)
        assert await history.records(REQUEST.repo.identity) == ()
        for request in (*requests, other):
            await store.create(request, "delivery")
        told = [
            report(requests[0].run_id, (SMALL, 1), (DEFAULT, 0)),
            report(requests[1].run_id, (None, 1), (SMALL, 0)),
            report(requests[2].run_id, (SMALL, 0)),
            report(other.run_id, (SMALL, 0)),
        ]
        for item in told:
            await store.update(item.run_id, report=item)

        def spoil(connection: Connection) -> None:
            spoilt = update(runs).where(runs.c.id == requests[2].run_id)
            connection.execute(spoilt.values(report=b"{}"))

        await database.write(spoil)
        assert await history.records(REQUEST.repo.identity) == (
            RungRecord(SMALL, 2, 1),
            RungRecord(DEFAULT, 1, 1),
        )
        repo, outcomes = Repo("octo/widgets", 1), OutcomeStore(database)
        for number, request in enumerate(requests):
            await outcomes.published(
                repo, request.run_id, "", pull_request=number, url="", commit=f"{number}" * 40
            )
        await outcomes.closed(repo, 0, merge_commit=None)
        await outcomes.closed(repo, 1, merge_commit="c" * 40)
        assert await history.records(REQUEST.repo.identity) == (
            RungRecord(SMALL, 2, 1, merged=1),
            RungRecord(DEFAULT, 1, 1, undone=1),
        )
        await outcomes.reverted(repo, [1], [])
        assert (await history.records(REQUEST.repo.identity))[0] == RungRecord(
            SMALL, 2, 1, undone=1
        )
