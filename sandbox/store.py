"""Host folders of sandboxes and snapshots, which appear and disappear as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import math
import os
import re
import struct
import time
import uuid
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from sandbox.base import SandboxError
from sandbox.overlay import unmount
from sandbox.removal import Removals
from sandbox.scratch import sweep_scratch
from sandbox.spawn import finished

# ext4 doesn't give out the number of a deleted file again for a while (`recently_deleted` in the
# kernel's fs/ext4/ialloc.c), and looks past each such number whenever it makes a file in the same
# group of the disk. Where folders of a thousand files come and go, making one becomes thirty times
# as slow within a minute. Folders of a parent that counts as the top of a hierarchy (`chattr +T`) are
# spread over all groups.

_GET_FLAGS = 0x80086601
_SET_FLAGS = 0x40086602
"""`FS_IOC_GETFLAGS` and `FS_IOC_SETFLAGS` of linux/fs.h where a `long` has eight bytes."""

_TOP_OF_HIERARCHY = 0x00020000
"""`FS_TOPDIR_FL`."""

_FLAGS = struct.Struct("i")


def spread_folders(parent: Path) -> None:
    """Have new folders of a parent stand apart; other file systems than ext4 need no such thing."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            (flags,) = _FLAGS.unpack(fcntl.ioctl(descriptor, _GET_FLAGS, bytes(_FLAGS.size)))
            if not flags & _TOP_OF_HIERARCHY:
                fcntl.ioctl(descriptor, _SET_FLAGS, _FLAGS.pack(flags | _TOP_OF_HIERARCHY))
    finally:
        os.close(descriptor)


_NAME = re.compile(r"[a-z0-9-]{1,60}")
_LEFTOVER_SECONDS = 86_400.0
"""A staged or removed folder that old belongs to a process that is dead."""


class Store:
    """The folders below one root.

    A folder is filled in `staging` and renamed into place, so what stands in `sandboxes` or
    `snapshots` is complete, whenever a process died. It is renamed into `removed` to be deleted.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._staging = self.root / "staging"
        self._removed = self.root / "removed"
        self._removals = Removals()

    def sandbox(self, name: str) -> Path:
        """Return where the sandbox of that name stands."""
        return self.root / "sandboxes" / _checked(name)

    def snapshot(self, name: str) -> Path:
        """Return where the snapshot of that name stands."""
        return self.root / "snapshots" / _checked(name)

    def private(self, name: str) -> Path:
        """Return a folder that nobody else may enter."""
        folder = self.root / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    @contextlib.asynccontextmanager
    async def staging(self, *folders: str) -> AsyncIterator[Path]:
        """Yield a new folder, with empty folders in it, to be filled and published.

        What was not published is removed.
        """
        for parent in (self.root / "sandboxes", self.root / "snapshots", self._staging):
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spread_folders(self._staging)
        staged = self._staging / uuid.uuid4().hex
        staged.mkdir(mode=0o700)
        try:
            for folder in folders:
                (staged / folder).mkdir()
            yield staged
        finally:
            await asyncio.shield(self.remove(staged))

    def publish(self, staged: Path, place: Path, *, lifetime: float | None = None) -> bool:
        """Move a filled folder to its place; False when another one was first.

        Its lifetime, in seconds, begins before it is there to be seen: another process takes a
        sandbox without one for expired.
        """
        if lifetime is not None:
            self.keep_for(staged, lifetime)
        try:
            staged.rename(place)
        except OSError:
            if not place.is_dir():
                raise
            return False
        return True

    async def remove(self, place: Path) -> None:
        """Remove a folder, at once and as a whole; its files are deleted while others work."""
        doomed = self._removed / uuid.uuid4().hex
        with contextlib.suppress(FileNotFoundError):
            self._removed.mkdir(mode=0o700, exist_ok=True)
            place.rename(doomed)
            for shown in (doomed / "home", doomed / "workspace"):
                if os.path.ismount(shown):  # what is shared there is not ours to remove
                    unmount(shown)
            self._removals.start(doomed)

    def keep_for(self, place: Path, seconds: float) -> None:
        """Note, in the folder's time stamp, until when it may stand unused."""
        deadline = time.time() + seconds
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile; the next use finds out
            os.utime(place, (deadline, deadline))

    def places(self) -> Iterator[Path]:
        """Yield the folders of all sandboxes and snapshots, staged ones included.

        Staged ones come first, and the others are listed only then: one that another process
        publishes meanwhile is yielded where it went to.
        """
        for folder in (self._staging, self.root / "sandboxes", self.root / "snapshots"):
            for entry in _entries(folder):
                yield Path(entry.path)

    def expired(self) -> list[str]:
        """Return the names of sandboxes that nobody used for their lifetime."""
        now = time.time()
        return [entry.name for entry in _entries(self.root / "sandboxes") if _stamp(entry) < now]

    async def sweep(self) -> None:
        """Remove what dead processes left half-done."""
        await asyncio.to_thread(sweep_scratch)
        oldest = time.time() - _LEFTOVER_SECONDS
        for entry in (*_entries(self._staging), *_entries(self._removed)):
            if _stamp(entry) < oldest:
                await self.remove(Path(entry.path))


def _stamp(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:  # somebody else has just removed it
        return math.inf


def _entries(folder: Path) -> Sequence[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SandboxError(
            f"{name!r} is not a valid sandbox name: use 1 to 60 characters of a-z, 0-9 and '-'."
        )
    return name


async def host_command(argv: Sequence[str]) -> None:
    """Run a program of the host that must succeed.

    Raises:
        SandboxError: It failed; the text has what it said.
    """
    environment = {"PATH": os.defpath, "LANG": "C.UTF-8"}
    code, _, said = await finished(*argv, env=environment, stdout=DEVNULL)
    if code:
        text = said.decode(errors="replace").strip()
        raise SandboxError(f"{argv[0]} failed in the sandbox's data folder: {text}")
