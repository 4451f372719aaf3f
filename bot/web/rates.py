"""How many requests a program may send, and the headers that tell it.

See https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (10).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from bot.web.problems import ApiProblem

WINDOW_SECONDS = 60
_POLICY = "default"
_MOST_CALLERS = 10_000


@dataclass(slots=True)
class _Window:
    """The requests of one caller since a moment."""

    began: float
    count: int = 0


class RateLimits:
    """Counts requests by caller, in windows that begin with a first request. In this process."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Let each caller send `most` requests a minute; `clock` gives seconds."""
        self._most = most
        self._clock = clock
        self._windows: dict[str, _Window] = {}

    def count(self, caller: str) -> dict[str, str]:
        """Count a request; return the headers that tell how many are left.

        Raises:
            ApiProblem: When there were too many.
        """
        now = self._clock()
        window = self._windows.get(caller)
        if window is None or now - window.began >= WINDOW_SECONDS:
            self._forget(now)
            window = self._windows[caller] = _Window(now)
        window.count += 1
        left = max(0, self._most - window.count)
        seconds = max(1, math.ceil(window.began + WINDOW_SECONDS - now))
        headers = {
            "RateLimit-Policy": f'"{_POLICY}";q={self._most};w={WINDOW_SECONDS}',
            "RateLimit": f'"{_POLICY}";r={left};t={seconds}',
        }
        if window.count > self._most:
            raise ApiProblem(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"More than {self._most} requests in a minute. Try again in {seconds} s.",
                {**headers, "Retry-After": str(seconds)},
            )
        return headers

    def _forget(self, now: float) -> None:
        """Forget windows that are over, once there are many."""
        if len(self._windows) >= _MOST_CALLERS:
            self._windows = {
                caller: window
                for caller, window in self._windows.items()
                if now - window.began < WINDOW_SECONDS
            }
