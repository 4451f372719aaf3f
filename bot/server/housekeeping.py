"""Delete what is no longer needed: deliveries, events, messages, results, mirrors, sandboxes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import structlog

from bot.background import again_and_again
from bot.runs.mirrors import tidy_mirrors
from bot.storage.journal import Journal
from bot.storage.stores import Stores
from sandbox.base import SandboxError

EVERY_SECONDS = 24 * 3600.0
SANDBOXES_SECONDS = 600.0
MIRRORS_SECONDS = 3600.0

KEPT = timedelta(days=30)
"""Longer than GitHub offers to redeliver (three days), and than any run lasts, its waiting for
people included."""

COMMITS_KEPT = timedelta(days=60)
"""So much longer commits are kept: a job can be run again for thirty days after its first run.

https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
"""

TESTS_KEPT = timedelta(days=60)
"""So much longer results of tests are kept: what fails now and then is rare."""

_log = structlog.get_logger(__name__)


class Housekeeping:
    """Tidies up at start, and once a day."""

    def __init__(self, stores: Stores, journal: Journal) -> None:
        """Look after these.

        Args:
            stores: Of deliveries, of commits whose checks failed or were awaited, of events, and of
                what webhooks were told.
            journal: Of light steps.
        """
        self._deliveries = stores.deliveries
        self._commits = stores.commits
        self._events = stores.events
        self._messages = stores.messages
        self._queue = stores.queue
        self._memory = stores.memory
        self._lessons = stores.lessons
        self._proofs = stores.proofs
        self._queued_pulls = stores.queued_pulls
        self._tests = stores.tests
        self._quarantines = stores.quarantines
        self._journal = journal

    async def keep_tidy(self, turn: Callable[[], Awaitable[object]]) -> None:
        """Tidy up for ever, when it is this server's turn."""
        await again_and_again(
            lambda: self.tidy(datetime.now(UTC) - KEPT),
            pause=EVERY_SECONDS,
            failed="old data not thrown away",
            turn=turn,
        )

    async def tidy(self, older_than: datetime) -> None:
        """Throw away what was last of use before `older_than`.

        Raises:
            StorageError: When the database refuses.
        """
        deliveries = await self._deliveries.prune(older_than)
        commits = await self._commits.prune(older_than - COMMITS_KEPT)
        events = await self._events.prune(older_than)
        messages = await self._messages.prune(older_than)
        acts = await self._journal.prune(older_than)
        await self._queue.prune(older_than)
        await self._memory.prune(datetime.now(UTC))
        await self._lessons.prune(older_than)
        await self._proofs.prune(older_than)
        await self._queued_pulls.prune(older_than)
        await self._tests.prune(older_than - TESTS_KEPT)
        await self._quarantines.prune(older_than)
        if deliveries or commits or events or messages or acts:
            _log.info(
                "old data thrown away",
                deliveries=deliveries,
                commits=commits,
                events=events,
                messages=messages,
                acts=acts,
            )


class TidySandboxes(Protocol):
    """Whoever keeps sandboxes."""

    async def tidy(self) -> None:
        """Remove those whose lifetime is over. Raises `SandboxError`."""
        ...


async def keep_sandboxes_tidy(sandboxes: TidySandboxes) -> None:
    """Remove, for ever, the sandboxes whose lifetime is over: those of a run that was given up."""

    async def tidy() -> None:
        try:
            await sandboxes.tidy()
        except SandboxError as error:
            _log.warning("old sandboxes not removed", problem=str(error))

    await again_and_again(tidy, pause=SANDBOXES_SECONDS, failed="old sandboxes not removed")


async def keep_mirrors_tidy(mirrors: Path, most_bytes: int) -> None:
    """Remove, for ever, mirrors that no run has used for long, and the oldest of too many."""

    async def tidy() -> None:
        now = time.time()
        unused_since = now - KEPT.total_seconds()
        removed = await tidy_mirrors(
            mirrors, unused_since=unused_since, now=now, most_bytes=most_bytes
        )
        if removed:
            _log.info("mirrors removed", count=removed)

    await again_and_again(tidy, pause=MIRRORS_SECONDS, failed="mirrors not tidied")
