"""Let no more runs work at once than the server can carry at the moment; the others wait in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque


class RunGate:
    """A limit of concurrent runs that can change while they work.

    Whoever waits keeps its place in the durable queue: the server that dies meanwhile takes the
    run up again at its next start. A run that works already is never held up.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._working = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many may work at once."""
        return self._limit

    @property
    def working(self) -> int:
        """Runs that were let through and have not ended."""
        return self._working

    @property
    def waiting(self) -> int:
        """Runs that are held back."""
        return len(self._waiting)

    def limit_to(self, limit: int) -> None:
        """Let no more than `limit` runs work from now on; those that do go on."""
        self._limit = limit
        self._let_through()

    async def __aenter__(self) -> None:
        """Wait for a place."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._let_through()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()
            else:
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
            raise

    async def __aexit__(self, *_: object) -> None:
        """Leave the place to the next one."""
        self._leave()

    def _leave(self) -> None:
        self._working -= 1
        self._let_through()

    def _let_through(self) -> None:
        while self._waiting and self._working < self._limit:
            place = self._waiting.popleft()
            if not place.done():  # else whoever waited there has gone
                self._working += 1
                place.set_result(None)
