"""Decide what is missing here, given what GitHub shows and what the database says."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.github.overview import InstallationFacts, ListedComment, ListedRepository
from bot.github.values import PullRequest
from bot.intake.addressee import as_commands, is_for_us
from bot.intake.comment_policy import Identity, screen
from bot.intake.comment_values import (
    CommentCreated,
    CommentEvent,
    EventComment,
    Sender,
    Thread,
)
from bot.intake.decisions import Ignore, IgnoredReason
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.reporting.marker import answered_in
from bot.reporting.reasons import run_life


@dataclass(frozen=True, slots=True)
class Stays:
    """The repository is where the database has it."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """It is not among those that the App sees: one has to ask for it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Nothing can be published there any more; `reason` says why."""

    reason: str


Fate = Stays | Unseen | Lost


def fate(
    repo: Repo,
    installations: Sequence[InstallationFacts],
    listed: Sequence[ListedRepository],
) -> Fate:
    """Return what became of a repository that runs are about."""
    found = next((repository for repository in listed if is_same(repository.repo, repo)), None)
    if found is not None:
        return Lost(run_life.archived(repo.full_name)) if found.archived else Stays()
    mine = next(
        (installation for installation in installations if installation.id == repo.installation_id),
        None,
    )
    if mine is not None and mine.suspended:
        return Lost(run_life.suspended(mine.account))
    return Unseen()


def is_same(found: Repo, kept: Repo) -> bool:
    """Whether GitHub shows the repository that was kept, of which an old row has the name alone."""
    if kept.id is None:
        return found.full_name.lower() == kept.identity
    return found.id == kept.id


def vanished(repo: Repo, installations: Sequence[InstallationFacts]) -> Lost:
    """Return why GitHub shows nothing under any name that a repository had."""
    if all(installation.id != repo.installation_id for installation in installations):
        return Lost(run_life.uninstalled(repo.owner))
    return Lost(run_life.inaccessible(repo.full_name))


def asking(
    repo: Repo, comments: Iterable[ListedComment], identity: Identity, before: datetime
) -> tuple[ListedComment, ...]:
    """Return comments that may ask for something and are older than deliveries take.

    A comment is as old as its text: what was edited is as young as that.
    """
    return tuple(
        comment
        for comment in comments
        if comment.updated_at <= before and _may_ask(_as_event(repo, comment), identity)
    )


def answered_by(
    repo: Repo,
    asked: Sequence[ListedComment],
    comments: Sequence[ListedComment],
    identity: Identity,
    elsewhere: Container[str | None] = (),
) -> frozenset[int]:
    """Return ids of those that our own comments answer, whatever this database knows of it.

    A run shows itself under the id that its comment gives it. Of another answer nobody knows any
    more which comment it is for: any before it may be.

    Args:
        repo: Where they are.
        asked: Comments that may ask for something.
        comments: All of the same time.
        identity: Us.
        elsewhere: Deliveries that were answered by a server with another database.
    """
    found: set[int] = set()
    ours = [comment for comment in comments if comment.author.lower() == identity.login.lower()]
    for answer in ours:
        about = answered_in(answer.body)
        before = [
            comment for comment in asked
            if comment.number == answer.number and comment.updated_at <= answer.created_at
        ]  # fmt: skip
        found |= {comment.id for comment in before if about == run_of(repo, comment)}
        if about in elsewhere:
            found |= {comment.id for comment in before}
    return frozenset(found)


_DELIVERY = re.compile(r"seen-.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""Ids of deliveries, GitHub's and our own."""


def deliveries_in(comments: Iterable[ListedComment], identity: Identity) -> frozenset[str]:
    """Return ids of the deliveries that our own comments answer."""
    ours = (comment for comment in comments if comment.author.lower() == identity.login.lower())
    found = (answered_in(comment.body) for comment in ours)
    return frozenset(item for item in found if item is not None and _DELIVERY.fullmatch(item))


def run_of(repo: Repo, comment: ListedComment) -> str:
    """Return the id of the run that a comment starts, if it starts any."""
    return FixRequest(
        repository=repo.full_name,
        installation_id=repo.installation_id,
        repository_id=repo.id,
        number=comment.number,
        is_pull_request=False,
        actor=comment.author,
        comment_id=comment.id,
        asked_at=comment.updated_at,
    ).run_id


def _may_ask(event: CommentCreated, identity: Identity) -> bool:
    """Whether a comment may hold a command, or mentions us, which counts on our pull requests."""
    body = as_commands(event.comment.body, identity.slug)
    ignored = screen(replace(event, comment=replace(event.comment, body=body)), identity)
    is_plain = ignored == Ignore(IgnoredReason.NO_COMMAND)
    mentions_us = is_for_us(body, identity.slug, every=False)
    return ignored is None or (is_plain and mentions_us)


def as_listed(event: CommentEvent) -> ListedComment:
    """Return the comment of a webhook as a list would show it; its global id is not known."""
    comment = event.comment
    return ListedComment(
        comment.id,
        "",
        event.thread.number,
        comment.author,
        event.sender.is_bot,
        comment.via_app,
        comment.body,
        comment.created_at,
        comment.updated_at,
        {},
    )


def _as_event(repo: Repo, comment: ListedComment) -> CommentCreated:
    """Return the event that a webhook would have told of, as far as a list shows it."""
    return CommentCreated(
        repo,
        Thread(comment.number, is_pull_request=False, title="", is_open=True, locked=False),
        Sender(comment.author, is_bot=comment.by_bot),
        EventComment(
            comment.id,
            comment.author,
            "NONE",
            comment.body,
            comment.via_app,
            comment.created_at,
            comment.updated_at,
        ),
    )


@dataclass(frozen=True, slots=True)
class Head:
    """The newest commit of a branch, which may have failing checks."""

    sha: str
    branch: str


def heads_to_look_at(
    default: tuple[Head, ...], pulls: Iterable[PullRequest], us: str
) -> tuple[Head, ...]:
    """Return the newest commits whose checks may start runs; those that we made are watched anyway.

    Args:
        default: Of the default branch, where its checks may.
        pulls: The open ones, where theirs may.
        us: Our own login.
    """
    theirs = (pull for pull in pulls if pull.author.lower() != us.lower())
    return (*default, *(Head(pull.head_sha, pull.head_ref) for pull in theirs))


def in_turn(
    listed: Iterable[ListedRepository], looked_at: Callable[[Repo], float]
) -> list[ListedRepository]:
    """Return the repositories that can be repaired, the one looked at longest ago first."""
    open_ = (repository for repository in listed if not repository.archived)
    return sorted(open_, key=lambda item: (looked_at(item.repo), item.repo.full_name))
