"""How far the memory of a repository goes, and what of others it may read: as GitHub shows them now."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.memory import TriedRepair
from bot.model.memory_sharing import Sharing, SharingScope, may_read
from bot.model.repository import Repo

_log = structlog.get_logger(__name__)


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
