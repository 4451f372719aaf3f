"""The memory of runs on GitHub: what is kept at their ends, and what later ones recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import structlog

from bot.config.memory import MemorySection
from bot.errors import FixpointError, GitHubError
from bot.github.github import GitHub
from bot.github.values import Published
from bot.model import Report
from bot.model.memory import Became, FailureSignature, MemoryLimits, Recalled, TriedRepair
from bot.model.memory_sharing import Sharing, SharingScope, may_read
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.redaction import Redactor
from bot.repair.memory.entries import broken_releases, entry_id, plain_files, tried_in
from bot.repair.memory.similar_repairs import says_the_same
from bot.runs.merged_pulls import MergedPulls
from bot.runs.publishing.outcome_comment import (
    Outcome,
    Pushed,
)
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.review_feedback import PeopleSaid
from bot.runs.starting_state import Brief
from bot.storage.broken_releases import ReleasesKnownTo
from bot.storage.stores import Stores
from sandbox.git import GitError


class SharedMemory:
    """Asks GitHub who may see a repository, where the operator lets anything be shared."""

    def __init__(self, github: GitHub, sharing: Sharing) -> None:
        """Say what is shared; nothing, for a repository that takes no part."""
        self._github = github
        self._sharing = sharing

    async def reach(self, repo: Repo) -> SharingScope | None:
        """Return how far a repository's memory goes; None where it stays there.

        Raises:
            GitHubError: When GitHub does not tell.
        """
        if self._sharing is Sharing.NONE:
            return None
        facts = await self._github.facts(repo)
        return SharingScope.OWNER if facts.private else SharingScope.PUBLIC

    async def reach_if_told(self, repo: Repo) -> SharingScope | None:
        """Return the same, and None where GitHub does not tell: then nothing is read."""
        try:
            return await self.reach(repo)
        except GitHubError as error:
            _log.warning("memory not shared", repository=repo.full_name, problem=str(error))
            return None

    async def readable(
        self, repo: Repo, reach: SharingScope | None, entries: Sequence[TriedRepair]
    ) -> tuple[TriedRepair, ...]:
        """Return the entries that a repository may still read.

        One that was public when it shared them may be private now, or have left the App.

        Args:
            repo: That reads.
            reach: How far its own memory goes.
            entries: Its own, and those of others.
        """
        origins = dict.fromkeys(entry.origin for entry in entries if entry.origin is not None)
        allowed = {origin for origin in origins if await self._may_read(repo, reach, origin)}
        return tuple(entry for entry in entries if entry.origin is None or entry.origin in allowed)

    async def _may_read(self, repo: Repo, reach: SharingScope | None, origin: Repo) -> bool:
        is_same = repo.owner.lower() == origin.owner.lower()
        return may_read(reach, await self.reach_if_told(origin), same_owner=is_same)


_log = structlog.get_logger(__name__)


class RepositoryMemory:
    """What one run may know of earlier ones in its repository."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        repo: Repo,
        limits: MemoryLimits,
        shared: SharedMemory,
        merged: MergedPulls,
        said: PeopleSaid,
    ) -> None:
        self._github = github
        self._said = said
        self._merged = merged
        self._shared = shared
        self._entries = stores.memory
        self._outcomes = stores.outcomes
        self._lessons = stores.lessons
        self._repo = repo
        self._limits = limits

    async def recall(self, signature: FailureSignature) -> Recalled:
        """Return what is remembered for a failure.

        Raises:
            StorageError: When the database fails.
        """
        reach = await self._shared.reach_if_told(self._repo)
        same = await self._entries.same(self._repo, signature, reach)
        if any([await self._is_decided(repair) for repair in same]):
            same = await self._entries.same(self._repo, signature, reach)
        similar = await self._entries.similar(self._repo, signature, self._limits.shown, reach)
        merged = tuple(repair for repair in same if repair.became is Became.MERGED)
        elsewhere = await self._elsewhere(signature, reach)
        return Recalled(
            await self._shared.readable(self._repo, reach, merged),
            replace(
                similar, entries=await self._shared.readable(self._repo, reach, similar.entries)
            ),
            await self._lessons.confirmed(self._repo),
            await self._shared.readable(self._repo, reach, elsewhere),
        )

    async def _elsewhere(
        self, signature: FailureSignature, reach: SharingScope | None
    ) -> tuple[TriedRepair, ...]:
        """Return merged repairs of failures that say the same in other places, with their patches."""
        settled = await self._entries.settled(self._repo, reach)
        found = []
        for repair in says_the_same(settled, signature):
            kept = await self._entries.get(repair.origin or self._repo, repair.id)
            if kept is not None:
                found.append(replace(kept, origin=repair.origin))
        return tuple(found)

    async def _is_decided(self, entry: TriedRepair) -> bool:
        """Note what became of an entry of which nobody told; return whether anything did."""
        number = entry.pull_request
        if entry.became is not Became.VERIFIED or number is None:
            return False
        try:
            pull = await self._github.pull_request(self._repo, number)
            if pull.state == "open":
                return False
            if pull.merged:
                return await self._merged.merged(self._repo, number, pull.merge_commit)
            await self._said.at_the_end(self._repo, number)
        except GitHubError as error:
            _log.warning("pull request not looked at", problem=str(error))
            return False
        return await self._outcomes.closed(self._repo, number, merge_commit=None)


class Remembering:
    """Keeps what runs tried and which releases broke them; every public method may be called again."""

    def __init__(self, github: GitHub, stores: Stores, redactor: Redactor) -> None:
        self._github = github
        self._stores = stores
        self._redactor = redactor
        self._merged = MergedPulls(github, stores, redactor)
        self._said = PeopleSaid(github, stores.pull_memory, redactor)

    def of(self, request: FixRequest, brief: Brief) -> RepositoryMemory | None:
        """Return what a run may know of earlier ones; None where the repo config wants none."""
        section = brief.config.memory
        if not section.enabled:
            return None
        shared = self._shared(section)
        return RepositoryMemory(
            self._github,
            self._stores,
            request.repo,
            section.limits,
            shared,
            self._merged,
            self._said,
        )

    def releases_for(self, request: FixRequest, brief: Brief) -> ReleasesKnownTo | None:
        """Return what a run may know of releases that broke repositories; None where memory is off."""
        if not brief.config.memory.enabled:
            return None
        return ReleasesKnownTo(self._stores.releases, request.repo)

    async def keep(
        self,
        request: FixRequest,
        brief: Brief,
        report: Report,
        checkout: RemoteCheckout,
        earlier: int,
    ) -> None:
        """Keep the attempts of a run that is over, or waits for a person.

        What strangers wrote in a fork is not kept.

        Raises:
            StorageError: When the database fails.
        """
        section, repo = brief.config.memory, request.repo
        reach = await self._reach(repo, section)
        if not section.enabled or brief.is_fork:
            return
        tried = tried_in(report, self._redactor, earlier=earlier)
        kept = [await self._with_files(repair, report, checkout) for repair in tried]
        await self._stores.memory.keep(repo, kept, section.limits, reach)
        for release in broken_releases(report):
            await self._stores.releases.keep(repo, release)

    async def _reach(self, repo: Repo, section: MemorySection) -> SharingScope | None:
        """Return how far the memory of a repository goes, and have what it has go no further."""
        store = self._stores.memory
        if store.sharing is Sharing.NONE:
            return None
        try:
            reach = await self._shared(section).reach(repo)
        except GitHubError as error:
            _log.warning("memory not shared", repository=repo.full_name, problem=str(error))
            return None
        await store.narrow(repo, reach)
        return reach

    def _shared(self, section: MemorySection) -> SharedMemory:
        sharing, takes_part = self._stores.memory.sharing, section.enabled and section.share
        return SharedMemory(self._github, sharing if takes_part else Sharing.NONE)

    async def published(self, request: FixRequest, report: Report, outcome: Outcome) -> None:
        """Note where a repair was published.

        Raises:
            StorageError: When the database fails.
        """
        accepted = next((attempt for attempt in report.attempts if attempt.accepted), None)
        if accepted is None:
            return
        match outcome:
            case Published(number=number):
                place: int | None = number
            case Pushed():
                place = _pull_request(request)
            case _:
                return
        await self._stores.outcomes.published(
            request.repo,
            report.run_id,
            entry_id(report, accepted),
            pull_request=place,
            url=outcome.url,
            commit=outcome.commit,
        )

    async def _with_files(
        self, entry: TriedRepair, report: Report, checkout: RemoteCheckout
    ) -> TriedRepair:
        """Return an entry with the files that its patch changes, as far as they can be had."""
        if entry.became is not Became.VERIFIED or not entry.patch:
            return entry
        try:
            source = await checkout.provide(report.head)
            files = await source.store.files(report.head, entry.patch.files)
        except (FixpointError, GitError) as error:  # the patch alone has to do
            _log.warning("files not remembered", problem=str(error))
            return entry
        return replace(entry, before=plain_files(files, self._redactor))


def _pull_request(request: FixRequest) -> int | None:
    """Return the number of the pull request whose branch a commit went onto."""
    if request.failed is not None:
        return request.failed.pull_request
    return request.number if request.is_pull_request else None
