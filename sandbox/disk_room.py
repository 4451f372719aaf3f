"""End a command that fills the disk, before the disk is full for everybody else.

What is left on a disk is cheap to ask, but others fill it too. So the sandbox's own files are
counted when so much is gone that this command may have taken it; who took nothing goes on, until
the machine itself has no room left.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sandbox.base import ResourceLimits, SandboxError
from sandbox.spawn import through

T = TypeVar("T")

_KEPT = 10
"""One part in so many of what was free stays free, however much a command may take."""

_LEAST = 2**30
"""Bytes that every machine needs; with less, commands end whoever took the rest."""

_LEAST_FILES = 10_000

_LOOKS_BETWEEN = 8
"""Looks at the disk until the sandbox's files are counted again."""

_BLOCK = 512
"""Bytes of `st_blocks`, whatever the file system's own blocks are."""

ENDED = 137
"""The exit code of a command that was ended: 128 and SIGKILL."""


@dataclass(frozen=True, slots=True)
class FreeDisk:
    """What a file system has left: bytes, and files (None where it doesn't count them)."""

    size: int
    files: int | None


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """What a sandbox's files take up on the disk: bytes, and how many they are."""

    size: int
    files: int


@dataclass(frozen=True, slots=True)
class Disk:
    """How to look at the disk of a sandbox; each is None when it can't be told just now.

    Attributes:
        room: Asks the file system; cheap.
        held: Counts the sandbox's files.
    """

    room: Callable[[], Awaitable[FreeDisk | None]]
    held: Callable[[], Awaitable[DiskUsage | None]]


class DiskFull(Exception):
    """A command was ended because it took too much room; the text says how much."""


class MachineFull(SandboxError):
    """A command was ended because others left it no room on the disk; the text says how much."""


def room_at(path: Path) -> FreeDisk:
    """Return what the file system of a path has left for an ordinary user."""
    found = os.statvfs(path)
    return FreeDisk(found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None)


def held_below(folders: Iterable[Path]) -> DiskUsage:
    """Return what the files below folders take up; those that can't be read count nothing."""
    size = files = 0
    linked: set[int] = set()
    for entry in _entries(list(folders)):
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # it was removed meanwhile
        if found.st_nlink > 1 and not entry.is_dir(follow_symlinks=False):
            if found.st_ino in linked:
                continue
            linked.add(found.st_ino)
        size += found.st_blocks * _BLOCK
        files += 1
    return DiskUsage(size, files)


def _entries(folders: list[Path | str]) -> Iterator[os.DirEntry[str]]:
    while folders:
        try:
            with os.scandir(folders.pop()) as listing:
                for entry in listing:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # removed meanwhile, or deeper than a path can be


def is_suspicious(before: FreeDisk, now: FreeDisk, limits: ResourceLimits) -> bool:
    """Whether so much is gone that the command may have taken too much of it."""
    if now.size < max(before.size - limits.disk, before.size // _KEPT):
        return True
    if before.files is None or now.files is None:
        return False
    return now.files < max(before.files - limits.files, before.files // _KEPT)


def complaint(
    before: FreeDisk, now: FreeDisk, held: DiskUsage | None, limits: ResourceLimits
) -> DiskFull | MachineFull | None:
    """Return why a command has to end because of what is gone; None while it may go on.

    Args:
        before: What was left when the command began.
        now: What is left.
        held: What the sandbox holds; where it is not known, all that is gone counts as its own.
        limits: How much it may hold.
    """
    held = held or DiskUsage(before.size - now.size, (before.files or 0) - (now.files or 0))
    if said := _taken(before, held, limits):
        return DiskFull(f"[The command was stopped: {said}]")
    if said := _nothing_left(before, now, held):
        return MachineFull(f"A command was stopped: {said} Free disk space, then try again.")
    return None


def _taken(before: FreeDisk, held: DiskUsage, limits: ResourceLimits) -> str | None:
    if held.size > min(limits.disk, before.size - before.size // _KEPT):
        return f"its sandbox takes up {held.size / 2**20:.0f} MiB of the disk."
    most = limits.files if before.files is None else before.files - before.files // _KEPT
    if held.files > min(limits.files, most):
        return f"its sandbox holds {held.files} files."
    return None


def _nothing_left(before: FreeDisk, now: FreeDisk, held: DiskUsage) -> str | None:
    """Return how little is left for everybody; most of what is gone went to others."""
    other = f"Its sandbox takes up {held.size / 2**20:.0f} MiB; other programs took the rest."
    if now.size < min(_LEAST, before.size // _KEPT):
        return f"the machine's disk has only {now.size / 2**20:.0f} MiB left. {other}"
    if now.files is not None and now.files < min(_LEAST_FILES, (before.files or 0) // _KEPT):
        return f"the machine's disk has room for only {now.files} more files. {other}"
    return None


async def while_room(
    running: Awaitable[T],
    disk: Disk,
    limits: ResourceLimits,
    *,
    every: float,
    before: FreeDisk | None = None,
) -> T:
    """Await something that ends all it started when it is cancelled; look at the disk meanwhile.

    Args:
        running: What may fill the disk.
        disk: Tells what is left, and what the sandbox holds of it.
        limits: How much may be taken.
        every: Seconds between two looks, and before the first.
        before: What was left when it began; if that is not known, the first look tells.

    Raises:
        DiskFull: It was cancelled, because of its own files.
        MachineFull: It was cancelled, because of other programs' files.
    """
    task = asyncio.ensure_future(running)
    try:
        unasked = 0
        while not (await asyncio.wait({task}, timeout=every))[0]:
            now = await disk.room()
            before = before or now
            unasked -= 1
            if before is None or now is None or unasked > 0:
                continue
            if not is_suspicious(before, now, limits):
                continue
            if full := complaint(before, now, await disk.held(), limits):
                raise full
            unasked = _LOOKS_BETWEEN
        return await task
    finally:
        if not task.done():
            task.cancel()
            await through(asyncio.gather(task, return_exceptions=True))
