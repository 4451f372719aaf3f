"""Ask GitHub and the database what it takes to decide about a commit; see `check_policy`."""

from __future__ import annotations

from itertools import takewhile
from operator import not_

from bot.config.checks import ChecksSection
from bot.github.github import GitHub
from bot.github.values import PullRequest, RepositoryFacts
from bot.intake.check_policy import CommitPosition, CompetingRuns, failing
from bot.model.repository import Repo
from bot.storage.stores import Stores


class CommitFacts:
    """Every method raises `GitHubError` and `StorageError`."""

    def __init__(self, github: GitHub, stores: Stores) -> None:
        self._github = github
        self._stores = stores

    async def place(self, repo: Repo, sha: str, facts: RepositoryFacts) -> CommitPosition:
        """Return where a commit stands."""
        head = await self._github.branch_head(repo, facts.default_branch)
        if head == sha:
            return CommitPosition(default_branch=True, pull=None)
        pulls = await self._github.pull_requests_of(repo, sha)
        return CommitPosition(default_branch=False, pull=next(iter(pulls), None))

    async def switch(self, repo: Repo, pull: PullRequest | None) -> bool | None:
        """Return what `/fix auto` said on a pull request; None when nobody said it."""
        if pull is None:
            return None
        return await self._stores.switches.get(repo, pull.number)

    async def on_base(
        self, repo: Repo, place: CommitPosition, config: ChecksSection
    ) -> frozenset[str]:
        """Return the names of the checks that fail on the branch that people merge into."""
        if place.pull is None:
            return frozenset()
        slug = (await self._github.app_identity()).slug
        base = await self._github.branch_head(repo, place.pull.base_ref)
        checks = await self._github.commit_checks(repo, base)
        return frozenset(check.name for check in failing(checks, config, slug))

    async def standing(self, repo: Repo, sha: str, place: CommitPosition) -> CompetingRuns:
        """Return which other runs and pull requests of ours there are."""
        runs = self._stores.runs
        us = (await self._github.app_identity()).bot_login
        active = [run.request for run in await runs.active(repo)]
        number = None if place.pull is None else place.pull.number
        here = [
            request
            for request in active
            if (request.failed is not None and request.failed.sha == sha)
            or (number is not None and request.number == number)
        ]
        return CompetingRuns(
            earlier=await runs.of_commit(repo, sha),
            here=bool(here),
            elsewhere=sum(request.is_automatic for request in active),
            open_fixes=await self._github.open_pull_requests_by(repo, us),
            in_a_row=0 if number is None else await self._in_a_row(repo, number),
        )

    async def _in_a_row(self, repo: Repo, number: int) -> int:
        """Return how many runs of a pull request began since a person asked for one, or at all."""
        theirs = await self._stores.runs.of_thread(repo, number)
        asked = (bool(run.request.actor or run.request.asked_through) for run in theirs)
        return len(list(takewhile(not_, asked)))
