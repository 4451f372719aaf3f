"""What the table of open pull requests promises, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.model.repository import Repo
from bot.storage.database import Database, open_database
from bot.storage.names import NameStore
from bot.storage.open_pulls import OpenPullStore
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name

REPO = Repo("Octo/Widgets", 7, 70)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON = timedelta(seconds=1)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


async def test_a_base_that_moves_has_its_pull_requests_looked_at_once(database: Database) -> None:
    """Pushes that come quickly are one look, and those that come during a look are not lost."""
    store = OpenPullStore(database)
    for number, base in ((1, "main"), (2, "main"), (3, "next")):
        await store.opened(REPO, number, base)
    assert await store.has_base(REPO.identity, "main")
    assert not await store.has_base(REPO.identity, "other")
    assert await store.moved(REPO, "other", NOW) == 0
    assert await store.next_due() is None
    assert await store.moved(REPO, "main", NOW) == 2
    assert await store.moved(REPO, "main", NOW + timedelta(hours=1)) == 2
    assert await store.next_due() == NOW
    first, second = await store.claim_due("a", NOW)
    assert [first.number, second.number] == [1, 2]
    await store.moved(REPO, "main", NOW)
    await store.looked(first, "c" * 40, "mergeable")
    [again] = [pull for pull in await store.claim_due("a", NOW) if pull.number == 1]
    assert (again.seen, again.looks) == ("", 0)
    await store.wait(again, NOW + SOON, "not known yet")
    [again] = [pull for pull in await store.claim_due("a", NOW + SOON) if pull.number == 1]
    assert again.looks == 1
    await store.looked(again, "c" * 40, "mergeable")
    seen = {pull.number: (pull.seen, pull.due_at) for pull in await store.of(REPO)}
    assert seen[1] == ("c" * 40, None)
    assert seen[3] == ("", None)


async def test_what_is_closed_is_forgotten_and_a_new_name_followed(database: Database) -> None:
    """One that GitHub does not show among the open ones is closed."""
    store = OpenPullStore(database)
    for number in (1, 2, 3):
        await store.opened(REPO, number, "main")
    await store.opened(REPO, 2, "next")
    await store.closed(REPO, 1)
    await store.keep(REPO, (2, 9))
    new = Repo("Octo/Tools", 8, 70)
    await NameStore(database).seen(new)
    assert await store.of(Repo("Octo/Widgets", 7, 71)) == ()
    [left] = await store.of(REPO)
    assert (left.repo, left.number, left.base) == (new, 2, "next")


async def test_a_look_is_one_servers(database: Database) -> None:
    """What a server that is no more had claimed is free."""
    store = OpenPullStore(database)
    await store.opened(REPO, 1, "main")
    await store.moved(REPO, "main", NOW)
    assert len(await store.claim_due("gone", NOW)) == 1
    assert len(await store.claim_due("here", NOW)) == 1
    await store.release("here")
    assert await store.next_due("here") == NOW
