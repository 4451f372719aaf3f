"""Turn a webhook's payload into an event: a frozen value with only the fields that we use.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

from pydantic import AwareDatetime, Field

from bot.intake.check_events import CheckEvent, is_about_checks, parse_check_event
from bot.intake.command_word import WORD
from bot.intake.comment_values import (
    CommentCreated,
    CommentEdited,
    CommentEvent,
    EventComment,
    Sender,
    Thread,
)
from bot.intake.onboarding import Installed
from bot.intake.payloads import (
    App,
    Done,
    GitHubAccount,
    Installation,
    Payload,
    Repository,
    Where,
    read,
)
from bot.intake.reverts import WORD as REVERTS
from bot.intake.review_events import ACTIONS, Reviewed, parse_review
from bot.intake.webhook_head import Peek
from bot.model.repository import Repo


@dataclass(frozen=True, slots=True)
class Pinged:
    """GitHub tried whether the webhook works."""


@dataclass(frozen=True, slots=True)
class RepositoryRenamed:
    """A repository has another name or owner now, that of `repo`."""

    repo: Repo


@dataclass(frozen=True, slots=True)
class Unhandled:
    """An event that means nothing to us."""

    name: str
    action: str | None


Event = CommentEvent | CheckEvent | Reviewed | RepositoryRenamed | Installed | Pinged | Unhandled

INSTALLED = {"installation": "created", "installation_repositories": "added"}
"""Events after which the App may see more repositories, and the action of each."""

RENAMED = ("renamed", "transferred")
"""Actions on a repository after which it has another name or owner."""


class _Installation(Payload):
    installation: Installation
    # Of `installation` and `installation_repositories`.
    repositories: list[Repository] = []  # noqa: RUF012 - pydantic copies it
    repositories_added: list[Repository] = []  # noqa: RUF012

    @property
    def event(self) -> Installed:
        """What it tells."""
        found = (*self.repositories, *self.repositories_added)
        return Installed(
            tuple(Repo(item.full_name, self.installation.id, item.id) for item in found)
        )


class _Issue(Payload):
    number: int
    title: str = ""
    state: str = ""
    locked: bool = False
    user: GitHubAccount | None = None
    # An object for a pull request; an issue lacks it.
    pull_request: dict[str, object] | None = None


class _Comment(Payload):
    id: int
    body: str | None = None
    # Null when the account was deleted.
    user: GitHubAccount | None = None
    author_association: str = "NONE"
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime
    performed_via_github_app: App | None = None
    html_url: str = ""


class _Previous(Payload):
    # `from` in the payload; absent when the body was empty before.
    text: str | None = Field(None, alias="from")


class _Changes(Payload):
    body: _Previous | None = None


class _IssueComment(Done):
    action: str
    issue: _Issue
    comment: _Comment
    changes: _Changes | None = None


def is_handled(
    name: str, action: str | None, outcome: str | None = None, says: str | None = None
) -> bool:
    """Return whether a webhook is worth keeping. Most comments hold no command, and are not.

    Those on a bot's pull request are: it may be ours, and they may be meant for us.

    Args:
        name: `X-GitHub-Event`.
        action: Of the payload.
        outcome: How the check that it speaks of ended, or what else `Peek.outcome` tells; None when
            that is not known.
        says: The text of the comment that it speaks of, or the messages of the commits; None when
            that is not known.
    """
    if name == "issue_comment":
        holds_command = says is None or WORD in says.lower()
        return action in {"created", "edited"} and (holds_command or bool(outcome))
    if name == "repository":
        return action in RENAMED
    if name in INSTALLED:
        return action == INSTALLED[name]
    if name == "push":
        return says is None or REVERTS in says.lower()
    if name in ACTIONS:
        return action == ACTIONS[name] and (says is None or bool(says.strip()) or bool(outcome))
    return is_about_checks(name, action, outcome)


def peek(name: str, payload: bytes) -> Peek:
    """Return as much of a payload as `is_handled` asks for.

    Raises:
        MalformedPayload: When the payload is not a JSON object.
    """
    return read(Peek, name, payload)


def parse_event(name: str, payload: bytes) -> Event:  # noqa: PLR0911 - one for each kind
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
    if name in ACTIONS:
        return parse_review(name, payload) or Unhandled(name, action)
    if name in INSTALLED:
        return read(_Installation, name, payload).event
    if name == "repository":
        return RepositoryRenamed(read(Where, name, payload).repo)
    if name != "issue_comment":
        return parse_check_event(name, action, payload) or Unhandled(name, action)
    return _comment_event(read(_IssueComment, name, payload))


def _comment_event(payload: _IssueComment) -> CommentEvent:
    sender = Sender(payload.sender.login, is_bot=payload.sender.type == "Bot")
    thread = _thread(payload.issue)
    comment = _comment(payload.comment)
    if payload.action == "created":
        return CommentCreated(payload.repo, thread, sender, comment)
    before = _previous_body(payload.changes, comment)
    return CommentEdited(payload.repo, thread, sender, comment, before)


def _thread(issue: _Issue) -> Thread:
    return Thread(
        number=issue.number,
        is_pull_request=issue.pull_request is not None,
        title=issue.title,
        is_open=issue.state != "closed",
        locked=issue.locked,
        author="" if issue.user is None else issue.user.login,
    )


def _comment(comment: _Comment) -> EventComment:
    app = comment.performed_via_github_app
    return EventComment(
        id=comment.id,
        author="ghost" if comment.user is None else comment.user.login,
        author_association=comment.author_association,
        body=comment.body or "",
        via_app=None if app is None else app.slug or "unknown",
        created_at=(comment.created_at or comment.updated_at).astimezone(UTC),
        updated_at=comment.updated_at.astimezone(UTC),
        url=comment.html_url,
    )


def _previous_body(changes: _Changes | None, comment: EventComment) -> str:
    if changes is None or changes.body is None:
        return comment.body  # something else than the text was changed
    return changes.body.text or ""
