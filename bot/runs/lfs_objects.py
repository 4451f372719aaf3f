"""Put the files that Git LFS keeps into a work tree, where the commit has pointers to them.

Only files that `.gitattributes` names, of the commit that is checked out, from the repository's own
LFS: an address in `.lfsconfig` is read to say that it isn't asked.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import structlog

from bot.errors import GitHubError
from bot.github.lfs import LONGEST_POINTER, LfsPointer, read_pointer
from bot.reporting.reasons import sandbox_setup
from bot.runs.submodules import repository_of
from sandbox.git import GitError, ObjectStore, is_plain_file, settings_in

LARGEST = 2 * 2**30
"""Bytes of one file."""

MOST_BYTES = 4 * 2**30
"""Of all files of a commit."""

MOST_FILES = 2_000

_ATTRIBUTES = ".gitattributes"
_CONFIG = ".lfsconfig"
_log = structlog.get_logger(__name__)

Fetch = Callable[[Sequence[LfsPointer], Path], Awaitable[None]]
"""Puts objects into a folder, named by their ids, as far as they can be had."""


class LfsObjects:
    """The LFS files of a run's commit.

    Attributes:
        notes: What is missing, as sentences.
    """

    def __init__(self, host: str, repository: str, folder: Path, fetch: Fetch) -> None:
        """Keep the objects of `owner/name` on a GitHub in a folder, and get them by `fetch`."""
        self._host = host
        self._repository = repository
        self._folder = folder
        self._fetch = fetch
        self._files: Mapping[str, LfsPointer] = {}
        self.notes: list[str] = []

    @property
    def digest(self) -> str:
        """Stands for what is missing; "" when nothing is."""
        missing = sorted(path for path, file in self._files.items() if not self._has(file))
        return hashlib.sha256("\0".join(missing).encode()).hexdigest()[:16] if missing else ""

    async def bring(self, store: ObjectStore, head: str, trusted: str | None) -> None:  # noqa: ARG002 - an object is the repository's own
        """Fetch the objects that a commit points to, and keep their files out of every patch."""
        self._files = await pointers_of(store, head)
        store.set_aside = frozenset(self._files)
        wanted = {pointer.oid: pointer for pointer in self._chosen() if not self._has(pointer)}
        if wanted and await self._is_elsewhere(store, head):
            self.notes.append(sandbox_setup.LFS_ELSEWHERE)
        elif wanted:
            try:
                await self._fetch(tuple(wanted.values()), self._folder)
            except GitHubError as error:
                _log.warning("LFS objects not fetched", problem=str(error))
        missing = sorted(path for path, file in self._files.items() if not self._has(file))
        if missing:
            self.notes.append(sandbox_setup.lfs_missing(missing))

    async def check_out(self, root: Path) -> None:
        """Put the files where their pointers are."""
        await asyncio.to_thread(self._place, root)

    def _place(self, root: Path) -> None:
        for path, pointer in self._files.items():
            if self._has(pointer) and is_plain_file(root, path):
                mode = (root / path).stat().st_mode
                (root / path).unlink()  # another work tree may have the same file
                shutil.copyfile(self._folder / pointer.oid, root / path)
                (root / path).chmod(mode)

    def _has(self, pointer: LfsPointer) -> bool:
        return (self._folder / pointer.oid).is_file()

    def _chosen(self) -> list[LfsPointer]:
        """Return the objects that are not too large, nor too much together; small ones first."""
        chosen, total = [], 0
        for file in sorted(self._files.values(), key=lambda item: item.size)[:MOST_FILES]:
            total += file.size
            if file.size <= LARGEST and total <= MOST_BYTES:
                chosen.append(file)
        return chosen

    async def _is_elsewhere(self, store: ObjectStore, head: str) -> bool:
        content = await store.show(head, _CONFIG)
        if content is None:
            return False
        try:
            address = (await settings_in(content)).get("lfs.url")
        except GitError:
            return True
        own = (address or "").removesuffix("/").removesuffix("/info/lfs")
        return address is not None and (
            repository_of(own, self._repository, self._host) != self._repository
        )


async def pointers_of(store: ObjectStore, head: str) -> dict[str, LfsPointer]:
    """Return the files of a commit that are in LFS, with what their pointers say."""
    rules = [path for path in await store.paths(head) if path.rpartition("/")[2] == _ATTRIBUTES]
    if not any(b"lfs" in content for content in (await store.files(head, rules)).values()):
        return {}
    named = await store.paths_with(head, "filter", "lfs")
    contents = await store.files(head, named, longest=LONGEST_POINTER)
    found = {path: read_pointer(content) for path, content in contents.items()}
    return {path: pointer for path, pointer in found.items() if pointer is not None}
