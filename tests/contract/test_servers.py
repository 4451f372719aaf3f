"""What servers of one database promise each other, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, create_engine, inspect, text

from bot.errors import DatabaseUnavailable, StorageError, UsageError
from bot.model.repository import Repo
from bot.runs.durability.engine_tables import migrate_engine
from bot.storage.approvals import ApprovalStore
from bot.storage.commits import CommitState, CommitStore
from bot.storage.database import Database, migrate_database, open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.server_locks import ServerLocks
from bot.storage.servers import ServerRow, ServerStore
from tests.contract.databases import url
from tests.contract.named_tables import NAMED_TABLES

__all__ = ["url"]

REPO = Repo("octo/widgets", 7)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Give an empty database."""
    async with await open_database(url) as opened:
        yield opened


async def joined(database: Database, *ids: str) -> ServerStore:
    """Let servers join."""
    servers = ServerStore(database)
    for item in ids:
        await servers.join(ServerRow(item, "serve", "host", "1.0", "9"))
    return servers


async def test_who_was_taken_for_dead_writes_nothing_more(
    database: Database, url: SecretStr
) -> None:
    """Whatever it had begun; a delivery it may take still, for others work on that."""
    servers = await joined(database, "a", "b")
    async with await open_database(url) as of_a:
        of_a.fenced_by(servers.fence("a"))
        deliveries = DeliveryStore(of_a)
        await deliveries.add("one", "ping", b"")
        await deliveries.done("one", "done")
        assert await servers.bury("a", 0)
        assert await deliveries.add("two", "ping", b"")
        with pytest.raises(StorageError, match="took this one for dead"):
            await deliveries.done("two", "done")
        assert [delivery.id for delivery in await deliveries.pending()] == ["two"]
        assert await ServerStore(of_a).beat("a", works=True) is None


async def test_a_server_that_beat_in_time_is_not_buried(database: Database) -> None:
    """And of several that would bury one, one does."""
    servers = await joined(database, "a", "b", "c")
    await servers.beat("a", works=True)
    assert not await servers.bury("a", 0)
    assert sorted(await asyncio.gather(servers.bury("a", 1), servers.bury("a", 1))) == [False, True]
    assert sorted(await servers.living()) == ["b", "c"]


@pytest.mark.postgres
async def test_a_server_that_stopped_in_a_transaction_holds_nobody_up(
    request: pytest.FixtureRequest,
) -> None:
    """Its locks are passed by, and end with its session, which PostgreSQL ends."""
    url = SecretStr(request.getfixturevalue("postgres").empty_database())
    stalled, going_on = threading.Event(), threading.Event()
    async with (
        await open_database(url) as database,
        await open_database(url, stall_seconds=2.0) as of_a,
    ):
        servers = await joined(database, "a", "b")
        of_a.fenced_by(servers.fence("a"))

        def stall(connection: Connection) -> int:
            stalled.set()
            going_on.wait()
            return connection.execute(text("UPDATE servers SET host = 'written'")).rowcount

        writing = asyncio.create_task(of_a.write(stall))
        await asyncio.to_thread(stalled.wait)
        assert not await servers.bury("a", 0)
        async with asyncio.timeout(600):
            while not await servers.bury("a", 0):  # noqa: ASYNC110 - PostgreSQL tells nobody
                await asyncio.sleep(0.05)
        going_on.set()
        with pytest.raises(DatabaseUnavailable):
            await writing
        assert [row.host for row in (await servers.living()).values()] == ["host"]


async def test_one_server_has_the_sweeps_until_it_is_no_more(database: Database) -> None:
    """Then another one that works has them; one that only answers never does."""
    servers = await joined(database, "web", "b", "c")

    async def leaders() -> list[str]:
        beats = {item: await servers.beat(item, works=item != "web") for item in ("web", "c", "b")}
        return [entry for entry, beat in beats.items() if beat is not None and beat.leads]

    assert await leaders() == ["c"]
    assert await leaders() == ["c"]
    await servers.leave("c")
    assert await leaders() == ["b"]


async def test_a_thread_is_worked_on_by_one_server_at_a_time(database: Database) -> None:
    """Others have the other threads; when a server is no more, what it had is free."""
    servers = await joined(database, "a", "b")
    store = DeliveryStore(database)
    for item in ("fix", "stop", "other"):
        await store.add(item, "issue_comment", b"")
    threads = {"fix": "octo/widgets#1", "stop": "octo/widgets#1", "other": "octo/widgets#2"}
    assert await store.claim("a", {"fix": threads["fix"]}) == {"fix"}
    assert await store.claim("b", threads) == {"other"}
    assert [delivery.id for delivery in await store.claimable("b")] == ["stop", "other"]
    await store.done("fix", "done")
    assert await store.claim("b", threads) == {"stop", "other"}
    assert await store.claimable("a") == ()
    await servers.leave("b")
    assert await store.claim("a", threads) == {"stop", "other"}
    await store.release("a")
    await servers.join(ServerRow("b", "serve", "host", "1.0", "9"))
    assert await store.claim("b", threads) == {"stop", "other"}


async def test_a_commit_is_looked_at_by_one_server_at_a_time(database: Database) -> None:
    """Until it said what became of it, or is no more."""
    servers = await joined(database, "a", "b")
    store = CommitStore(database)
    await store.failed(REPO, "1" * 40, "main")
    now = datetime.now(UTC)
    [commit] = await store.claim_due("a", now)
    assert await store.claim_due("b", now) == ()
    assert await store.next_due("b") is None
    assert await store.next_due("a") is not None
    await store.wait(commit, now, "not yet")
    [commit] = await store.claim_due("b", now)
    await servers.leave("b")
    [commit] = await store.claim_due("a", now)
    await store.decided(commit, CommitState.PASSED_BY, "nothing to do")
    assert await store.claim_due("a", now) == ()


def test_a_lock_tells_at_once_who_has_ended(tmp_path: Path) -> None:
    """The kernel lets go of it with the process; a file that is gone is an end, too."""
    url = SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")
    mine = ServerLocks.of(url, "mine")
    mine.hold()
    (tmp_path / "fixpoint.db.servers" / "killed").touch()
    assert mine.ended(["mine", "killed", "gone"]) == {"killed", "gone"}
    mine.release()
    assert [path.name for path in (tmp_path / "fixpoint.db.servers").iterdir()] == ["killed"]
    assert ServerLocks.of(SecretStr("postgresql://host/name"), "a").ended(["b"]) == frozenset()


OLD_TABLES = (
    *NAMED_TABLES,
    "ALTER TABLE deliveries DROP COLUMN claimed_by",
    "ALTER TABLE deliveries DROP COLUMN thread",
    "ALTER TABLE watched_commits DROP COLUMN claimed_by",
    "ALTER TABLE approvals DROP COLUMN about",
    "ALTER TABLE approvals DROP COLUMN asked_at",
    "ALTER TABLE approvals DROP COLUMN posted_at",
    "INSERT INTO approvals (run_id, until, answer, \"by\") VALUES ('3fa9c1d20b7e', 0, NULL, '')",
    "DROP TABLE servers",
    "DROP TABLE migrations",
)
"""Makes of the tables what they were before there could be several servers."""


async def made_old(url: SecretStr) -> None:
    """Make a database as the first version did, with a delivery in it."""
    async with await open_database(url) as database:
        await DeliveryStore(database).add("kept", "ping", b"payload")

        def age(connection: Connection) -> None:
            for statement in OLD_TABLES:
                connection.execute(text(statement))

        await database.write(age)


async def test_an_older_database_is_brought_up_to_date(url: SecretStr) -> None:
    """A file by the server that opens it, PostgreSQL when somebody says so; once."""
    await made_old(url)
    steps = migrate_database(url, only_look=True)
    assert "Create the table servers." in steps
    assert "Add who works on a delivery and on a commit." in steps
    if not url.get_secret_value().startswith("sqlite"):
        with pytest.raises(UsageError, match=r"not up to date.*fixpoint migrate"):
            await open_database(url)
        assert migrate_database(url) == steps
    async with await open_database(url) as database:
        assert migrate_database(url) == migrate_database(url, only_look=True) == ()
        await joined(database, "a")
        assert await DeliveryStore(database).claim("a", {"kept": "thread"}) == {"kept"}
        [question] = await ApprovalStore(database).open_of("3fa9c1d20b7e")
        assert question.has_no_id


async def test_a_server_of_before_goes_on_beside(url: SecretStr) -> None:
    """It names the columns that it writes, and does not know the new ones."""
    await made_old(url)
    migrate_database(url)
    async with await open_database(url) as database:

        def written_by_old(connection: Connection) -> None:
            connection.execute(
                text(
                    "INSERT INTO deliveries (id, event, payload, received_at, state, attempts, note)"
                    " SELECT 'old', event, payload, received_at, state, attempts, note"
                    " FROM deliveries"
                )
            )

        await database.write(written_by_old)
        await joined(database, "a")
        assert len(await DeliveryStore(database).claimable("a")) == 2


@pytest.mark.postgres
async def test_the_tables_of_durable_steps_are_made_ahead(
    request: pytest.FixtureRequest,
) -> None:
    """`fixpoint migrate` makes them, so that a server needs no right to."""
    url = SecretStr(request.getfixturevalue("postgres").empty_database())
    assert len(migrate_engine(url, only_look=True)) == 1
    assert len(migrate_engine(url)) == 1
    assert migrate_engine(url) == ()
    engine = create_engine(url.get_secret_value())
    assert inspect(engine).has_table("workflow_status", schema="dbos")
    engine.dispose()
