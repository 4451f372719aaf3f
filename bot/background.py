"""Work of the server that goes on beside everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager

import structlog

from bot.errors import FixpointError

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def in_background(*works: Callable[[], Coroutine[None, None, None]]) -> AsyncIterator[None]:
    """Let all of it go on while the block lasts; it is cancelled at the end."""
    tasks = [asyncio.create_task(work()) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def again_and_again(
    act: Callable[[], Awaitable[None]],
    *,
    pause: float,
    failed: str,
    turn: Callable[[], Awaitable[object]] | None = None,
) -> None:
    """Do something for ever; an expected error is logged, and the next time may go well.

    Args:
        act: What to do.
        pause: Seconds between two times.
        failed: What to log when it raises a `FixpointError`.
        turn: Awaited before each time: returns when it is this process's turn.
    """
    while True:
        if turn is not None:
            await turn()
        try:
            await act()
        except FixpointError as error:
            _log.warning(failed, problem=str(error))
        await asyncio.sleep(pause)
