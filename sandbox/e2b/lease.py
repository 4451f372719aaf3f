"""Keep a machine at E2B from ending while somebody works on it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from sandbox.base import SandboxError
from sandbox.e2b.errors import retried


class MachineLease:
    """The time-out of one machine.

    Args:
        set_timeout: Lets the machine end so many whole seconds from now.
        lifetime: Seconds, counted from now; see `whole_seconds`.
    """

    def __init__(self, set_timeout: Callable[[int], Awaitable[None]], lifetime: int) -> None:
        self._set_timeout = set_timeout
        self._lifetime = lifetime
        self._renewed = time.monotonic()

    @contextlib.asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Extend the time-out as long as the block takes; what is left afterwards is for idling."""
        if time.monotonic() - self._renewed > self._lifetime / 3:
            await self._renew()
        beat = asyncio.ensure_future(self._beat())
        try:
            yield
        finally:
            beat.cancel()
            await asyncio.wait({beat})

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._lifetime / 3)
            # More beats follow before the time is up. If the machine is gone, the call that
            # waits for it says so.
            with contextlib.suppress(SandboxError):
                await self._renew()

    async def _renew(self) -> None:
        await retried("extend the timeout", lambda: self._set_timeout(self._lifetime))
        self._renewed = time.monotonic()


def whole_seconds(lifetime: float) -> int:
    """Return a time-out as E2B takes it: whole seconds, at least one."""
    return max(1, math.ceil(lifetime))
