"""What nobody can ask for any more is thrown away, and nothing else."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from bot.background import in_background
from bot.model.events import EventType, RunEvent
from bot.server.housekeeping import Housekeeping, keep_sandboxes_tidy
from bot.storage.database import open_database
from bot.storage.events import KeyedEvent
from bot.storage.journal import Journal
from bot.storage.ledger import Ledger
from bot.storage.steps_database import steps_database
from bot.storage.stores import Stores
from sandbox.base import SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider


async def test_old_data_goes_and_the_rest_stays(tmp_path: Path) -> None:
    """Deliveries that are done, events and acts."""
    url = SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")
    async with await open_database(url) as database:
        with steps_database(url) as engine:
            stores, journal = Stores.on(database, Ledger(database)), Journal(engine)
            deliveries, events = stores.deliveries, stores.events
            await journal.open()
            for item in ("done", "waiting"):
                await deliveries.add(item, "issue_comment", b"{}")
            await deliveries.done("done", "nothing to do")
            await journal.keep("run", "act", b"result")
            await events.append("run", [KeyedEvent("key", RunEvent(EventType.NOTE, {"text": "a"}))])
            moment = datetime.now(UTC)
            tidying = Housekeeping(stores, journal)
            await tidying.tidy(moment - timedelta(hours=1))
            assert await deliveries.get("done") is not None
            assert len(await events.after("run")) == 1
            await tidying.tidy(moment + timedelta(seconds=0.001))
            assert await deliveries.get("done") is None
            assert [delivery.id for delivery in await deliveries.pending()] == ["waiting"]
            assert await journal.earlier("run") == {}
            assert await events.after("run") == ()
            await journal.close()


async def test_a_sandbox_of_a_run_that_was_given_up_goes(tmp_path: Path) -> None:
    """When its lifetime is over, with what is mounted in it, although nobody opens another one."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt").touch()
    first = BubblewrapProvider(tmp_path / "data")
    prepared = await first.open(SandboxSpec("prepared", source=source))
    await prepared.run("echo kept >~/kept", timeout=600)
    await prepared.snapshot("snapshot")
    attempt = await first.open(SandboxSpec("attempt", snapshot="snapshot", lifetime=0.0))
    await attempt.run("cat ~/kept", timeout=600)
    await first.close()
    other = BubblewrapProvider(tmp_path / "data")
    place = tmp_path / "data" / "sandboxes" / "attempt"
    assert place.is_dir()
    async with in_background(partial(keep_sandboxes_tidy, other)), asyncio.timeout(600):
        while place.exists():  # noqa: ASYNC110 - removed in the background
            await asyncio.sleep(0.01)
    mounts = Path("/proc/self/mounts").read_text("utf-8")
    assert str(place) not in mounts
    assert (tmp_path / "data" / "sandboxes" / "prepared").is_dir()
    await other.remove("prepared")
    await other.remove("snapshot")
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text("utf-8")
