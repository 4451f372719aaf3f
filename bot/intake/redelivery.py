"""Find the webhooks that never arrived, and have GitHub send them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import structlog

from bot.background import again_and_again
from bot.github.github import GitHub
from bot.intake.events import is_handled
from bot.storage.deliveries import DeliveryStore

LOOK_BACK = timedelta(days=1)
"""Who asked earlier than this no longer waits for an answer. GitHub keeps deliveries for three.

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

    async def keep_looking(self, turn: Callable[[], Awaitable[object]] | None = None) -> None:
        """Look for ever, when it is this server's turn."""
        await again_and_again(
            self.look, pause=self._every, failed="missed webhooks not looked for", turn=turn
        )

    async def look(self) -> None:
        """Ask for every webhook that we would have kept and do not have."""
        for missed in await self._github.missed_deliveries(datetime.now(UTC) - LOOK_BACK):
            if not is_handled(missed.event, missed.action) or self._asked[missed.guid] >= MOST_ASKS:
                continue
            if await self._deliveries.get(missed.guid) is not None:
                continue  # kept, and only our answer did not arrive
            self._asked[missed.guid] += 1
            await self._github.redeliver(missed.id)
            _log.info(
                "missed webhook asked for", delivery_id=missed.guid, status=missed.status_code
            )
