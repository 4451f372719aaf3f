"""What lists and figures of runs promise, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from pydantic import SecretStr

from bot.model import Verdict
from bot.model.request import FixRequest
from bot.storage.database import open_database
from bot.storage.run_lists import RunLists, RunQuery
from bot.storage.runs import RunStatus, RunStore
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name

REQUEST = FixRequest(
    repository="Octo/Widgets",
    installation_id=7,
    number=12,
    is_pull_request=False,
    actor="ada",
    comment_id=501,
    asked_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
)


async def test_only_what_somebody_sees_is_there(url: SecretStr) -> None:
    """Pages, their totals, states and figures are of the given repositories alone."""
    async with await open_database(url) as database:
        store, lists = RunStore(database), RunLists(database)
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
            assert sorted({one.repository for one in await lists.ended(among=among)}) == (
                repositories
            )
