"""Rows that were kept under names find their repositories, as far as that is sure."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, MetaData, Table, insert, select, text, update

from bot.model.money.accounts import Account, AccountScope
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.storage.api_keys import ApiKeyStore
from bot.storage.automatic_runs import SwitchStore
from bot.storage.database import Database, migrate_database, open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.lessons import LessonStore
from bot.storage.names import NameStore
from bot.storage.open_pulls import OpenPullStore
from bot.storage.runs import RunStore
from bot.storage.sessions import Session, SessionRun, SessionStore
from bot.storage.stops import StopStore
from bot.storage.tables import accounts, deliveries, runs
from tests.contract.databases import url
from tests.contract.named_tables import NAMED_TABLES
from tests.contract.run_requests import REQUEST

__all__ = ["url"]  # a fixture: pytest finds it by name

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
SURE = Repo("Acme/Sure", 7, 3)
"""Whose deliveries came under one name, from the beginning."""

FIRST, SECOND = Repo("acme/app", 7, 1), Repo("acme/app", 7, 2)
"""Of one name, one after the other."""


async def delivered(database: Database, name: str, repo: Repo, at: datetime) -> None:
    """Keep a webhook of a repository that came at some time."""
    told = {
        "repository": {"id": repo.id, "full_name": repo.full_name},
        "installation": {"id": repo.installation_id},
    }
    await DeliveryStore(database).add(name, "issue_comment", json.dumps(told).encode())
    moved = update(deliveries).where(deliveries.c.id == name).values(received_at=at)
    await database.write(lambda connection: connection.execute(moved).rowcount)


async def asked(database: Database, name: str, comment: int, delivery: str) -> FixRequest:
    """Keep a run that knows its repository by name alone."""
    request = replace(REQUEST, repository=name, comment_id=comment)
    await RunStore(database).create(request, delivery)
    return request


def row(table: str, **values: Any) -> Any:
    """Return what inserts a row into a table of before."""

    def act(connection: Connection) -> None:
        known = Table(table, MetaData(), autoload_with=connection)
        empty = {"looks": 0, "changes": 0, "note": "", "seen": "", "installation_id": 7}
        wanted = {**{name: at for name, at in empty.items() if name in known.c}, **values}
        connection.execute(insert(known).values(wanted))

    return act


def micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)


def lesson(name: str, words: str) -> Any:
    return row(
        "memory_lessons", repository=name, id="1a", text=words, url="u", author="ada",
        state="confirmed", confirmed_by="ada", made_at=micros(NOW),
    )  # fmt: skip


async def test_what_is_sure_is_moved_and_the_rest_is_nobodys(url: SecretStr) -> None:
    """A webhook proves whose a run is; a name does only if all webhooks agree about it."""
    async with await open_database(url) as database:
        await delivered(database, "first", FIRST, NOW - 3 * DAY)
        await delivered(database, "second", SECOND, NOW - DAY)
        await delivered(database, "sure", SURE, NOW - 3 * DAY)
        proven = await asked(database, "acme/app", 1, "first")
        unknown = await asked(database, "acme/app", 2, "api")
        sure = await asked(database, "Acme/Sure", 3, "")
        older = await asked(database, "acme/sure", 4, "")
        age = update(runs).where(runs.c.id == older.run_id).values(created_at=NOW - 9 * DAY)
        opened = update(runs).where(runs.c.id == proven.run_id).values(pull_request=5)
        sessions = SessionStore(database)
        await sessions.create(Session("s", Repo("acme/app", 0), "", "ada", NOW))
        await sessions.add("s", SessionRun(1, proven.run_id, ""))
        keys = ApiKeyStore(database)
        for name, repo in (("one", SURE), ("two", FIRST)):
            await keys.create(name, ["read"], [repo], None)
        spent = Account(AccountScope.THREAD, "acme/sure#12")
        counted = {column.name: 0 for column in accounts.c if column.name != "key"} | {"spent": 70}

        def before(connection: Connection) -> None:
            for statement in (age, opened):
                connection.execute(statement)
            connection.execute(insert(accounts).values({**counted, "key": spent.key}))
            for table in NAMED_TABLES:
                connection.execute(text(table))
            for act in (
                row("auto_switches", repository="acme/sure", number=5, on=False, actor="ada",
                    set_at=micros(NOW)),
                row("stops", repository="acme/app", number=5, asked_at=micros(NOW), comment_id=1),
                row("open_pulls", repository="acme/app", number=5, full_name="acme/app",
                    base="main"),
                lesson("acme/sure", "We use tabs."),
                lesson("acme/app", "The launch is in May."),
            ):  # fmt: skip
                act(connection)

        await database.write(before)
    steps = migrate_database(url)
    assert steps[-1] == "Add which repository rows belong to, by its id instead of its name."
    assert migrate_database(url) == ()
    async with await open_database(url) as database:
        store = RunStore(database)
        found = {run.id: run.repo.identity for run in await store.list()}
        assert found == {
            proven.run_id: "1", unknown.run_id: "acme/app", sure.run_id: "3",
            older.run_id: "acme/sure",
        }  # fmt: skip
        assert [run.id for run in await store.active(FIRST)] == [proven.run_id]
        assert await store.active(SECOND) == ()
        session = await SessionStore(database).get("s")
        assert session is not None
        assert session.repo.id == 1
        assert await SwitchStore(database).get(SURE, 5) is False
        assert await StopStore(database).last(SECOND, 5) is None
        assert [pull.number for pull in await OpenPullStore(database).of(FIRST)] == [5]
        lessons = LessonStore(database)
        assert [item.text for item in await lessons.list(SURE)] == ["We use tabs."]
        for repo in (FIRST, SECOND):
            assert await lessons.list(repo) == ()
        assert [item.text for item in await lessons.list("acme/app")] == ["The launch is in May."]
        limited = {key.name: key.identities for key in await ApiKeyStore(database).list()}
        assert limited == {"one": frozenset({"3"}), "two": frozenset()}
        kept = select(accounts.c.spent).where(accounts.c.key == "3/3#12/")
        assert await database.read(lambda connection: connection.scalar(kept)) == 70
        assert await NameStore(database).named("acme/sure", frozenset({"3"})) == SURE
        assert await NameStore(database).named("acme/app", frozenset({"1"})) == FIRST
