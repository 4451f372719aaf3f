"""Read the webhooks of reviews: somebody wrote at lines of a pull request, or about all of it.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_comment
and #pull_request_review
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

from pydantic import AwareDatetime

from bot.intake.comment_values import CommentCreated, EventComment, Sender, Thread
from bot.intake.payloads import (
    COMMENTS,
    WANTS_CHANGES,
    App,
    Done,
    GitHubAccount,
    Payload,
    read,
)
from bot.model.repository import Repo

ACTIONS = {"pull_request_review_comment": "created", "pull_request_review": "submitted"}
"""Events that are read, and the action of each."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Somebody said something in a review.

    Attributes:
        said: The same as a comment on the pull request.
        review: Id of the review that requests changes, or comments; None for a remark in one, and for
            one that approves.
        wants_changes: Whether it requests changes.
    """

    said: CommentCreated
    review: int | None = None
    wants_changes: bool = False

    @property
    def repo(self) -> Repo:
        """Where."""
        return self.said.repo


class _Pull(Payload):
    number: int
    title: str = ""
    state: str = ""
    locked: bool = False
    user: GitHubAccount | None = None


class _Said(Payload):
    id: int
    body: str | None = None
    user: GitHubAccount | None = None
    author_association: str = "NONE"
    html_url: str = ""
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime | None = None
    submitted_at: AwareDatetime | None = None
    in_reply_to_id: int | None = None
    state: str = ""
    performed_via_github_app: App | None = None


class _Review(Done):
    pull_request: _Pull
    comment: _Said | None = None
    review: _Said | None = None


def parse_review(name: str, payload: bytes) -> Reviewed | None:
    """Return what somebody said in a review; None for one without a date.

    Raises:
        MalformedPayload: When a field that the event has is missing or of another type.
    """
    event = read(_Review, name, payload)
    said, pull = event.comment or event.review, event.pull_request
    at = None if said is None else said.updated_at or said.submitted_at or said.created_at
    if said is None or at is None:
        return None
    app = said.performed_via_github_app
    created = CommentCreated(
        repo=event.repo,
        thread=Thread(
            pull.number,
            is_pull_request=True,
            title=pull.title,
            is_open=pull.state != "closed",
            locked=pull.locked,
            author="ghost" if pull.user is None else pull.user.login,
        ),
        sender=Sender(event.sender.login, is_bot=event.sender.type == "Bot"),
        comment=EventComment(
            id=said.id,
            author="ghost" if said.user is None else said.user.login,
            author_association=said.author_association,
            body=said.body or "",
            via_app=None if app is None else app.slug or "unknown",
            created_at=(said.created_at or at).astimezone(UTC),
            updated_at=at.astimezone(UTC),
            url=said.html_url,
            in_review=True,
            answers=said.in_reply_to_id,
            remarks=() if event.comment is None else (event.comment.id,),
        ),
    )
    state = "" if event.review is None else event.review.state
    review = said.id if state in {WANTS_CHANGES, COMMENTS} else None
    return Reviewed(created, review, wants_changes=state == WANTS_CHANGES)
