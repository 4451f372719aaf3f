"""Where a run on GitHub gets its source from, and the folder that it works in."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.runs.lfs_objects import LfsObjects
from bot.runs.mirrors import Mirrors
from bot.runs.remote_checkout import Extras, RemoteCheckout
from bot.runs.submodule_checkouts import Submodules
from bot.runs.version_history import VersionHistory
from sandbox.git import Credential, ObjectStore

_AS_SUBMODULE = "~submodule~"
"""Before the name of a submodule: a repository's own mirror of it, which has the last commits alone.
Nobody else reads it, for the name may be another repository's by then."""

_log = structlog.get_logger(__name__)


class SourceRequest(Protocol):
    """What a run starts from, of whatever kind it is."""

    @property
    def repo(self) -> Repo:
        """Where the commits are."""
        ...

    @property
    def run_id(self) -> str:
        """Names its folder."""
        ...


class SourceCommits(Protocol):
    """Which commits a run works with."""

    @property
    def commit(self) -> str:
        """That is checked out."""
        ...

    @property
    def trusted(self) -> str:
        """That is brought as well: of the base."""
        ...

    @property
    def is_fork(self) -> bool:
        """Whether the commit belongs to somebody else's repository."""
        ...


class Sources:
    """Fetches the commits of runs with tokens that live for one fetch, through shared mirrors."""

    def __init__(self, github: GitHub, folder: Path, *, first_wait: float) -> None:
        """Keep runs and mirrors below `folder`; wait `first_wait` seconds at an outage of GitHub."""
        self._github = github
        self._folder = folder
        self._mirrors = Mirrors(folder / "mirrors")
        self._first_wait = first_wait

    def scratch(self, request: SourceRequest) -> Path:
        """Return the folder of a run; whoever ends the run removes it."""
        return self._folder / "runs" / request.run_id

    def checkout(self, request: SourceRequest, brief: SourceCommits) -> RemoteCheckout:
        """Return the commit to work on, to be fetched when it is needed."""
        repo = request.repo
        scratch = self.scratch(request)

        async def size() -> int:
            return (await self._github.facts(repo)).size

        return self._from(
            repo,
            scratch,
            ref=brief.commit,
            trusted_ref=brief.trusted,
            size=size,
            extras=lambda: (
                self._submodules(repo, scratch, is_fork=brief.is_fork),
                self._lfs(repo),
                self._history(repo),
            ),
        )

    def _from(
        self,
        repo: Repo,
        scratch: Path,
        *,
        ref: str = "HEAD",
        trusted_ref: str | None = None,
        with_token: bool = True,
        mirror: str = "",
        size: Callable[[], Awaitable[int]] | None = None,
        extras: Callable[[], Sequence[Extras]] | None = None,
    ) -> RemoteCheckout:
        return RemoteCheckout(
            self._github.clone_url(repo),
            scratch,
            ref=ref,
            trusted_ref=trusted_ref,
            mirror=self._mirrors.of(mirror or repo.identity),
            credential=partial(self._credential, repo) if with_token else None,
            first_wait=self._first_wait,
            size=size,
            extras=extras,
        )

    def _submodules(self, repo: Repo, scratch: Path, *, is_fork: bool) -> Submodules:
        def opened(full_name: str, folder: Path, *, with_token: bool) -> RemoteCheckout:
            return self._from(
                Repo(full_name, repo.installation_id),
                folder,
                with_token=with_token and not is_fork,
                mirror=f"{repo.identity}{_AS_SUBMODULE}{full_name.replace('/', '~')}",
                size=_any_size,
            )

        return Submodules(self._host(repo), repo.full_name, scratch, opened)

    def _lfs(self, repo: Repo) -> LfsObjects:
        folder = self._mirrors.of(repo.identity).folder("lfs")
        fetch = partial(self._github.fetch_lfs, repo)
        return LfsObjects(self._host(repo), repo.full_name, folder, fetch)

    def _history(self, repo: Repo) -> VersionHistory:
        async def fetch(store: ObjectStore, commit: str) -> None:
            async with self._credential(repo) as credential:
                await store.fetch_history(credential.url, commit, credential=credential)

        return VersionHistory(self._mirrors.of(repo.identity).folder("history.git"), fetch)

    def _host(self, repo: Repo) -> str:
        return urlsplit(self._github.clone_url(repo)).netloc

    @contextlib.asynccontextmanager
    async def _credential(self, repo: Repo) -> AsyncIterator[Credential]:
        source = await self._github.clone_source(repo)
        try:
            yield Credential(source.url, source.token.get_secret_value())
        finally:
            await self._forget(source.token)

    async def _forget(self, token: SecretStr) -> None:
        try:
            await self._github.revoke(token)
        except GitHubError as error:
            # It expires within the hour anyway.
            _log.warning("token not revoked", problem=str(error))


async def _any_size() -> int:
    """Count a repository as large without asking: of a submodule, its last commits are enough."""
    return sys.maxsize
