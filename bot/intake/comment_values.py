"""What is known of a comment that was written or edited."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.model.repository import Repo


@dataclass(frozen=True, slots=True)
class Sender:
    """Who caused the event: for an edit the editor, who need not be the comment's author."""

    login: str
    is_bot: bool


@dataclass(frozen=True, slots=True)
class Thread:
    """The issue or pull request that a comment belongs to; `author` is the login of who opened it."""

    number: int
    is_pull_request: bool
    title: str
    is_open: bool
    locked: bool
    author: str = ""


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
        url: Where a person reads it, or "".
        in_review: It was said in a review, and its id is one of those.
        answers: Id of the review comment that it answers, or None.
        remarks: Ids of the review comments that it consists of: its own, or those of the review.
    """

    id: int
    author: str
    author_association: str
    body: str
    via_app: str | None
    created_at: datetime
    updated_at: datetime
    url: str = ""
    in_review: bool = False
    answers: int | None = None
    remarks: tuple[int, ...] = ()


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


CommentEvent = CommentCreated | CommentEdited
