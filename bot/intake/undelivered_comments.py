"""Take up what GitHub shows of a repository and no webhook told of: comments, failed checks, pushes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog

from bot.config.checks import ChecksSection
from bot.errors import MalformedPayload, RepoConfigError
from bot.github.authorship import Writing
from bot.github.github import GitHub
from bot.github.overview import ListedComment, ListedRepository
from bot.github.values import PullRequest
from bot.intake.check_policy import failing
from bot.intake.comment_policy import Identity
from bot.intake.comment_values import (
    CommentCreated,
    CommentEdited,
    CommentEvent,
    EventComment,
)
from bot.intake.events import parse_event
from bot.intake.payloads import SAME, seen_id
from bot.intake.reconcile_policy import (
    Head,
    answered_by,
    as_listed,
    asking,
    deliveries_in,
    heads_to_look_at,
    run_of,
)
from bot.intake.request_budget import RequestBudget
from bot.model.repository import Repo
from bot.runs.config_file import read_config
from bot.storage.stores import Stores


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


LOOK_BACK = timedelta(days=1)
"""Who asked earlier than this no longer waits for an answer."""

LATE = timedelta(minutes=1)
"""A webhook may take so long."""

_CHECKS_COST = 3
"""Requests that reading the checks of a commit takes."""

_log = structlog.get_logger(__name__)


async def answered_elsewhere(
    github: GitHub, stores: Stores, event: CommentEvent, delivery_id: str
) -> bool:
    """Whether GitHub shows that a server with another database answered a comment.

    Only a webhook that comes late is looked into: GitHub sends one again when somebody asks for
    that, and the database that knew it may be lost, or restored from before.

    Raises:
        GitHubError: When GitHub does not tell.
        StorageError: When the database fails.
    """
    repo, comment, delivery = event.repo, event.comment, await stores.deliveries.get(delivery_id)
    if delivery is None or delivery.received_at - comment.updated_at < LATE:
        return False
    asked = as_listed(event)
    if await stores.runs.get(run_of(repo, asked)) is not None:
        return False  # by this one, which may have died before it was done
    identity = Identity((await github.app_identity()).slug)
    comments = await github.comments_since(repo, comment.updated_at)
    told_of = deliveries_in(comments, identity)
    unknown = [
        item for item in told_of if item == delivery_id or await stores.deliveries.get(item) is None
    ]
    if comment.id in answered_by(repo, [asked], comments, identity, unknown):
        return True
    nodes = [] if comment.in_review else [item.node for item in comments if item.id == comment.id]
    writings = await github.writings(repo, nodes) if nodes else {}
    return any(writing.heard and not writing.edited for writing in writings.values())


class Unheard:
    """Looks at one repository at a time."""

    def __init__(
        self, github: GitHub, stores: Stores, wake: Callable[[], None], *, late: timedelta
    ) -> None:
        """Describe a look.

        Args:
            github: To ask.
            stores: What is known here.
            wake: Says that there is a delivery, or news of a commit.
            late: How old a comment is before its webhook counts as lost.
        """
        self._github = github
        self._stores = stores
        self._wake = wake
        self._bases = MovedBases(github, stores, wake)
        self._late = late
        self._begun = datetime.now(UTC) - LOOK_BACK
        self._since: dict[Repo, datetime] = {}

    async def look(self, listed: ListedRepository, budget: RequestBudget) -> None:
        """Look at a repository once; raises `GitHubError` and `StorageError`."""
        await self._hear(listed.repo, budget)
        try:
            config = await read_config(self._github, listed.repo, listed.default_branch)
        except RepoConfigError:
            return  # a run would say so
        budget.spend()
        if config.checks.enabled:
            await self._see_failures(listed, config.checks, budget)
        if config.conflicts:
            await self._bases.look(listed, budget)

    async def _hear(self, repo: Repo, budget: RequestBudget) -> None:
        """Take comments up of which no webhook told."""
        identity = Identity((await self._github.app_identity()).slug)
        begun = max(self._begun, await self._stores.deliveries.since())
        since = self._since.get(repo, begun)
        comments = await self._github.comments_since(repo, since)
        budget.spend()
        before = datetime.now(UTC) - self._late
        asked = asking(repo, comments, identity, before)
        told_of = deliveries_in(comments, identity) if asked else ()
        elsewhere = [item for item in told_of if await self._stores.deliveries.get(item) is None]
        answered = answered_by(repo, asked, comments, identity, elsewhere)
        for comment in asked:
            if comment.id in answered or comment.updated_at < begun:
                continue
            told = await self._told(repo, comment)
            if told is not None and told.updated_at >= comment.updated_at - SAME:
                continue
            budget.spend(2)
            writing = (await self._github.writings(repo, [comment.node])).get(comment.node)
            if writing is None or not writing.is_person:
                _log.info("comment found of which nobody is the writer", comment=comment.id)
            elif writing.heard and not writing.edited:
                continue  # by a server whose database is not this one
            elif writing.at <= before and (told is None or told.updated_at < writing.at - SAME):
                await self._take(repo, comment, writing, told)
        old = [
            listed_comment.updated_at
            for listed_comment in comments
            if listed_comment.updated_at <= before
        ]
        if old:  # a younger one is looked at again
            self._since[repo] = max(old)

    async def _told(self, repo: Repo, comment: ListedComment) -> EventComment | None:
        """Return the comment as the last webhook of it showed it; None if there was none."""
        since = comment.created_at - 2 * self._late
        told = [
            delivery
            for whose in (repo.identity, repo.full_name.lower())  # as versions of before named it
            for delivery in await self._stores.deliveries.of_thread(
                f"{whose}#{comment.number}", since
            )
        ]
        found: list[EventComment] = []
        for item in told:
            try:
                event = parse_event(item.event, item.payload)
            except MalformedPayload:
                continue
            if isinstance(event, CommentCreated | CommentEdited) and (
                event.comment.id == comment.id
            ):
                found.append(event.comment)
        return max(found, key=lambda item: item.updated_at, default=None)

    async def _take(
        self, repo: Repo, comment: ListedComment, writing: Writing, told: EventComment | None
    ) -> None:
        """Keep what the webhook would have brought: by who wrote the text, at the time of that.

        Where an earlier text was heard, it is an edit of that one.
        """
        issue = await self._github.shown_issue(repo, comment.number)
        shown = {**comment.shown, "body": writing.text, "updated_at": writing.at.isoformat()}
        payload = {
            "action": "created" if told is None else "edited",
            "repository": {"id": repo.id, "full_name": repo.full_name},
            "installation": {"id": repo.installation_id},
            "sender": {"login": writing.by, "type": "User"},
            "issue": issue,
            "comment": shown,
            "changes": None if told is None else {"body": {"from": told.body}},
        }
        name = seen_id(comment.id, writing.at)
        if await self._stores.deliveries.add(name, "issue_comment", json.dumps(payload).encode()):
            _log.info("comment found that no webhook told of", delivery_id=name)
            self._wake()

    async def _see_failures(
        self, listed: ListedRepository, config: ChecksSection, budget: RequestBudget
    ) -> None:
        """Note commits whose checks failed, where they may start runs and nobody told of them."""
        repo, us = listed.repo, await self._github.app_identity()
        default: tuple[Head, ...] = ()
        if config.default_branch:
            sha = await self._github.branch_head(repo, listed.default_branch)
            default = (Head(sha, listed.default_branch),)
        pulls: tuple[PullRequest, ...] = ()
        if config.pull_requests or config.label is not None or config.updates:
            pulls = await self._github.open_pull_requests(repo)
        budget.spend(2)
        heads = heads_to_look_at(default, pulls, us.bot_login)
        known = await self._stores.commits.known(repo, [head.sha for head in heads])
        for head in heads:
            if head.sha in known or budget.used_up:
                continue
            checks = await self._github.commit_checks(repo, head.sha)
            budget.spend(_CHECKS_COST)
            if failing(checks, config, us.slug):
                await self._stores.commits.failed(repo, head.sha, head.branch)
                _log.info("failed checks found that no webhook told of", commit=head.sha)
                self._wake()
