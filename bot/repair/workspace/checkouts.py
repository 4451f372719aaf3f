"""The source of a run on this machine: a repository's work tree, frozen as it is now."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from bot.errors import UsageError
from bot.repair.job import Source
from sandbox.git import GitError, ObjectStore, RepositoryRefused, foreign, freeze

FULL_HISTORY_BYTES = 256 * 2**20
"""Up to this size the sandbox gets the history and its tags: version tools such as setuptools-scm
read them. Above it, the commit alone; of a large repository on a server, its last commits."""


T = TypeVar("T")


async def provide(
    store: ObjectStore,
    head: str,
    directory: Path,
    *,
    stays: bool = False,
    like: Path | None = None,
    then: Callable[[Path], Awaitable[None]] | None = None,
) -> Path:
    """Check a commit of the store out into `directory`, unless that is done already.

    Where the history is too large, or has gaps like that of a partial clone, it is left out.

    Args:
        store: Of the run.
        head: The commit.
        directory: Where it goes.
        stays: Nobody will write there.
        like: A work tree of an ancestor that stays, too; files that both have are one on the disk.
        then: Puts more into the work tree before it is used.

    Raises:
        UsageError: When the commit has far too many files, or far too large ones.
    """
    if not directory.exists():
        making = directory.with_name(f"{directory.name}.making")
        await asyncio.to_thread(_remove_tree, making)
        full = store.is_shallow or await store.size() <= FULL_HISTORY_BYTES
        try:
            await store.check_out(head, making, full_history=full, linked=stays, like=like)
        except RepositoryRefused as error:
            raise UsageError(str(error)) from error
        except GitError:
            if not full and like is None:
                raise
            await asyncio.to_thread(_remove_tree, making)
            await store.check_out(head, making, full_history=False)
        if then is not None:
            await then(making)
        making.rename(directory)
    if stays:
        store.known_files = directory / ".git" / "index"
    return directory


class LocalCheckout:
    """A repository on this machine, as its work tree is now; it is only read.

    Attributes:
        changed: Whether the work tree differs from `HEAD`; known after `head`.
    """

    def __init__(self, repository: Path, scratch: Path) -> None:
        self._repository = repository
        self._scratch = scratch
        self.store = ObjectStore(scratch / "repo.git")
        self.changed = False
        self._freezing: asyncio.Task[str] | None = None

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[None]:
        """Freeze the work tree beside what the caller does; `head` waits for it and tells of it."""
        self._freezing = asyncio.create_task(self._freeze())
        try:
            yield
        finally:
            self._freezing.cancel()
            await asyncio.gather(self._freezing, return_exceptions=True)

    async def head(self) -> str:
        """Return a commit that holds the work tree as found.

        Raises:
            UsageError: When the folder is no git repository, one without a commit, or one of a
                kind that is not read.
        """
        return await (self._freezing or self._freeze())

    async def _freeze(self) -> str:
        try:
            commit, self.changed = await freeze(self._repository, self.store)
        except RepositoryRefused as error:
            raise UsageError(str(error)) from error
        except GitError as error:
            raise UsageError(
                f"{self._repository} can't be repaired: it must be a git repository with at "
                f"least one commit ({error})."
            ) from error
        return commit

    async def provide(self, head: str) -> Source:
        """Check the frozen work tree out."""
        directory = await provide(self.store, head, self._scratch / f"source-{head[:12]}")
        async with foreign(self._repository) as theirs:
            return Source(self.store, directory, head, trusted=await theirs.head())


def _remove_tree(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
