"""How well the server is, as a score that tells what lowers it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.errors import StorageError
from bot.model import Verdict
from bot.storage.run_lists import RunLists

_SLOW_DATABASE = 0.5
_SLOW_LOOP = 0.25
_LONG_QUEUE_SECONDS = 1800.0
_FEW_RUNS = 5
_MOST_BROKEN = 0.5


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing that was looked at.

    Attributes:
        name: Of it.
        ok: Whether it is as it should be.
        detail: What was seen, in a sentence.
        weight: How many points of 100 it costs when it is not.
    """

    name: str
    ok: bool
    detail: str
    weight: int


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """All that was looked at."""

    checks: tuple[HealthCheck, ...]

    @property
    def score(self) -> int:
        """From 0 to 100; 100 when everything is as it should be."""
        return max(0, 100 - sum(one.weight for one in self.checks if not one.ok))


async def look(lists: RunLists) -> ServerHealth:
    """Look at the database, the event loop, the queue, and how the last day's runs ended."""
    started = time.perf_counter()
    try:
        oldest = await lists.oldest_queued()
        ended = await lists.ended(days=1)
    except StorageError as error:
        return ServerHealth((HealthCheck("database", ok=False, detail=str(error), weight=100),))
    took = time.perf_counter() - started
    waited = (datetime.now(UTC) - oldest).total_seconds() if oldest else 0.0
    lag = await loop_lag()
    broken = sum(one.verdict is Verdict.INFRASTRUCTURE for one in ended)
    too_many = len(ended) >= _FEW_RUNS and broken / len(ended) > _MOST_BROKEN
    return ServerHealth(
        (
            HealthCheck(
                "database", took < _SLOW_DATABASE, f"It answered in {took * 1000:.0f} ms.", 30
            ),
            HealthCheck("event loop", lag < _SLOW_LOOP, f"It was late by {lag * 1000:.0f} ms.", 20),
            HealthCheck(
                "queue",
                waited < _LONG_QUEUE_SECONDS,
                f"The oldest run in it has waited {waited:.0f} s." if oldest else "It is empty.",
                20,
            ),
            HealthCheck(
                "runs",
                not too_many,
                f"{broken} of the {len(ended)} runs of the last 24 hours ended for reasons of "
                "infrastructure.",
                30,
            ),
        )
    )


async def loop_lag() -> float:
    """Return by how many seconds the event loop is late."""
    wanted = 0.01
    started = time.perf_counter()
    await asyncio.sleep(wanted)
    return max(0.0, time.perf_counter() - started - wanted)
