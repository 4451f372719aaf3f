"""What the store of keys promises, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, text

from bot.errors import UsageError
from bot.model.repository import Repo
from bot.storage.api_keys import ApiKeyStore
from bot.storage.database import Database, open_database
from tests.contract.databases import url

__all__ = ["url"]  # a fixture: pytest finds it by name


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


async def test_only_the_key_itself_finds_it(database: Database) -> None:
    """A digest is kept, and no other text is taken for the key."""
    store = ApiKeyStore(database)
    key, secret = await store.create("ci", ["run", "read"], [Repo("Acme/App", 1, 70)], None)
    given = secret.get_secret_value()

    assert await store.find(given) == key
    assert key.repositories == frozenset({"Acme/App"})
    assert key.identities == frozenset({"70"})
    last = "0" if given[-1] != "0" else "1"
    for other in ("", "x", given[:-1], given[:-1] + last, given + "0", f" {given}", key.id):
        assert await store.find(other) is None

    def stored(connection: Connection) -> str:
        return str(connection.execute(text("SELECT * FROM api_keys")).all())

    assert given.rpartition("_")[2] not in await database.read(stored)


async def test_a_key_has_an_end(database: Database) -> None:
    """It expires, or is revoked by id or name; then its name is free again."""
    store = ApiKeyStore(database)
    now = datetime.now(UTC)
    key, secret = await store.create("ci", ["read"], None, now + timedelta(days=1))
    assert key.standing(now) == "active"
    assert key.standing(now + timedelta(days=1)) == "expired"
    with pytest.raises(UsageError, match="a key named ci already"):
        await store.create("ci", ["read"], None, None)
    with pytest.raises(UsageError, match="letters, digits"):
        await store.create("c\ni", ["read"], None, None)

    assert await store.revoke("other") is None
    revoked = await store.revoke("ci")
    assert revoked is not None
    assert revoked.standing(now) == "revoked"
    assert await store.revoke("ci") is None
    assert await store.find(secret.get_secret_value()) == revoked
    again, _ = await store.create("ci", ["read"], None, None)
    assert {api_key.id for api_key in await store.list()} == {key.id, again.id}


async def test_its_last_use_is_known(database: Database) -> None:
    """To the minute: what was used a moment ago is not written again."""
    store = ApiKeyStore(database)
    key, secret = await store.create("ci", ["read"], None, None)
    assert key.used_at is None
    await store.note_use(key)
    used = await store.find(secret.get_secret_value())
    assert used is not None
    assert used.used_at is not None
    await store.note_use(used)
    assert await store.find(secret.get_secret_value()) == used
