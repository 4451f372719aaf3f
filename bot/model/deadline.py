"""End work in the sandbox, and a model's turn, once the run is stopped or its time is up."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.errors import BudgetExhausted, RunStopped

T = TypeVar("T")

BY_A_PERSON = "A person stopped the run."


class StopSign(asyncio.Event):
    """Set once a run must stop.

    Attributes:
        reason: Why, as a sentence; the first one counts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reason = BY_A_PERSON

    def stop(self, reason: str = BY_A_PERSON) -> None:
        """Stop the run."""
        if not self.is_set():
            self.reason = reason
        self.set()


class RunLimits:
    """Ends work in the sandbox as soon as the run is stopped or its time is up.

    Attributes:
        deadline: When the time is up, as `time.time()` counts.
        held: Seconds that work took so far, in this process.
    """

    def __init__(
        self,
        deadline: float,
        stopped: StopSign,
        *,
        sandbox_seconds: float | None = None,
        earlier: float = 0.0,
        on_held: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Say when the run must end.

        Args:
            deadline: When the time is up, as `time.time()` counts.
            stopped: Set once the run must stop.
            sandbox_seconds: The most that all work may take together; None: no cap.
            earlier: Seconds that work took in earlier processes.
            on_held: Called with the seconds of each piece of work.
        """
        self.deadline = deadline
        self.held = 0.0
        self._stopped = stopped
        self._most = sandbox_seconds
        self._earlier = earlier
        self._on_held = on_held

    def check(self) -> None:
        """Raise `RunStopped` or `BudgetExhausted` when the run must end."""
        if self._stopped.is_set():
            raise RunStopped(self._stopped.reason)
        if time.time() >= self.deadline:
            raise BudgetExhausted("The time budget is used up.")
        if self._sandbox_left <= 0:
            raise BudgetExhausted(f"The sandbox time of {self._most:g} s is used up.")

    @property
    def stopped(self) -> StopSign:
        """Set once the run must stop."""
        return self._stopped

    @property
    def _sandbox_left(self) -> float:
        return math.inf if self._most is None else self._most - self._earlier - self.held

    async def hold(self, work: Awaitable[T]) -> T:
        """Await `work`, but cancel it and raise when the run must end first."""
        started = time.monotonic()
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self._stopped.wait())
        try:
            self.check()
            left = max(0.0, min(self.deadline - time.time(), self._sandbox_left))
            await asyncio.wait({task, stop}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self.check()
                if self.deadline - time.time() < self._sandbox_left:
                    raise BudgetExhausted("The time budget is used up.")
                raise BudgetExhausted("The sandbox time is used up.")
            return task.result()
        finally:
            seconds = time.monotonic() - started
            self.held += seconds
            self._on_held(seconds)
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


async def unless_stopped(work: Callable[[], Awaitable[T]], stopped: StopSign) -> T:
    """Do `work`, but cancel it as soon as the run is stopped; it does not start if the run is stopped already.

    Raises:
        RunStopped: When that came first.
    """
    if stopped.is_set():
        raise RunStopped(stopped.reason)
    task = asyncio.ensure_future(work())
    stop = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise RunStopped(stopped.reason)
        return task.result()
    finally:
        for each in (task, stop):
            each.cancel()
        await asyncio.gather(task, stop, return_exceptions=True)
