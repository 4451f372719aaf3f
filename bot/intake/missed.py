"""Find the webhooks that never arrived, and have GitHub send them again."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Self

import structlog

from bot.errors import GitHubError, StorageError
from bot.github.github import GitHub
from bot.intake.events import is_handled
from bot.storage.deliveries import DeliveryStore

LOOK_BACK = timedelta(days=1)
"""Who asked earlier than this does not wait for an answer any more. GitHub could go back three.

https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
"""

MOST_ASKS = 3
"""For one webhook in the life of one process: some will never be accepted."""

_log = structlog.get_logger(__name__)


class MissedDeliveries:
    """Looks at start, and from time to time; GitHub itself never tries a webhook twice."""

    def __init__(self, github: GitHub, deliveries: DeliveryStore, *, every: float) -> None:
        """Look every so many seconds."""
        self._github = github
        self._deliveries = deliveries
        self._every = every
        self._asked: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to look."""
        self._task = asyncio.create_task(self._look_again_and_again())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look_again_and_again(self) -> None:
        while True:
            try:
                await self.look()
            except (GitHubError, StorageError) as error:
                _log.warning("missed webhooks not looked for", problem=str(error))
            await asyncio.sleep(self._every)

    async def look(self) -> None:
        """Ask for every webhook that we would have kept and do not have."""
        for missed in await self._github.missed_deliveries(datetime.now(UTC) - LOOK_BACK):
            if not is_handled(missed.event, missed.action) or self._asked[missed.guid] >= MOST_ASKS:
                continue
            if await self._deliveries.get(missed.guid) is not None:
                continue  # kept, and only our answer did not arrive
            self._asked[missed.guid] += 1
            await self._github.redeliver(missed.id)
            _log.info("missed webhook asked for", delivery=missed.guid, status=missed.status_code)
