"""What nobody can ask for any more is thrown away, and nothing else."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from bot.server.housekeeping import Housekeeping
from bot.storage.commits import CommitStore
from bot.storage.database import open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.journal import Journal
from bot.storage.steps_database import steps_database


async def test_old_data_goes_and_the_rest_stays(tmp_path: Path) -> None:
    """Deliveries that are done, acts, and mirrors that no run has used."""
    mirrors = tmp_path / "mirrors"
    for name in ("acme/used.git", "acme/unused.git"):
        (mirrors / name).mkdir(parents=True)
    url = SecretStr(f"sqlite:///{tmp_path}/fixpoint.db")
    async with await open_database(url) as database:
        with steps_database(url) as engine:
            deliveries, journal = DeliveryStore(database), Journal(engine)
            commits = CommitStore(database)
            await journal.open()
            for one in ("done", "waiting"):
                await deliveries.add(one, "issue_comment", b"{}")
            await deliveries.done("done", "nothing to do")
            await journal.keep("run", "act", b"result")
            moment = datetime.now(UTC)
            past = (moment - timedelta(days=1)).timestamp()
            os.utime(mirrors / "acme" / "unused.git", (past, past))
            tidying = Housekeeping(deliveries, commits, journal, mirrors)
            await tidying.tidy(moment - timedelta(hours=1))
            assert await deliveries.get("done") is not None
            assert [one.name for one in (mirrors / "acme").iterdir()] == ["used.git"]
            await tidying.tidy(moment + timedelta(seconds=0.001))
            assert await deliveries.get("done") is None
            assert [one.id for one in await deliveries.pending()] == ["waiting"]
            assert await journal.earlier("run") == {}
            await journal.close()
    assert [one.name for one in (mirrors / "acme").iterdir()] == []
