"""The parts that webhooks' payloads have in common, and how one is read."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json, to_json

from bot.errors import MalformedPayload
from bot.model.repository import Repo


class Payload(BaseModel):
    """An object of a payload: the fields that we use, of exactly their types.

    A field without a default is one that the event means nothing without. Where another is null, as
    GitHub has it of accounts and objects that are gone, it is as good as missing.
    """

    model_config = ConfigDict(strict=True, extra="ignore")


class GitHubAccount(Payload):
    """Whose something is."""

    login: str = ""
    type: str = "User"


class Actor(GitHubAccount):
    """Who did something."""

    login: str


class App(Payload):
    """An App, as objects that it made name it."""

    slug: str | None = None


class Repository(Payload):
    """Where it happened."""

    id: int
    full_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")]


class Installation(Payload):
    """Of the App there."""

    id: int


Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
"""A commit, in SHA-1 or SHA-256."""

WANTS_CHANGES, COMMENTS = "changes_requested", "commented"
"""States of reviews."""

BRANCHES = "refs/heads/"
"""Before the name of a branch, where a ref is told."""

P = TypeVar("P", bound=Payload)


class Where(Payload):
    """Where something happened."""

    repository: Repository
    installation: Installation

    @property
    def repo(self) -> Repo:
        """The repository, and how it is reached."""
        return Repo(self.repository.full_name, self.installation.id, self.repository.id)


class Done(Where):
    """Where somebody did something."""

    sender: Actor


class Commit(Payload):
    """One of those that were pushed."""

    message: str = ""


def read(kind: type[P], name: str, payload: bytes) -> P:
    """Return a webhook's body as `kind`.

    Args:
        kind: What it should be.
        name: `X-GitHub-Event`, for the sentence.
        payload: The body.

    Raises:
        MalformedPayload: When a field is missing or of another type.
    """
    with contextlib.suppress(ValidationError):
        return kind.model_validate_json(payload)
    try:
        return kind.model_validate_json(to_json(_without_nulls(from_json(payload))))
    except ValueError as error:
        if not isinstance(error, ValidationError):
            raise MalformedPayload(
                f"The {name} webhook could not be read: it is not JSON."
            ) from None
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the payload"
        what = first["msg"].removeprefix("Input ").removeprefix("String ")
        problem = f"The {name} webhook could not be read: {place}: {what}."
    # Outside `except`: the payload is a stranger's text and belongs in no traceback.
    raise MalformedPayload(problem)


def _without_nulls(value: object) -> object:
    """Return JSON without the fields that are null; `from_json` limits how deep it is."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def seen_id(comment: int, at: datetime) -> str:
    """Return the id of the delivery that stands in for one that never came.

    Args:
        comment: Id of the comment.
        at: When it was written or edited, UTC.
    """
    return f"{seen_ids(comment)}{round(at.timestamp())}"


def seen_ids(comment: int) -> str:
    """Return what all such ids of a comment begin with."""
    return f"seen-{comment}-"


def seen_at(delivery: str) -> datetime:
    """Return the moment in such an id."""
    return datetime.fromtimestamp(int(delivery.rpartition("-")[2]), UTC)


SAME = timedelta(seconds=2)
"""Two of GitHub's APIs may tell of one change with times that differ by so much."""
