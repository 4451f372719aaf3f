"""Ask GitHub and the database what it takes to decide about a commit; see `check_policy`."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from operator import not_

from bot.config.checks import ChecksSection
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.github.values import PullRequest, RepositoryFacts
from bot.intake.check_policy import CommitPosition, CompetingRuns, failing
from bot.model.merge_group import MergeGroup, QueueBranch, QueueEntry, group_of, queue_branch
from bot.model.repository import Repo
from bot.storage.stores import Stores

_MOST_BEFORE = 10
"""Entries of a merge queue before another one whose checks are asked for."""


class CommitFacts:
    """Every method raises `GitHubError` and `StorageError`."""

    def __init__(self, github: GitHub, stores: Stores) -> None:
        self._github = github
        self._stores = stores

    async def place(
        self, repo: Repo, sha: str, facts: RepositoryFacts, branch: str = ""
    ) -> CommitPosition:
        """Return where a commit stands; `branch` is what the event says that has it as its head."""
        queued = queue_branch(branch)
        if queued is not None:
            return await self._in_queue(repo, queued.base, sha, queued)
        head = await self._github.branch_head(repo, facts.default_branch)
        if head == sha:
            return CommitPosition(default_branch=True, pull=None)
        pulls = await self._github.pull_requests_of(repo, sha)
        if not pulls and (base := await self._stores.queued_pulls.base_of(repo, sha)):
            return await self._in_queue(repo, base, sha)
        return CommitPosition(default_branch=False, pull=next(iter(pulls), None))

    async def _in_queue(
        self, repo: Repo, base: str, head: str, queued: QueueBranch | None = None
    ) -> CommitPosition:
        """Return that a commit is the head of a merge group, what was merged since then left out."""
        known = await self._stores.queued_pulls.of_branch(repo, base)
        last = next((entry for entry in known if entry.head == head), None)
        if queued is not None and last is None:  # its own webhook may come later
            last = QueueEntry(queued.number, queued.parent, head)
        if last is None:
            return CommitPosition(default_branch=False, pull=None)
        try:
            merged = (await self._github.compared(repo, base, head)).parted
        except Gone:  # nor can it be fetched
            return CommitPosition(default_branch=False, pull=None)
        if merged == head:
            return CommitPosition(default_branch=False, pull=None)
        group = group_of(base, last, known, merged)
        return CommitPosition(default_branch=False, pull=None, group=group)

    async def with_pulls(self, repo: Repo, group: MergeGroup) -> MergeGroup:
        """Return a group with its pull requests as they are now."""
        return replace(
            group, entries=tuple([await self._pull(repo, entry) for entry in group.entries])
        )

    async def _pull(self, repo: Repo, entry: QueueEntry) -> QueueEntry:
        pull = await self._github.pull_request(repo, entry.number)
        return replace(entry, pull_head=pull.head_sha, title=pull.title, is_fork=pull.is_fork)

    async def before(self, repo: Repo, group: MergeGroup, config: ChecksSection) -> frozenset[str]:
        """Return the names of the checks that fail on an entry of the queue before the group's last one."""
        slug = (await self._github.app_identity()).slug
        found: set[str] = set()
        for entry in group.entries[-1 - _MOST_BEFORE : -1]:
            checks = await self._github.commit_checks(repo, entry.head)
            found.update(check.name for check in failing(checks, config, slug))
        return frozenset(found)

    async def switch(self, repo: Repo, pull: PullRequest | None) -> bool | None:
        """Return what `/fix auto` said on a pull request; None when nobody said it."""
        if pull is None:
            return None
        return await self._stores.switches.get(repo, pull.number)

    async def on_base(
        self, repo: Repo, place: CommitPosition, config: ChecksSection
    ) -> frozenset[str]:
        """Return the names of the checks that fail on the branch that people merge into."""
        if place.group is not None:
            base = place.group.base
        elif place.pull is not None:
            base = await self._github.branch_head(repo, place.pull.base_ref)
        else:
            return frozenset()
        slug = (await self._github.app_identity()).slug
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
