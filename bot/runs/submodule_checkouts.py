"""Fetch the submodules of a commit, under the rules of the repository itself.

A submodule is fetched without a credential, as anybody could. One of the same owner may be private:
then it is fetched with a token that reads that repository alone, if the base branch names it too.
Who writes a pull request can't have Fixpoint read what only others may.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, assert_never

import structlog

from bot.errors import GitHubError, UsageError
from bot.reporting.reasons import sandbox_setup
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.submodules import DEEPEST, MOST, Submodule, SubmoduleRefusal, submodules_of
from sandbox.git import GitError, ObjectStore, is_empty_folder, settings_in

_FILE = ".gitmodules"
_MOST_BYTES = 2**20
"""Of a `.gitmodules` that is read."""

_log = structlog.get_logger(__name__)


class Opener(Protocol):
    """Says where a repository is fetched from."""

    def __call__(self, full_name: str, folder: Path, *, with_token: bool) -> RemoteCheckout:
        """Return the checkout of `owner/name`, with a token of its own if that is wanted."""
        ...


@dataclass(frozen=True, slots=True)
class _Fetched:
    path: str
    repository: str
    commit: str
    store: ObjectStore


@dataclass(frozen=True, slots=True)
class _Level:
    """A commit whose submodules are looked at.

    Attributes:
        store: Has it.
        commit: The commit.
        repository: `owner/name`.
        prefix: Its place in the work tree, "" or with a slash behind it.
        trusted: Commit whose `.gitmodules` is believed; None where none is.
        depth: How many levels it is below the repository of the run.
    """

    store: ObjectStore
    commit: str
    repository: str
    prefix: str = ""
    trusted: str | None = None
    depth: int = 0


class Submodules:
    """The submodules of a run's commit, fetched before it is checked out.

    Attributes:
        notes: Why some are missing, as sentences.
    """

    def __init__(self, host: str, repository: str, scratch: Path, opened: Opener) -> None:
        """Fetch those of `owner/name` on a GitHub into a folder, from where `opened` says."""
        self._host = host
        self._repository = repository
        self._scratch = scratch
        self._opened = opened
        self._fetched: list[_Fetched] = []
        self.notes: list[str] = []

    @property
    def digest(self) -> str:
        """Stands for what was fetched; "" for nothing."""
        lines = [
            f"{fetched.path}\0{fetched.repository}\0{fetched.commit}" for fetched in self._fetched
        ]
        return hashlib.sha256("\0".join(lines).encode()).hexdigest()[:16] if lines else ""

    async def bring(self, store: ObjectStore, head: str, trusted: str | None) -> None:
        """Fetch the submodules of a commit, and those below them.

        Args:
            store: Has the commit.
            head: The commit.
            trusted: Commit that says which private repositories may be read; None: no one does.
        """
        await self._below(_Level(store, head, self._repository, trusted=trusted))

    async def check_out(self, root: Path) -> None:
        """Put them into a new work tree of the commit."""
        for fetched in self._fetched:
            if not is_empty_folder(root, fetched.path):
                continue  # where its folder should stand, there is something else
            try:
                await fetched.store.check_out(
                    fetched.commit, root / fetched.path, full_history=False
                )
            except GitError as error:
                _log.warning("submodule not checked out", path=fetched.path, problem=str(error))

    async def _below(self, level: _Level) -> None:
        known = await level.store.submodules(level.commit)
        if not known:
            return
        if level.depth == DEEPEST:
            self.notes += [
                _missing(f"{level.prefix}{path}", SubmoduleRefusal.TOO_MANY) for path in known
            ]
            return
        believed = {}
        if level.trusted is not None:
            before = await level.store.submodules(level.trusted)
            believed = {
                submodule.path: submodule
                for submodule in await self._named(level, level.trusted, before)
            }
        private = {submodule.repository for submodule in believed.values()}
        for submodule in await self._named(level, level.commit, known):
            next_level = await self._fetch(
                level, submodule, is_believed=submodule.repository in private
            )
            if next_level is not None:
                is_same = believed.get(submodule.path) == submodule
                trusted = next_level.commit if is_same else None
                await self._below(replace(next_level, trusted=trusted))

    async def _named(
        self, level: _Level, commit: str, gitlinks: Mapping[str, str]
    ) -> list[Submodule]:
        content = (await level.store.files(commit, (_FILE,))).get(_FILE, b"")
        try:
            settings = await settings_in(content if len(content) <= _MOST_BYTES else b"")
        except GitError:
            settings = {}
        below, host = level.repository, self._host
        return list(submodules_of(gitlinks, settings, below=below, host=host))

    async def _fetch(
        self, level: _Level, submodule: Submodule, *, is_believed: bool
    ) -> _Level | None:
        path = f"{level.prefix}{submodule.path}"
        if isinstance(submodule.repository, SubmoduleRefusal):
            self.notes.append(_missing(path, submodule.repository))
            return None
        if len(self._fetched) >= MOST:
            self.notes.append(_missing(path, SubmoduleRefusal.TOO_MANY))
            return None
        owner = submodule.repository.partition("/")[0].lower()
        is_ours = owner == self._repository.partition("/")[0].lower()
        for with_token in (True, False) if is_ours and is_believed else (False,):
            store = await self._read(submodule.repository, submodule.commit, with_token=with_token)
            if store is not None:
                self._fetched.append(_Fetched(path, submodule.repository, submodule.commit, store))
                depth = level.depth + 1
                return _Level(
                    store, submodule.commit, submodule.repository, f"{path}/", depth=depth
                )
        self.notes.append(
            sandbox_setup.submodule_unreadable(path, submodule.repository, is_ours=is_ours)
        )
        return None

    async def _read(self, repository: str, commit: str, *, with_token: bool) -> ObjectStore | None:
        """Fetch a commit of a repository; None where GitHub doesn't show it."""
        folder = self._scratch / f"module-{len(self._fetched)}"
        checkout = self._opened(repository, folder, with_token=with_token)
        try:
            await checkout.head()  # what a mirror has says nothing of who may read it
            await checkout.bring(commit)
        except (GitHubError, UsageError) as error:
            _log.info("submodule not fetched", repository=repository, problem=str(error))
            return None
        return checkout.store


def _missing(path: str, why: SubmoduleRefusal) -> str:
    match why:
        case SubmoduleRefusal.NO_ADDRESS:
            return sandbox_setup.submodule_without_address(path)
        case SubmoduleRefusal.OTHER_HOST:
            return sandbox_setup.submodule_elsewhere(path)
        case SubmoduleRefusal.ODD_ADDRESS:
            return sandbox_setup.submodule_address_odd(path)
        case SubmoduleRefusal.TOO_MANY:
            return sandbox_setup.submodules_too_many(path)
        case _:
            assert_never(why)
