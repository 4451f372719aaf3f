"""Do a few things at the same time, and leave nothing behind when one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")


async def both(first: Coroutine[Any, Any, T], second: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Return the results of two acts; when one raises, the other is cancelled and has ended first."""
    tasks = (asyncio.ensure_future(first), asyncio.ensure_future(second))
    await _all(tasks)
    return tasks[0].result(), tasks[1].result()


async def each(acts: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of several acts in their order; when one raises, the others end first."""
    tasks = [asyncio.ensure_future(act) for act in acts]
    await _all(tasks)
    return [task.result() for task in tasks]


async def _all(tasks: Iterable[asyncio.Future[Any]]) -> None:
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
