"""See how late the event loop is: whatever holds it up holds up everything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

PAUSE = 0.5
"""Seconds between two looks."""

_LATE = 1.0
"""Seconds from which on the log says so."""

_log = structlog.get_logger(__name__)


async def watch_loop(late: Callable[[float], None]) -> None:
    """Look for ever, and tell by how many seconds it was late each time."""
    loop = asyncio.get_running_loop()
    while True:
        wanted = loop.time() + PAUSE
        await asyncio.sleep(PAUSE)
        seconds = max(0.0, loop.time() - wanted)
        late(seconds)
        if seconds > _LATE:
            _log.warning("event loop late", seconds=round(seconds, 3), category="performance")
