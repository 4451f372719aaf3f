"""Find pull requests of ours whose base moved without a webhook that told of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import structlog

from bot.github.github import GitHub
from bot.github.overview import ListedRepository
from bot.intake.request_budget import RequestBudget
from bot.storage.stores import Stores

_log = structlog.get_logger(__name__)


class MovedBases:
    """Looks at one repository at a time."""

    def __init__(self, github: GitHub, stores: Stores, wake: Callable[[], None]) -> None:
        self._github = github
        self._runs = stores.runs
        self._pulls = stores.pulls
        self._wake = wake

    async def look(self, listed: ListedRepository, budget: RequestBudget) -> None:
        """Have those looked at whose base is not where it was at their last look.

        A repository in which we never opened one takes no request.

        Raises:
            GitHubError: When GitHub does not tell.
            StorageError: When the database fails.
        """
        repo = listed.repo
        if not await self._runs.has_opened(repo):
            return
        us = (await self._github.app_identity()).bot_login
        shown = await self._github.open_pull_requests(repo)
        budget.spend()
        ours = {
            request.number: request.base_ref
            for request in shown
            if request.author == us and not request.is_fork
        }
        await self._pulls.keep(repo, ours)
        for number, base in ours.items():
            await self._pulls.opened(repo, number, base)
        idle = [pull for pull in await self._pulls.of(repo) if pull.due_at is None]
        for base in sorted({pull.base for pull in idle}):
            if budget.used_up:
                return
            head = await self._github.branch_head(repo, base)
            budget.spend()
            if any(pull.base == base and pull.seen != head for pull in idle):
                await self._pulls.moved(repo, base, datetime.now(UTC))
                _log.info("base moved that no webhook told of", branch=base)
                self._wake()
