"""Outlast GitHub's outages: work that only GitHub stops is tried again for hours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import stamina

from bot.errors import is_outage

T = TypeVar("T")

FIRST_WAIT = 5.0
"""Seconds before the second try; doubles up to `_LONGEST_WAIT`."""
_LONGEST_WAIT = 300.0
_MOST_TRIES = 30
"""With these waits about two hours of an outage are outlasted."""


async def outlast(act: Callable[[], Awaitable[T]], *, first_wait: float = FIRST_WAIT) -> T:
    """Return what `act` returns, trying it again while GitHub is down.

    Raises:
        GitHubError: The last one, when GitHub stayed down for hours.
    """
    async for attempt in stamina.retry_context(
        on=is_outage,
        attempts=_MOST_TRIES,
        timeout=None,
        wait_initial=first_wait,
        wait_max=_LONGEST_WAIT,
        wait_jitter=first_wait / 5,
    ):
        with attempt:
            return await act()
    raise AssertionError("stamina ends with a result or an exception")
