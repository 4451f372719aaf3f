"""How many requests a program may send, and the headers that tell it.

See https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (10).
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from bot.errors import StorageError
from bot.web.problems import ApiProblem

WINDOW_SECONDS = 60
_POLICY = "default"
_MOST_CALLERS = 10_000
_SLICES = 10
"""How often in a minute one server asks for a caller at most: a request is not a write."""


class SharedCounts(Protocol):
    """What all servers together let callers send."""

    async def take(self, caller: str, window: int, wanted: int, most: int) -> tuple[int, int]:
        """Take up to `wanted` of the `most` requests of a window; see `RequestCounts`."""
        ...


@dataclass(slots=True)
class _Slice:
    """What this server may still let a caller send in a window.

    Attributes:
        window: Number of the minute.
        own: Requests that this server took from all, and has not seen yet.
        others: Requests that nobody had taken when it did.
        taking: Held by the one request that takes more.
    """

    window: int
    own: int = 0
    others: int = 1
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)


class RateLimits:
    """Counts requests by caller and minute, for all servers on one database.

    A server takes a tenth of a minute's requests at a time, so it writes at most ten times, and a
    caller that spreads requests over servers is refused while some have a rest left.
    """

    def __init__(
        self, most: int, counts: SharedCounts, clock: Callable[[], float] = time.time
    ) -> None:
        """Let each caller send `most` requests a minute; `clock` gives seconds since 1970."""
        self._most = most
        self._counts = counts
        self._clock = clock
        self._slices: dict[str, _Slice] = {}

    async def count(self, caller: str) -> dict[str, str]:
        """Count a request; return the headers that tell how many are left.

        Raises:
            ApiProblem: When there were too many.
        """
        now = self._clock()
        window = int(now // WINDOW_SECONDS)
        seconds = max(1, math.ceil((window + 1) * WINDOW_SECONDS - now))
        held = self._slices.get(caller)
        if held is None or held.window != window:
            self._forget(window)
            held = self._slices[caller] = _Slice(window)
        async with held.taking:
            if held.own < 1 <= held.others:
                await self._take(caller, held)
        is_refused = held.own < 1
        held.own = max(0, held.own - 1)
        headers = {
            "RateLimit-Policy": f'"{_POLICY}";q={self._most};w={WINDOW_SECONDS}',
            "RateLimit": f'"{_POLICY}";r={held.own + held.others};t={seconds}',
        }
        if is_refused:
            raise ApiProblem(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"More than {self._most} requests in a minute. Try again in {seconds} s.",
                {**headers, "Retry-After": str(seconds)},
            )
        return headers

    async def _take(self, caller: str, held: _Slice) -> None:
        """Take the next requests from those of all.

        While the database is away, no key is known either, and the administrator may look.
        """
        wanted = max(1, self._most // _SLICES)
        try:
            given, left = await self._counts.take(caller, held.window, wanted, self._most)
        except StorageError:
            given, left = wanted, max(1, held.others)
        held.own += given
        held.others = left

    def _forget(self, window: int) -> None:
        """Forget minutes that are over, once there are many callers."""
        if len(self._slices) >= _MOST_CALLERS:
            self._slices = {
                caller: held for caller, held in self._slices.items() if held.window == window
            }
