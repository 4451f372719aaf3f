"""Keep the objects of repositories from run to run, so that a fetch brings only what is new."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import weakref
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from sandbox.disk_room import held_below
from sandbox.git import GitError, ObjectStore, restamp

IN_USE_SECONDS = 24 * 3600.0
"""For so long after its last use, a run may still borrow objects of a mirror."""

_DAMAGED = "damaged"
_TREES = ".trees"
"""Behind a mirror's name: the folder of its work trees. One counts as used when its time stamp says."""

_MOST_TREES = 4
"""Of one repository, beyond those that a run may use."""

_TREE_IN_USE_SECONDS = 3 * 3600.0
"""For so long after its last use, a run may still use a work tree."""

_MOST_PACKS = 50
_DAMAGE = re.compile(
    r"corrupt|bad object|bad tree|unable to read|missing (?:blob|tree|commit|necessary)"
    r"|necessary objects|object file .{0,300} is empty|inflate|packfile .{0,300} (?:cannot|does not|is)"
    r"|garbage at end|file size mismatch|unable to (?:find|unpack|parse|map)|bad signature",
)
"""What git says of objects that are not what they were."""

_log = structlog.get_logger(__name__)


class Mirrors:
    """The mirrors of this machine, in folders named after the identities of repositories."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    def of(self, identity: str) -> Mirror:
        """Return the mirror of a repository; see `Repo.identity`.

        Those of ids are together in a folder that no owner of GitHub's has the name of.
        """
        name = identity.lower() if "/" in identity else f"_/{identity.lower()}"
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return Mirror(self._folder / name, lock)


class Mirror:
    """A bare repository whose objects the runs of one repository borrow.

    One that turns out to be damaged is left to the runs that borrow from it already; another one
    takes its place.
    """

    def __init__(self, place: Path, lock: asyncio.Lock) -> None:
        """Use the folders `place.git`, `place~2.git` ...; only who has the lock fetches."""
        self._place = place
        self._lock = lock

    async def lend(self, borrower: ObjectStore) -> None:
        """Let a run's store read what is here now, making both of them if need be."""
        store = self._store()
        await store.create()
        os.utime(store.directory)
        place = store.directory.resolve()
        await borrower.create(borrow_from=place / "objects")
        borrower.cut_as(place)

    async def bring(self, commit: str, fetch: Callable[[ObjectStore], Awaitable[None]]) -> None:
        """Have `fetch` bring a commit, unless another run has just done that."""
        async with self._lock:
            store = self._store()
            if not await store.has(commit):
                await fetch(store)

    def folder(self, name: str) -> Path:
        """Return where something may be kept that goes when the mirror does."""
        return self._store().directory / name

    async def tree(
        self, name: str, make: Callable[[Path, Sequence[Path]], Awaitable[Path]]
    ) -> Path:
        """Return the work tree of that name, a commit's id and what else it depends on.

        `make` makes it unless it is kept already, and is given the others, last used first.
        """
        mirror = self._store().directory
        place = mirror.with_name(f"{mirror.name}{_TREES}") / name
        async with self._lock:
            place.parent.mkdir(parents=True, exist_ok=True)
            others = sorted(place.parent.iterdir(), key=lambda item: -item.stat().st_mtime)
            await make(place, [path for path in others if path != place])
            os.utime(place)
        return place

    def gives_way(self, failure: str) -> bool:
        """Whether git's last words are about damage; then the next use is of a new mirror."""
        directory = self._store().directory
        if not _DAMAGE.search(failure) or not directory.exists():
            return False
        (directory / _DAMAGED).touch()
        _log.warning("mirror damaged", mirror=str(directory), problem=failure)
        return True

    def _store(self) -> ObjectStore:
        return ObjectStore(
            next(folder for folder in self._folders() if not (folder / _DAMAGED).exists())
        )

    def _folders(self) -> Iterator[Path]:
        yield self._place.with_name(f"{self._place.name}.git")
        number = 2
        while True:  # no repository on GitHub has a tilde in its name
            yield self._place.with_name(f"{self._place.name}~{number}.git")
            number += 1


@dataclass(frozen=True, slots=True)
class _Kept:
    """A mirror on disk; `used` is the Unix time of its last use."""

    folder: Path
    used: float
    size: int


async def tidy_mirrors(folder: Path, *, unused_since: float, now: float, most_bytes: int) -> int:
    """Remove mirrors that are of no use or take too much room, and pack the others.

    Args:
        folder: Of all mirrors, two levels deep.
        unused_since: Unix time; what was last used earlier goes.
        now: Unix time. What was used in the last day stays: a run may borrow from it.
        most_bytes: What all of them may take; the least recently used go first.

    Returns:
        How many were removed.
    """
    await asyncio.to_thread(_remove_trees, folder, now - IN_USE_SECONDS, now - _TREE_IN_USE_SECONDS)
    kept = await asyncio.to_thread(lambda: sorted(_kept(folder), key=lambda item: item.used))
    total, removed = sum(item.size for item in kept), 0
    for item in kept:
        idle = item.used < now - IN_USE_SECONDS
        damaged = (item.folder / _DAMAGED).exists()
        if item.used < unused_since or (idle and (damaged or total > most_bytes)):
            for gone in (item.folder, item.folder.with_name(f"{item.folder.name}{_TREES}")):
                await asyncio.to_thread(shutil.rmtree, gone, ignore_errors=True)
            total, removed = total - item.size, removed + 1
        elif len(list((item.folder / "objects" / "pack").glob("*.pack"))) > _MOST_PACKS:
            await _pack(item.folder)
    if total > most_bytes:
        _log.warning("mirrors take more room than they may", gigabytes=round(total / 1e9, 1))
    return removed


async def _pack(folder: Path) -> None:
    """Put a mirror's packs together; nothing goes that a run may borrow."""
    used = folder.stat().st_mtime
    try:
        await ObjectStore(folder).pack()
    except GitError as error:
        _log.warning("mirror not packed", mirror=str(folder), problem=str(error))
    os.utime(folder, (used, used))  # that was no use of it


def _remove_trees(folder: Path, unused_since: float, idle_since: float) -> None:
    """Remove the work trees that no run has used for long, and all but a few of those left."""
    for trees in folder.glob(f"*/*{_TREES}"):
        kept: list[Path] = []
        removed = 0
        for path in sorted(trees.iterdir(), key=lambda item: -item.stat().st_mtime):
            used = path.stat().st_mtime
            if used < unused_since or (used < idle_since and len(kept) >= _MOST_TREES):
                shutil.rmtree(path, ignore_errors=True)
                removed += 1
            else:
                kept.append(path)
        for path in kept if removed else ():  # they may have had files in common
            if (index := path / ".git" / "index").exists():
                restamp(index, path)


def _kept(folder: Path) -> Iterator[_Kept]:
    for path in folder.glob("*/*.git"):
        trees = path.with_name(f"{path.name}{_TREES}")
        size = held_below([path, *([trees] if trees.is_dir() else [])]).size
        yield _Kept(path, path.stat().st_mtime, size)
