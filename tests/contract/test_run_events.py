"""What the table of events promises, on SQLite and on PostgreSQL, alone and with several servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.model import Verdict
from bot.model.events import EventType, KeptEvent, RunEvent
from bot.storage.database import Database, open_database
from bot.storage.events import EventStore, KeyedEvent, Keys
from bot.storage.runs import RunStatus, RunStore
from tests.contract.databases import url
from tests.contract.test_storage import REQUEST

__all__ = ["url"]  # a fixture: pytest finds it by name

RUN = REQUEST.run_id


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url) as opened:
        yield opened


def notes(*texts: str) -> list[KeyedEvent]:
    """Return events as a process that just began would name them."""
    keys = Keys()
    told = [RunEvent(EventType.NOTE, {"text": text}) for text in texts]
    return [KeyedEvent(keys.of(event), event) for event in told]


def texts(kept: tuple[KeptEvent, ...]) -> list[str]:
    """Return what was said."""
    return [event.data["text"] for event in kept]


async def test_events_are_numbered_in_order(database: Database) -> None:
    """From 1 without gaps in each run; a reader goes on from the last that it knows."""
    store = EventStore(database)
    await store.append(RUN, notes("a", "b"))
    await store.append("other", notes("x"))
    await store.append(RUN, notes("a", "b", "c"))
    kept = await store.after(RUN)
    assert [(event.number, event.data["text"]) for event in kept] == [(1, "a"), (2, "b"), (3, "c")]
    assert [event.number for event in await store.after("other")] == [1]
    assert texts(await store.after(RUN, 1)) == ["b", "c"]
    assert texts(await store.after(RUN, 0, most=1)) == ["a"]
    assert kept[0].type is EventType.NOTE
    assert kept[0].at.tzinfo is UTC


async def test_what_is_told_again_is_kept_once(database: Database) -> None:
    """A process that repeats a run's events after a kill adds nothing; what happens twice is two."""
    store = EventStore(database)
    await store.append(RUN, notes("a", "a", "b"))
    await store.append(RUN, notes("a", "a", "b", "a"))
    assert texts(await store.after(RUN)) == ["a", "a", "b", "a"]


async def test_any_text_is_kept(database: Database) -> None:
    """NUL and half characters, which no database holds, are replaced."""
    store = EventStore(database)
    await store.append(RUN, notes("\0 \ud800 é 漢"))
    (said,) = texts(await store.after(RUN))
    assert said.endswith("é 漢")


async def test_many_writers_leave_no_gap(url: SecretStr) -> None:
    """Four servers write at once; every event has its own number."""
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(await open_database(url)) for _ in range(4)]
        stores = [EventStore(item) for item in opened]
        await asyncio.gather(
            *(
                store.append(RUN, notes(f"{which} {n}"))
                for which, store in enumerate(stores)
                for n in range(10)
            )
        )
        kept = await stores[0].after(RUN)
    assert [event.number for event in kept] == list(range(1, 41))


async def test_a_change_of_status_is_an_event(database: Database) -> None:
    """In the transaction of the change; a change of something else is none."""
    events = EventStore(database)
    runs = RunStore(database, events.signals)
    await runs.create(REQUEST, "guid")
    await runs.create(REQUEST, "again")
    await runs.update(RUN, status=RunStatus.RUNNING)
    await runs.update(RUN, tokens=5)
    await runs.update(RUN, status=RunStatus.DONE, verdict=Verdict.GAVE_UP, reason="It fails.")
    assert [event.data for event in await events.after(RUN)] == [
        {"status": "queued", "verdict": None, "reason": ""},
        {"status": "running", "verdict": None, "reason": ""},
        {"status": "done", "verdict": "gave_up", "reason": "It fails."},
    ]


async def test_following_a_run_of_another_server(url: SecretStr) -> None:
    """What was, then what comes, at once; the end of the run ends it."""
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(await open_database(url))
        there = await stack.enter_async_context(await open_database(url))
        store, other = EventStore(here), EventStore(there)
        # on SQLite there is one server, whose stores share their signals
        if not url.get_secret_value().startswith("postgresql"):
            other = EventStore(there, store.signals)
        await stack.enter_async_context(here.news(store.signals))
        runs = RunStore(there, other.signals)
        await runs.create(REQUEST, "guid")
        seen: list[str] = []

        async def follow() -> None:
            async for batch in store.follow(RUN, pulse=60):
                seen.extend(
                    str(event.data.get("text", event.data.get("status"))) for event in batch
                )

        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            group.create_task(follow())
            while "queued" not in seen:  # noqa: ASYNC110 - seen in the background
                await asyncio.sleep(0.01)
            for n in range(5):
                await other.append(RUN, notes(*map(str, range(n + 1))))
            await runs.update(RUN, status=RunStatus.DONE, verdict=Verdict.FIXED)
    assert seen == ["queued", "0", "1", "2", "3", "4", "done"]


async def test_a_quiet_run_has_a_pulse(database: Database) -> None:
    """A follower gets to know that it is not forgotten."""
    async for batch in EventStore(database).follow(RUN, pulse=0.05):
        assert batch == ()
        break


async def test_old_events_go(database: Database) -> None:
    """By age, once their run is over: the numbers of one that waits for a person go on."""
    store = EventStore(database)
    runs = RunStore(database, store.signals)
    later = datetime.now(UTC) + timedelta(days=1)
    await store.append("forgotten", notes("a"))
    await runs.create(REQUEST, "guid")
    await runs.update(RUN, status=RunStatus.WAITING)
    assert await store.prune(datetime.now(UTC) - timedelta(days=1)) == 0
    assert await store.prune(later) == 1
    await runs.update(RUN, status=RunStatus.DONE)
    assert [event.number for event in await store.after(RUN)] == [1, 2, 3]
    assert await store.prune(later) == 3
    assert await store.after(RUN) == ()
