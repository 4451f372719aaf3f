"""Let stored runs through to the durable engine when there is a place for them, in a fair order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import structlog

from bot.background import again_and_again, in_background
from bot.errors import FixpointError, StorageError
from bot.model.request import FixRequest
from bot.storage.run_queue import LetThrough, RunQueue

EVERY_SECONDS = 2.0
"""Between two looks for what nobody told of: runs that were stopped, places of other servers."""

_log = structlog.get_logger(__name__)


class Starts(Protocol):
    """What carries runs that have a place; a second call with the same request changes nothing."""

    async def start(self, request: FixRequest) -> None:
        """Carry it."""
        ...

    async def end_withdrawn(self, request: FixRequest) -> None:
        """End it: it was stopped before it began."""
        ...


class Admission:
    """Any server lets runs through, for all: the database says which, and who is first.

    What was let through by a process that ended before it could start it is started by whoever
    takes over, or by the next start.
    """

    def __init__(self, queue: RunQueue, engine: Starts, *, every: float = EVERY_SECONDS) -> None:
        self._queue = queue
        self._engine = engine
        self._every = every
        self._passing = asyncio.Lock()
        self._woken = asyncio.Event()
        self._unstarted: list[Callable[[], Awaitable[None]]] = []

    def wake(self) -> None:
        """Say that a place may be free."""
        self._woken.set()

    async def start(self, request: FixRequest) -> None:  # noqa: ARG002 - it is stored, and in the queue
        """Start a stored run as soon as it is its turn: now, if there is a place."""
        await self.look()

    async def look(self) -> None:
        """Let through whatever has a place.

        Raises:
            StorageError: When the database fails.
        """
        async with self._passing:
            await self._start_all(await self._queue.let_through())

    async def resume(self) -> None:
        """Start, once more, all that was let through and is not over; then whatever has a place.

        Raises:
            StorageError: When the database fails.
        """
        async with self._passing:
            await self._start_all(await self._queue.left_over())
        await self.look()

    @asynccontextmanager
    async def working(self, server_id: str, places: Callable[[], int]) -> AsyncIterator[None]:
        """Offer a server's places, as many as there are at the time, while the block lasts."""
        offered = -1

        async def act() -> None:
            nonlocal offered
            now = places()
            if now != offered:
                await self._queue.set_places(server_id, now)
                offered = now
            await self.look()

        await act()
        try:
            async with in_background(lambda: self._keep_looking(act)):
                yield
        finally:
            with contextlib.suppress(StorageError):  # then they go with the server
                await self._queue.set_places(server_id, 0)

    async def _keep_looking(self, act: Callable[[], Awaitable[None]]) -> None:
        async def look() -> None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._every)
            self._woken.clear()
            await act()

        await again_and_again(look, pause=0, failed="queue not looked at")

    async def _start_all(self, found: LetThrough) -> None:
        """Hand over to the engine; what that can't take now is tried again with the next look."""
        waiting, self._unstarted = self._unstarted, []
        for request in found.admitted:
            waiting.append(_bound(self._engine.start, request))
        for request in found.withdrawn:
            waiting.append(_bound(self._engine.end_withdrawn, request))
        for start in waiting:
            try:
                await start()
            except FixpointError as error:
                _log.warning("run not started yet", problem=str(error))
                self._unstarted.append(start)


def _bound(
    act: Callable[[FixRequest], Awaitable[None]], request: FixRequest
) -> Callable[[], Awaitable[None]]:
    return lambda: act(request)
