"""Search a repository at a commit, as the agent searches its work tree: in the objects of its mirror."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import structlog

from bot.errors import FixpointError, UsageError
from bot.limited_process import TooMuch, run_limited
from bot.model.repository import Repo
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent.code_grep import (
    AS_TEXT,
    MOST_OUTPUT,
    SearchCode,
    SearchKind,
    grep_options,
)
from bot.repair.proposers.agent.code_search import MOST_BYTES, defined_in
from bot.repair.proposers.agent.edit_tool import EditRejected
from bot.repair.proposers.agent.reader import OUTPUT_CHARACTERS, GrepListing, search_lines
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.sources import Sources
from sandbox.git import FoundLines, GitError, ObjectStore
from sandbox.scratch import scratch_folder

PATIENCE = 50.0
"""Seconds that whoever asks waits for a commit to be fetched; the fetch goes on behind that."""

_AT_ONCE = 2
"""Searches, and fetches for them, on one server; each may take a processor for a while."""

_UNKNOWN = "not our ref"
"""What git's servers say of a commit that they don't have."""

_NO_PERL = "cannot use Perl-compatible"
"""What git says that was built without PCRE. Patterns that PCRE refuses are not tried as POSIX's, whose
compiler has no limits."""

_LIMIT = "limit exceeded"
"""What it says of a pattern that takes too many steps."""

_log = structlog.get_logger(__name__)


class NotSearched(FixpointError):
    """The code can't be searched as asked; the sentence says why."""


class NoSuchCommit(NotSearched):
    """The repository has no commit of that id."""


class NotYet(FixpointError):
    """The commit is on its way, or others are searching; ask again."""


@dataclass(frozen=True, slots=True)
class SearchedCommit:
    """An answer, and the commit that it is about."""

    commit: str
    answer: str


class CommitFiles:
    """The files of a commit, as `search_lines` wants them."""

    def __init__(self, store: ObjectStore, commit: str) -> None:
        self.store = store
        self.commit = commit

    async def grep(self, search: SearchCode) -> GrepListing:
        """List the lines of the commit that match.

        Raises:
            GitError: When objects of the commit can't be read.
        """
        first, *others = grep_options(search)
        found = await self._grep(search, first)
        if _LIMIT in found.problem:
            return GrepListing("", timed_out=True)
        if not others or not found.problem or found.is_out_of_time:
            return _listing(found)
        posix, plain = others
        if _NO_PERL in found.problem:
            found = await self._grep(search, posix)
            if not found.problem or found.is_out_of_time:
                return _listing(found)
        found = await self._grep(search, plain)
        listing = _listing(found)
        return replace(listing, output=f"{AS_TEXT}\n{listing.output}")

    async def _grep(self, search: SearchCode, options: Sequence[str]) -> FoundLines:
        return await self.store.grep(self.commit, options, path=search.path, most=MOST_OUTPUT)

    async def sources(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the files that are not too large."""
        return await self.store.files(self.commit, paths, longest=MOST_BYTES)

    async def outline(self, path: str) -> str:
        """Return what a file defines.

        Raises:
            NotSearched: When there is no such file, or nothing in it that can be read.
        """
        data = (await self.sources((path,))).get(path)
        if data is None:
            raise NotSearched(await self._lacking(path))
        try:
            text = await run_limited(defined_in, path, data)
        except TooMuch:
            text = ""
        if not text:
            raise NotSearched(f"{path} defines nothing that can be read.")
        return clip(reveal_hidden(text), OUTPUT_CHARACTERS)

    async def _lacking(self, path: str) -> str:
        paths = await self.store.paths(self.commit)
        if path in paths:
            return f"{path} is not a regular file of at most {MOST_BYTES // 10**6} MB, so it has no outline."
        if any(known.startswith(f"{path}/") for known in paths) or not path:
            return f"{path or 'The path'} is a folder: name a file."
        return f"{path} doesn't exist at this commit."


def _listing(found: FoundLines) -> GrepListing:
    """Return what git listed for words, which it can always read.

    Raises:
        GitError: When it could not; then it is the commit that can't be read.
    """
    if found.problem and not found.is_out_of_time:
        raise GitError(found.problem)
    return GrepListing(found.output, timed_out=found.is_out_of_time)


class CommitSearch:
    """Fetches commits that nobody has fetched yet, and searches them, a few at a time."""

    def __init__(self, sources: Sources, patience: float = PATIENCE) -> None:
        self._sources = sources
        self._patience = patience
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._fetching: dict[tuple[Repo, str], asyncio.Task[str]] = {}
        self._fetches = asyncio.Semaphore(_AT_ONCE)

    async def answer(self, repo: Repo, commit: str, search: SearchCode) -> SearchedCommit:
        """Search a commit, or the newest one of the default branch where it is "".

        Raises:
            NotYet: When it takes longer than whoever asks should wait.
            NotSearched: When there is no such commit, or the search can't be done as asked.
            UsageError: When the repository's server doesn't answer.
        """
        found = await self._fetched(repo, commit)
        try:
            return SearchedCommit(found, await self._searched(repo, found, search))
        except GitError as error:
            if not self._sources.gives_way(repo, str(error)):
                raise NotSearched(f"Git can't read the commit. {error}") from error
        found = await self._fetched(repo, found)
        return SearchedCommit(found, await self._searched(repo, found, search))

    async def _searched(self, repo: Repo, commit: str, search: SearchCode) -> str:
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise NotYet("Other searches are running. Try again.") from None
        try:
            async with self._opened(repo) as checkout:
                await checkout.bring(commit)
                return await _answered(CommitFiles(checkout.store, commit), search)
        finally:
            self._places.release()

    async def _fetched(self, repo: Repo, commit: str) -> str:
        """Return the commit once it is here; all who ask for it wait for the same fetch."""
        task = self._fetching.get((repo, commit))
        if task is None:
            task = self._fetching[repo, commit] = asyncio.create_task(self._fetch(repo, commit))
            task.add_done_callback(partial(self._heard, (repo, commit)))
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        if not done:
            raise NotYet(
                "The commit is being fetched, which takes a while for a large repository. Try again."
            )
        return task.result()

    def _heard(self, key: tuple[Repo, str], task: asyncio.Task[str]) -> None:
        """Forget a fetch that ended, whether or not anybody still waits for it."""
        del self._fetching[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.info(
                "commit to search not fetched", repository=key[0].full_name, problem=str(error)
            )

    async def _fetch(self, repo: Repo, commit: str) -> str:
        async with self._fetches, self._opened(repo) as checkout:
            found = commit or await checkout.head()
            try:
                await checkout.bring(found)
            except UsageError as error:
                if _UNKNOWN not in str(error):
                    raise
                raise NoSuchCommit(f"{repo.full_name} has no commit {found}.") from error
            return found

    @asynccontextmanager
    async def _opened(self, repo: Repo) -> AsyncIterator[RemoteCheckout]:
        with scratch_folder("search") as folder:
            yield self._sources.searched(repo, folder)


async def _answered(files: CommitFiles, search: SearchCode) -> str:
    if search.kind is SearchKind.OUTLINE:
        return await files.outline(search.path)
    answer = await search_lines(files, search)
    if isinstance(answer, EditRejected):
        raise NotSearched(answer.text)
    return answer
