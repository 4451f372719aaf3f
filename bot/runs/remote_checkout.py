"""Fetch the source of a run from a repository on a server."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from bot.errors import GitHubError, UsageError
from bot.repair.job import Source
from bot.repair.workspace.checkouts import FULL_HISTORY_BYTES, provide
from bot.reporting.reasons import run_life
from bot.runs.durability.outages import outlast
from bot.runs.mirrors import Mirror
from sandbox.git import Credential, GitError, ObjectStore, git

T = TypeVar("T")

RECENT_COMMITS = 31
"""So many commits of a large repository are fetched: as far back as a failure's age is looked for."""

MANY_FILES = 5_000
"""From so many on, the work tree is kept: later runs and all sandboxes share it."""

_OUTAGE = re.compile(
    r"returned error: (5\d\d|429)|Could not resolve host|Failed to connect|Couldn't connect"
    r"|timed out|Connection reset|Empty reply|Recv failure|early EOF|unexpected disconnect"
    r"|RPC failed",
    re.IGNORECASE,
)
"""What git and libcurl say of a server or network that is down."""


class Extras(Protocol):
    """What belongs into a commit's work tree, and is kept elsewhere.

    Attributes:
        notes: What is missing, as sentences.
    """

    notes: list[str]

    @property
    def digest(self) -> str:
        """Stands for what was brought; "" for nothing."""
        ...

    async def bring(self, store: ObjectStore, head: str, trusted: str | None) -> None:
        """Fetch it; `trusted` is the commit that is believed, or None."""
        ...

    async def check_out(self, root: Path) -> None:
        """Put it into a new work tree of the commit."""
        ...


class RemoteCheckout:
    """A commit of a repository on a server.

    Attributes:
        store: Objects of the run.
    """

    def __init__(
        self,
        url: str,
        scratch: Path,
        *,
        ref: str = "HEAD",
        trusted_ref: str | None = None,
        mirror: Mirror | None = None,
        credential: Callable[[], AbstractAsyncContextManager[Credential | None]] | None = None,
        first_wait: float | None = None,
        size: Callable[[], Awaitable[int]] | None = None,
        extras: Callable[[], Sequence[Extras]] | None = None,
    ) -> None:
        """Describe where to fetch from.

        Args:
            url: Without any credential in it.
            scratch: The run's folder on this host.
            ref: A branch, `refs/...` or a commit to repair.
            trusted_ref: Whose guidance files are believed; None means `ref`'s own.
            mirror: Keeps objects from run to run, or None.
            credential: Opened for each fetch, and closed after it.
            first_wait: Seconds after which what an outage of the server stopped is tried again,
                and for hours; None tries once.
            size: Tells how many bytes the repository has on its server. Of a large one, only the
                last commits are fetched; None fetches all.
            extras: Makes what brings more into the work tree, in order; None: nothing does.
        """
        self._url = url
        self._scratch = scratch
        self._ref = ref
        self._trusted_ref = trusted_ref
        self._mirror = mirror
        self._credential = credential
        self._first_wait = first_wait
        self._size = size
        self._extras = extras
        self.store = ObjectStore(scratch / "repo.git")

    async def head(self) -> str:
        """Return the commit that `ref` names now.

        Raises:
            UsageError: When the server does not answer, or has no such ref.
        """
        return await self._resolve(self._ref)

    async def provide(self, head: str) -> Source:
        """Fetch the commit, and the trusted one, and check it out.

        Raises:
            UsageError: When the server has no such commit.
        """
        try:
            return await self._provide(head)
        except (GitError, UsageError) as error:
            if self._mirror is None or not self._mirror.gives_way(str(error)):
                raise
        await asyncio.to_thread(shutil.rmtree, self.store.directory)
        return await self._provide(head)

    async def _provide(self, head: str) -> Source:
        await self._borrow()
        trusted = head
        if self._trusted_ref is not None:
            trusted = await self._resolve(self._trusted_ref)
        for commit in dict.fromkeys((head, trusted)):
            await self.bring(commit)
        extras = self._extras() if self._extras is not None else ()
        for extra in extras:
            await extra.bring(self.store, head, trusted)
        notes = tuple(note for extra in extras for note in extra.notes)

        async def place(root: Path) -> None:
            for extra in extras:
                await extra.check_out(root)

        check_out = partial(provide, self.store, head, then=place)
        if self._mirror is not None and len(await self.store.paths(head)) >= MANY_FILES:
            name = "-".join((head, *filter(None, (extra.digest for extra in extras))))

            async def make(place: Path, others: Sequence[Path]) -> Path:
                like = await self._older(head, others)
                return await check_out(place, stays=True, like=like)

            kept = await self._mirror.tree(name, make)
            return Source(self.store, kept, head, trusted, stays=True, notes=notes)
        directory = await check_out(self._scratch / f"source-{head[:12]}")
        return Source(self.store, directory, head, trusted, notes=notes)

    async def _older(self, head: str, trees: Sequence[Path]) -> Path | None:
        """Return the work tree of an ancestor: it has nothing that the head may not have."""
        for tree in trees:
            if _is_commit(tree.name) and await self.store.descends(head, tree.name):
                os.utime(tree)  # or it may be removed meanwhile
                return tree
        return None

    async def bring(self, commit: str) -> None:
        """Fetch a commit, unless it is here.

        Raises:
            UsageError: When the server has no such commit.
        """
        await self._borrow()
        if not await self.store.has(commit):
            await self._fetch(commit)
            await self._borrow()

    async def _borrow(self) -> None:
        if self._mirror is None:
            await self.store.create()
        else:
            await self._mirror.lend(self.store)

    async def _resolve(self, ref: str) -> str:
        if _is_commit(ref):
            return ref
        try:
            listing = await self._insist(
                lambda credential: git(
                    *("ls-remote", "--quiet", "--exit-code", self._place(credential), ref),
                    credential=credential,
                )
            )
        except (GitError, GitHubError) as error:
            raise UsageError(run_life.ref_not_found(self._url, ref, str(error))) from error
        return listing.decode().split("\t", 1)[0]

    async def _fetch(self, commit: str) -> None:
        refspec = f"+{commit}:refs/fixpoint/{self._scratch.name}/{commit}"

        async def fetch(store: ObjectStore) -> None:
            depth = await self._depth(store)
            await self._insist(
                lambda credential: store.fetch(
                    self._place(credential), refspec, credential=credential, depth=depth
                )
            )

        try:
            if self._mirror is None:
                await fetch(self.store)
            else:
                await self._mirror.bring(commit, fetch)
        except (GitError, GitHubError) as error:
            raise UsageError(run_life.not_fetched(self._url, str(error))) from error

    async def _depth(self, store: ObjectStore) -> int | None:
        """Return how many commits back to fetch; None for all of them."""
        if self._size is None or not (store.is_shallow or await store.is_empty()):
            return None
        is_large = store.is_shallow or await self._outlasting(self._size) > FULL_HISTORY_BYTES
        return RECENT_COMMITS if is_large else None

    def _place(self, credential: Credential | None) -> str:
        """Return where git reads: a credential is for the address of the moment that it was made."""
        return self._url if credential is None else credential.url

    async def _insist(self, act: Callable[[Credential | None], Awaitable[T]]) -> T:
        """Let git talk to the server, and outlast an outage when that is wanted."""

        async def once() -> T:
            try:
                async with self._opened() as credential:
                    return await act(credential)
            except GitError as error:
                if is_outage(error):
                    raise GitHubError(str(error)) from error
                raise

        return await self._outlasting(once)

    async def _outlasting(self, act: Callable[[], Awaitable[T]]) -> T:
        if self._first_wait is None:
            return await act()
        return await outlast(act, first_wait=self._first_wait)

    def _opened(self) -> AbstractAsyncContextManager[Credential | None]:
        return self._credential() if self._credential else nullcontext()


def is_outage(error: GitError) -> bool:
    """Whether git's last words are about a server or network that is down."""
    return _OUTAGE.search(str(error)) is not None


def _is_commit(ref: str) -> bool:
    return len(ref) == 40 and all(digit in "0123456789abcdef" for digit in ref)  # noqa: PLR2004 - SHA-1 in hex
