"""End work in the sandbox as soon as a person stops the run or its time is up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from bot.errors import BudgetExhausted, RunStopped

T = TypeVar("T")


class Reins:
    """Ends work in the sandbox as soon as a person stops the run or its time is up.

    Attributes:
        deadline: When the time is up, as `time.time()` counts.
        held: Seconds that work took so far, in this process.
    """

    def __init__(self, deadline: float, stopped: asyncio.Event) -> None:
        self.deadline = deadline
        self.held = 0.0
        self._stopped = stopped

    def check(self) -> None:
        """Raise `RunStopped` or `BudgetExhausted` when the run must end."""
        if self._stopped.is_set():
            raise RunStopped("A person stopped the run.")
        if time.time() >= self.deadline:
            raise BudgetExhausted("The time budget is used up.")

    async def hold(self, work: Awaitable[T]) -> T:
        """Await `work`, but cancel it and raise when the run must end first."""
        started = time.monotonic()
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._stopped.wait())
        try:
            self.check()
            left = max(0.0, self.deadline - time.time())
            await asyncio.wait({task, stop}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self.check()
                raise BudgetExhausted("The time budget is used up.")
            return task.result()
        finally:
            self.held += time.monotonic() - started
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
