"""Bad days on request: lost answers, server errors, rate limits, slowness."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from enum import StrEnum


class Trouble(StrEnum):
    """What goes wrong."""

    BAD_GATEWAY = "502 before anything is done"
    LOST_ANSWER = "502 after it was done"
    RESET = "connection cut before anything is done"
    RESET_AFTER = "connection cut after it was done"
    SECONDARY_LIMIT = "403 with retry-after"
    TOO_MANY = "429 with retry-after"
    PRIMARY_LIMIT = "403 with no calls left until the reset"
    NOT_JSON = "200 with a page of HTML"
    TRUNCATED = "200 whose body ends too early, after it was done"
    UNAUTHORIZED = "401 for a token that was good"
    NOT_FOUND = "404 for what is there"
    CONFLICT = "409 before anything is done"
    INVALID = "422 for what is right"

    @property
    def comes_after(self) -> bool:
        """Whether GitHub does what was asked before it fails."""
        return self in {Trouble.LOST_ANSWER, Trouble.RESET_AFTER, Trouble.TRUNCATED}


@dataclass(slots=True, eq=False)
class Fault:
    """Trouble for the next `times` calls that fit; `seconds` is what a limit tells to wait.

    With `held` a call that met it waits for `let_go` before it fails, so that a story can do
    something meanwhile.
    """

    trouble: Trouble
    times: int
    method: str
    path: re.Pattern[str]
    seconds: int
    met: asyncio.Event = field(default_factory=asyncio.Event)
    held: asyncio.Event = field(default_factory=asyncio.Event)

    async def meet(self) -> None:
        """Be in the middle of the call, as long as a story wants."""
        self.met.set()
        await self.held.wait()

    def let_go(self) -> None:
        """Let the call fail now."""
        self.held.set()

    def fits(self, method: str, path: str) -> bool:
        """Whether it strikes this call."""
        return self.times > 0 and self.method in {"*", method} and bool(self.path.search(path))


@dataclass(slots=True)
class Faults:
    """What is to go wrong. `latency` is in seconds, for every call."""

    latency: float = 0.0
    pending: list[Fault] = field(default_factory=list)

    def add(
        self,
        trouble: Trouble,
        *,
        times: int = 1,
        method: str = "*",
        path: str = "",
        seconds: int = 0,
        hold: bool = False,
    ) -> Fault:
        """Let the next calls that fit fail; `path` is a regular expression to search."""
        fault = Fault(trouble, times, method, re.compile(path), seconds)
        if not hold:
            fault.let_go()
        self.pending.append(fault)
        return fault

    def strike(self, method: str, path: str) -> Fault | None:
        """Return the fault that this call meets, and count it."""
        for fault in self.pending:
            if fault.fits(method, path):
                fault.times -= 1
                return fault
        return None
