"""End a command that fills the disk, before the disk is full for everybody else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sandbox.base import ResourceLimits
from sandbox.spawn import through

T = TypeVar("T")

_KEPT = 10
"""One part in so many of what was free stays free, however much a command may take."""

ENDED = 137
"""The exit code of a command that was ended: 128 and SIGKILL."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a file system has left: bytes, and files (None where it doesn't count them)."""

    size: int
    files: int | None


Measure = Callable[[], Awaitable[Room | None]]
"""None when it can't be told just now."""


class DiskFull(Exception):
    """A command was ended because it took too much room; the text says how much."""


def room_at(path: Path) -> Room:
    """Return what the file system of a path has left for an ordinary user."""
    found = os.statvfs(path)
    return Room(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def complaint(before: Room, now: Room, limits: ResourceLimits) -> str | None:
    """Return a sentence if too much is gone; None while there is room."""
    if now.size < max(before.size - limits.disk, before.size // _KEPT):
        taken = (before.size - now.size) / 2**20
        return f"[The command was stopped: the disk has {taken:.0f} MiB less free than before.]"
    if before.files is None or now.files is None:
        return None
    if now.files < max(before.files - limits.files, before.files // _KEPT):
        made = before.files - now.files
        return f"[The command was stopped: the disk has room for {made} fewer files than before.]"
    return None


async def while_room(
    running: Awaitable[T], measure: Measure, limits: ResourceLimits, *, every: float
) -> T:
    """Await something that ends all it started when it is cancelled; look at the disk meanwhile.

    Args:
        running: What may fill the disk.
        measure: Tells what is left.
        limits: How much may be taken.
        every: Seconds between two looks, and before the first, with which later ones compare.

    Raises:
        DiskFull: It was cancelled.
    """
    task = asyncio.ensure_future(running)
    try:
        before: Room | None = None
        while not (await asyncio.wait({task}, timeout=every))[0]:
            now = await measure()
            before = before or now
            if before and now and (problem := complaint(before, now, limits)):
                raise DiskFull(problem)
        return await task
    finally:
        if not task.done():
            task.cancel()
            await through(asyncio.gather(task, return_exceptions=True))
