"""Where a run on GitHub gets its source from, and the folder that it works in."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.errors import GitHubError, UsageError
from bot.github.github import GitHub
from bot.github.lfs import LONGEST_POINTER, LfsPointer, read_pointer
from bot.model.repository import Repo
from bot.reporting.reasons import sandbox_setup
from bot.runs.mirrors import Mirrors
from bot.runs.remote_checkout import Extras, RemoteCheckout
from bot.runs.submodule_checkouts import Submodules
from bot.runs.submodules import repository_of
from sandbox.git import Credential, GitError, ObjectStore, is_plain_file, settings_in

# Only commits and tags are fetched, without what they hold: enough for `git describe`, and small. They
# are kept apart from the mirror, so that what that has of a commit is always whole.

_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml")

_ASKS = re.compile(
    rb"setuptools[-_]scm|setuptools[-_]git|hatch-vcs|versioningit|versioneer|dunamai"
    rb"|poetry-dynamic-versioning|source\s*=\s*[\"']scm[\"']|vcs-versioning"
    rb"|fetch-depth:\s*[\"']?0\b"
)
"""Tools that read a version from tags, and a checkout of GitHub Actions with all commits."""


class VersionHistory:
    """The commits and tags of a run's repository, if it is large and something reads them.

    Attributes:
        notes: None: a build that lacks them says so itself.
    """

    def __init__(self, folder: Path, fetch: Callable[[ObjectStore, str], Awaitable[None]]) -> None:
        """Keep them in a folder; `fetch` brings those of a commit there."""
        self._store = ObjectStore(folder)
        self._fetch = fetch
        self._brought = False
        self.notes: list[str] = []

    @property
    def digest(self) -> str:
        """Stands for their being there."""
        return "history" if self._brought else ""

    async def bring(self, store: ObjectStore, head: str, trusted: str | None) -> None:  # noqa: ARG002 - they are the repository's own
        """Fetch them, if the history of the commit is cut and a file of it asks for all."""
        if not store.is_shallow or not await _is_asked_for(store, head):
            return
        try:
            await self._store.create()
            if not await self._store.has(head):
                await self._fetch(self._store, head)
        except (GitError, GitHubError, UsageError) as error:
            _log.warning("commits and tags not fetched", problem=str(error))
        else:
            self._brought = True

    async def check_out(self, root: Path) -> None:
        """Put them into the repository of a new work tree."""
        if self._brought:
            await ObjectStore(root / ".git").take_over_history(self._store)


async def _is_asked_for(store: ObjectStore, head: str) -> bool:
    workflows = [path for path in await store.paths(head) if _WORKFLOW.fullmatch(path)]
    found = await store.files(head, (*_FILES, *workflows), longest=2**20)
    return any(_ASKS.search(content) for content in found.values())


# Only files that `.gitattributes` names, of the commit that is checked out, from the repository's own
# LFS: an address in `.lfsconfig` is read to say that it isn't asked.

LARGEST = 2 * 2**30
"""Bytes of one file."""

MOST_BYTES = 4 * 2**30
"""Of all files of a commit."""

MOST_FILES = 2_000

_ATTRIBUTES = ".gitattributes"
_CONFIG = ".lfsconfig"

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

    def __init__(self, github: GitHub, folder: Path, *, first_wait: float | None) -> None:
        """Keep runs and mirrors below `folder`; wait `first_wait` seconds at an outage of GitHub.

        None: what an outage stops is not tried again.
        """
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
        return self._from(
            repo,
            scratch,
            ref=brief.commit,
            trusted_ref=brief.trusted,
            size=partial(self._size, repo),
            extras=lambda: (
                self._submodules(repo, scratch, is_fork=brief.is_fork),
                self._lfs(repo),
                self._history(repo),
            ),
        )

    def searched(self, repo: Repo, scratch: Path) -> RemoteCheckout:
        """Return commits of a repository to look into, which need no work tree."""
        return self._from(repo, scratch, size=partial(self._size, repo))

    def gives_way(self, repo: Repo, failure: str) -> bool:
        """Whether git's last words are about a damaged mirror; see `Mirror.gives_way`."""
        return self._mirrors.of(repo.identity).gives_way(failure)

    async def _size(self, repo: Repo) -> int:
        return (await self._github.facts(repo)).size

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
