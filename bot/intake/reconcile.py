"""Compare what GitHub shows with what the database says, again and again, whatever was delivered.

A webhook may never have been sent, and some changes have none that we ask for. One server does it
for all, and each time no more than so many requests: where there are more repositories than that
allows, each has its turn later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

import structlog

from bot.background import again_and_again
from bot.errors import GitHubError, NotPermitted
from bot.github.github import GitHub
from bot.github.overview import InstallationFacts, ListedRepository
from bot.intake.reconcile_policy import Lost, Unseen, fate, in_turn, vanished
from bot.intake.request_budget import RequestBudget
from bot.intake.undelivered_comments import (
    LATE,
    Unheard,
)
from bot.model.repository import Repo
from bot.runs.display import Display
from bot.storage.runs import RunRecord
from bot.storage.stores import Stores

FIRST_LOOK = 20
"""The first look comes after this part of the time between two: a server that starts has more
urgent things to do."""

_SURE = 2
"""Times that a repository has to be missing before its runs end: GitHub, too, errs at times."""

_PROVEN = 10
"""Runs of one repository, at one look, of which only the name of their repository is known."""

_log = structlog.get_logger(__name__)


class Reconciler:
    """Looks from time to time."""

    def __init__(
        self,
        github: GitHub,
        stores: Stores,
        wake: Callable[[], None],
        display: Display,
        *,
        every: float,
        requests: int,
    ) -> None:
        """Describe a look.

        Args:
            github: To ask.
            stores: What is known here.
            wake: Says that there is a delivery, or news of a commit.
            display: Where runs are shown.
            every: Seconds between two looks.
            requests: That one look may take, about.
        """
        self._github = github
        self._stores = stores
        self._display = display
        self._unheard = Unheard(github, stores, wake, late=min(LATE, timedelta(seconds=every)))
        self._every = every
        self._requests = requests
        self._looked: dict[Repo, float] = {}
        self._missing: dict[Repo, int] = {}

    async def keep_looking(self, turn: Callable[[], Awaitable[object]] | None = None) -> None:
        """Look for ever, when it is this server's turn."""
        await asyncio.sleep(self._every / FIRST_LOOK)
        await again_and_again(self.look, pause=self._every, failed="GitHub not compared", turn=turn)

    async def look(self) -> None:
        """Look once.

        Raises:
            GitHubError: When GitHub does not say where the App is installed.
            StorageError: When the database fails.
        """
        budget = RequestBudget(self._requests)
        installations = await self._github.installations()
        listed = await self._listed(installations, budget)
        await self._follow(installations, listed)
        await self._put_right()
        for repository in in_turn(listed, lambda repo: self._looked.get(repo, float("-inf"))):
            if budget.used_up:
                break
            try:
                await self._prove(repository.repo, budget)
                await self._unheard.look(repository, budget)
            except GitHubError as error:
                _log.warning(
                    "repository not compared",
                    repository=repository.repo.full_name,
                    problem=str(error),
                )
            self._looked[repository.repo] = time.monotonic()

    async def _listed(
        self, installations: Sequence[InstallationFacts], budget: RequestBudget
    ) -> list[ListedRepository]:
        found: list[ListedRepository] = []
        for installation in installations:
            if installation.suspended:
                continue
            try:
                found += await self._github.repositories(installation.id)
            except GitHubError as error:
                _log.warning(
                    "repositories not listed", installation=installation.id, problem=str(error)
                )
            budget.spend()
        return found

    # --- where repositories went ---

    async def _follow(
        self, installations: Sequence[InstallationFacts], listed: Sequence[ListedRepository]
    ) -> None:
        """Let runs follow their repositories, and end those whose repository is lost."""
        for repository in listed:
            await self._call(repository.repo)
        runs: dict[Repo, list[RunRecord]] = {}
        for run in await self._stores.runs.active():
            runs.setdefault(run.repo, []).append(run)
        for repo, theirs in runs.items():
            found = fate(repo, installations, listed)
            if isinstance(found, Unseen):
                try:
                    today = await self._github.whereabouts(repo)
                except NotPermitted:
                    today = None
                if today is not None:
                    await self._call(today)
                found = vanished(repo, installations) if today is None else found
            self._missing[repo] = self._missing.get(repo, 0) + 1 if isinstance(found, Lost) else 0
            if isinstance(found, Lost) and self._missing[repo] >= _SURE:
                await self._end(theirs, found.reason)
        self._missing = {repo: count for repo, count in self._missing.items() if repo in runs}

    async def _prove(self, repo: Repo, budget: RequestBudget) -> None:
        """Find out whether runs that an earlier version kept under a name are this repository's.

        Ids of comments are unique on their GitHub, so that no other repository has the same one.
        """
        for run_id, comment in (await self._stores.names.unproven(repo, _PROVEN)).items():
            found = await self._github.comment_in(repo, comment)
            budget.spend()
            await self._stores.names.prove(run_id, repo, is_its=found is not None)

    async def _call(self, repo: Repo) -> None:
        """Show a repository under its name of today."""
        if await self._stores.names.seen(repo):
            _log.info("repository renamed", repository=repo.identity, name=repo.full_name)

    async def _end(self, runs: Sequence[RunRecord], reason: str) -> None:
        for run in runs:
            _log.warning("run ended for its repository", run_id=run.id, problem=reason)
            await self._stores.runs.give_up(run.id, reason)

    async def _put_right(self) -> None:
        """Say the last words of runs again that a late edit of their progress replaced."""
        for said in await self._stores.last_words.to_look_at():
            try:
                if await self._display.put_right(said):
                    _log.warning("last words said again", run_id=said.run_id)
            except NotPermitted:  # nobody reads them there any more
                pass
            except GitHubError as error:
                _log.warning("last words not looked at", run_id=said.run_id, problem=str(error))
                continue
            await self._stores.last_words.looked_at(said.run_id)
