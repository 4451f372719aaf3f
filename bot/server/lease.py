"""A server's permission to act outside of the database: it lasts as long as nobody took it for dead."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


def _since_boot() -> float:
    """Return seconds that also pass while the machine sleeps; no clock's setting changes them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """Granted anew with every beat. What it is asked before must be done at once.

    A server that was stalled asks the moment it goes on, finds that too much time has passed, and
    waits here until the database says whether it is still one of the servers. If it is not, it
    waits for ever: whoever ends the server cancels it.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = _since_boot) -> None:
        """Let each grant last so many seconds, from when the database was asked for it."""
        self.now = clock
        self._seconds = seconds
        self._until = float("-inf")
        self._granted = asyncio.Event()

    def grant(self, asked: float) -> None:
        """Extend the lease: the database said yes to what it was asked at that time."""
        self._until = asked + self._seconds
        if self.now() < self._until:
            self._granted.set()

    async def held(self) -> None:
        """Return as soon as the server may act."""
        while self.now() >= self._until:
            self._granted.clear()
            await self._granted.wait()
