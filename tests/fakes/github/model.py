"""The things that GitHub knows of: accounts, repositories, conversations, the App's tokens."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.github.ci_model import CommitStatus, WorkflowRun
from tests.fakes.github.repository import BareRepository

Role = Literal["admin", "maintain", "write", "triage", "read", "none"]

GRANTED: Mapping[str, str] = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}
EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "pull_request",
    "status",
    "workflow_job",
    "workflow_run",
)
TOKEN_LIFE = timedelta(hours=1)
USER_TOKEN_LIFE = timedelta(hours=8)


@functools.cache
def private_key() -> rsa.RSAPrivateKey:
    """Return the App's key; making one takes a tenth of a second, so a process makes one."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass(slots=True, eq=False)
class Account:
    """A user, organisation or bot."""

    id: int
    login: str
    kind: Literal["User", "Organization", "Bot"] = "User"


@dataclass(slots=True, eq=False)
class Reaction:
    """One account's reaction."""

    id: int
    user: Account
    content: str
    created_at: datetime


@dataclass(slots=True, eq=False)
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(slots=True, eq=False)
class Comment:
    """A comment of an issue or pull request."""

    id: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    by_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    """Earlier bodies, oldest first."""
    editor: Account | None = None
    """Who edited it last; None also where that account was deleted."""
    edited_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Branches:
    """What makes an issue a pull request.

    `head_repo` is None when the fork was deleted, `merge_commit` before it was merged. `threads` are
    of review comments. `tested` are the head and base of the last test merge.
    """

    id: int
    head_repo: Repository | None
    head_ref: str
    base_ref: str
    draft: bool
    maintainer_can_modify: bool
    reviews: list[Review] = field(default_factory=list)
    merge_commit: str | None = None
    threads: list[ReviewThread] = field(default_factory=list)
    tested: tuple[str, str] | None = None
    reviewers: list[Account] = field(default_factory=list)
    """Whose review is requested."""

    @property
    def remarks(self) -> list[dict[str, Any]]:
        """All review comments, oldest first."""
        said = (comment for thread in self.threads for comment in thread.comments)
        return sorted(said, key=lambda comment: comment["id"])

    def thread_of(self, comment: int) -> ReviewThread | None:
        """Return the thread that a review comment belongs to."""
        return next(
            (
                thread
                for thread in self.threads
                if any(said["id"] == comment for said in thread.comments)
            ),
            None,
        )


@dataclass(slots=True, eq=False)
class ReviewThread:
    """What was said at one place; `comments` are as the API shows them, oldest first."""

    id: int
    path: str
    comments: list[dict[str, Any]]
    resolved: bool = False
    edits: dict[int, tuple[Account | None, datetime]] = field(default_factory=dict)
    """By a comment's id who edited it last, and when."""


@dataclass(slots=True, eq=False)
class Review:
    """Remarks at a pull request; `comments` are what came, each at shown lines."""

    id: int
    author: Account
    commit: str
    body: str
    comments: list[dict[str, Any]]
    submitted_at: datetime


@dataclass(slots=True, eq=False)
class Issue:
    """An issue; with `pull` a pull request."""

    id: int
    repo: Repository
    number: int
    title: str
    body: str | None
    author: Account
    created_at: datetime
    updated_at: datetime
    by_app: bool = False
    state: Literal["open", "closed"] = "open"
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    pull: Branches | None = None
    editor: Account | None = None
    edited_at: datetime | None = None


@dataclass(slots=True, eq=False)
class CheckRun:
    """A check run; `fields` are what was sent, `annotations` what came together.

    `app` is the slug of the App that made it, "" for our own; `suite_id` 0 is one of its own.
    """

    id: int
    head_sha: str
    fields: dict[str, Any]
    annotations: list[dict[str, Any]] = field(default_factory=list)
    started_at: datetime | None = None
    completed_at: datetime | None = None
    app: str = ""
    suite_id: int = 0


@dataclass(slots=True, eq=False)
class Repository:
    """A repository and what hangs on it.

    Attributes:
        drafts: Whether the plan allows draft pull requests.
        protected: Branches nobody moves.
        size: In KiB, as GitHub counts it now and then.
        lfs: The objects in Git LFS by id, and where they are; "" stands for GitHub's storage.
    """

    id: int
    owner: Account
    name: str
    git: BareRepository
    default_branch: str
    created_at: datetime
    private: bool = False
    archived: bool = False
    drafts: bool = True
    parent: Repository | None = None
    roles: dict[str, Role] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    workflow_runs: dict[int, WorkflowRun] = field(default_factory=dict)
    statuses: list[CommitStatus] = field(default_factory=list)
    protected: set[str] = field(default_factory=set)
    size: int = 1
    lfs: dict[str, str] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    def role(self, account: Account) -> Role:
        """Return what an account may do here."""
        if account is self.owner:
            return "admin"
        return self.roles.get(account.login, "none" if self.private else "read")

    def explicit(self, account: Account) -> bool:
        """Whether an account may see this for another reason than that everybody may."""
        return account is self.owner or self.roles.get(account.login, "none") != "none"

    def pulls(self) -> list[Issue]:
        """Return pull requests, newest first."""
        return [issue for issue in reversed(self.issues.values()) if issue.pull is not None]


@dataclass(slots=True, eq=False)
class Installation:
    """The App on an account. `selected` None means all repositories."""

    id: int
    account: Account
    permissions: dict[str, str]
    created_at: datetime
    selected: list[Repository] | None = None
    suspended: bool = False

    def covers(self, repo: Repository) -> bool:
        """Whether the installation includes the repository."""
        return repo.owner is self.account and (self.selected is None or repo in self.selected)


@dataclass(slots=True, eq=False)
class Token:
    """An installation token. `repositories` None means all that the installation covers."""

    value: str
    installation: Installation
    permissions: dict[str, str]
    repositories: list[Repository] | None
    expires_at: datetime
    revoked: bool = False

    def covers(self, repo: Repository) -> bool:
        """Whether the token reaches the repository."""
        return self.installation.covers(repo) and (
            self.repositories is None or repo in self.repositories
        )


@dataclass(frozen=True, slots=True)
class Grant:
    """What a person allowed the App, as a code that can be turned into a token once."""

    account: Account
    redirect_uri: str
    challenge: str
    expires_at: datetime


@dataclass(slots=True, eq=False)
class UserToken:
    """A token with which the App is a person: it sees what both of them see."""

    value: str
    account: Account
    expires_at: datetime
    revoked: bool = False


@dataclass(slots=True, eq=False)
class App:
    """The App itself. Without `callback_urls`, people may be sent back to any address."""

    id: int
    client_id: str
    slug: str
    owner: Account
    bot: Account
    webhook_secret: str
    created_at: datetime
    client_secret: str = field(default_factory=lambda: secrets.token_hex(20))
    callback_urls: list[str] = field(default_factory=list)

    @property
    def private_key(self) -> str:
        """PEM, as the App's settings page hands it out."""
        return (
            private_key()
            .private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.TraditionalOpenSSL,
                serialization.NoEncryption(),
            )
            .decode()
        )


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call that was answered; `route` is the path as GitHub documents it."""

    method: str
    route: str
    path: str
    status: int
    request: Any
    response: Any


@dataclass(slots=True, eq=False)
class Delivery:
    """One attempt to deliver a webhook."""

    id: int
    guid: str
    event: str
    payload: dict[str, Any]
    delivered_at: datetime
    status_code: int
    redelivery: bool
    duration: float


@dataclass(frozen=True, slots=True)
class Event:
    """A webhook to deliver."""

    name: str
    payload: dict[str, Any]
