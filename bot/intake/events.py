"""Turn a webhook's payload into an event: a frozen value with only the fields that we use.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import AwareDatetime, Field

from bot.intake.check_events import CheckEvent, Peek, is_about_checks, parse_check_event
from bot.intake.command_word import WORD
from bot.intake.payloads import App, GitHubAccount, Installation, Payload, Repository, read
from bot.intake.reverts import WORD as REVERTS
from bot.model.repository import Repo


@dataclass(frozen=True, slots=True)
class Sender:
    """Who caused the event: for an edit the editor, who need not be the comment's author."""

    login: str
    is_bot: bool


@dataclass(frozen=True, slots=True)
class Thread:
    """The issue or pull request that a comment belongs to."""

    number: int
    is_pull_request: bool
    title: str
    is_open: bool
    locked: bool


@dataclass(frozen=True, slots=True)
class EventComment:
    """The comment of an event, as it is now.

    Attributes:
        id: Unique on its GitHub.
        author: Login, or `ghost` when the account was deleted.
        author_association: `OWNER`, `MEMBER`, `COLLABORATOR`, `CONTRIBUTOR`, `NONE`, ...
        body: Markdown, untrusted.
        via_app: Slug of the App that wrote it, in its own or in a person's name; else None.
        created_at: UTC.
        updated_at: UTC, of the last edit.
    """

    id: int
    author: str
    author_association: str
    body: str
    via_app: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CommentCreated:
    """Somebody commented on an issue or pull request."""

    repo: Repo
    thread: Thread
    sender: Sender
    comment: EventComment


@dataclass(frozen=True, slots=True)
class CommentEdited:
    """Somebody edited a comment; `previous_body` is what it said before."""

    repo: Repo
    thread: Thread
    sender: Sender
    comment: EventComment
    previous_body: str


@dataclass(frozen=True, slots=True)
class Pinged:
    """GitHub tried whether the webhook works."""


@dataclass(frozen=True, slots=True)
class Unhandled:
    """An event that means nothing to us."""

    name: str
    action: str | None


CommentEvent = CommentCreated | CommentEdited
Event = CommentEvent | CheckEvent | Pinged | Unhandled


class _Issue(Payload):
    number: int
    title: str
    state: str
    locked: bool = False
    # An object for a pull request; an issue lacks it.
    pull_request: dict[str, object] | None = None


class _Comment(Payload):
    id: int
    body: str | None
    # Null when the account was deleted.
    user: GitHubAccount | None
    author_association: str = "NONE"
    created_at: AwareDatetime
    updated_at: AwareDatetime
    performed_via_github_app: App | None = None


class _Previous(Payload):
    # `from` in the payload; absent when the body was empty before.
    text: str | None = Field(None, alias="from")


class _Changes(Payload):
    body: _Previous | None = None


class _IssueComment(Payload):
    action: str
    repository: Repository
    installation: Installation
    sender: GitHubAccount
    issue: _Issue
    comment: _Comment
    changes: _Changes | None = None


def is_handled(
    name: str, action: str | None, outcome: str | None = None, says: str | None = None
) -> bool:
    """Return whether a webhook is worth keeping. Most comments hold no command, and are not.

    Args:
        name: `X-GitHub-Event`.
        action: Of the payload.
        outcome: How the check that it speaks of ended; None when that is not known.
        says: The text of the comment that it speaks of, or the messages of the commits; None when
            that is not known.
    """
    if name == "issue_comment":
        return action in {"created", "edited"} and (says is None or WORD in says.lower())
    if name == "push":
        return says is None or REVERTS in says.lower()
    return is_about_checks(name, action, outcome)


def peek(name: str, payload: bytes) -> Peek:
    """Return as much of a payload as `is_handled` asks for.

    Raises:
        MalformedPayload: When the payload is not a JSON object.
    """
    return read(Peek, name, payload)


def parse_event(name: str, payload: bytes) -> Event:
    """Return the event in a webhook.

    Args:
        name: `X-GitHub-Event`.
        payload: The body's bytes.

    Raises:
        MalformedPayload: When a field that the event has is missing or of another type.
    """
    if name == "ping":
        return Pinged()
    action = peek(name, payload).action
    if not is_handled(name, action):
        return Unhandled(name, action)
    if name != "issue_comment":
        return parse_check_event(name, action, payload) or Unhandled(name, action)
    return _comment_event(read(_IssueComment, name, payload))


def _comment_event(payload: _IssueComment) -> CommentEvent:
    repo = Repo(payload.repository.full_name, payload.installation.id)
    sender = Sender(payload.sender.login, is_bot=payload.sender.type == "Bot")
    thread = _thread(payload.issue)
    comment = _comment(payload.comment)
    if payload.action == "created":
        return CommentCreated(repo, thread, sender, comment)
    return CommentEdited(repo, thread, sender, comment, _previous_body(payload.changes, comment))


def _thread(issue: _Issue) -> Thread:
    return Thread(
        number=issue.number,
        is_pull_request=issue.pull_request is not None,
        title=issue.title,
        is_open=issue.state == "open",
        locked=issue.locked,
    )


def _comment(comment: _Comment) -> EventComment:
    app = comment.performed_via_github_app
    return EventComment(
        id=comment.id,
        author="ghost" if comment.user is None else comment.user.login,
        author_association=comment.author_association,
        body=comment.body or "",
        via_app=None if app is None else app.slug or "unknown",
        created_at=comment.created_at.astimezone(UTC),
        updated_at=comment.updated_at.astimezone(UTC),
    )


def _previous_body(changes: _Changes | None, comment: EventComment) -> str:
    if changes is None or changes.body is None:
        return comment.body  # something else than the text was changed
    return changes.body.text or ""
