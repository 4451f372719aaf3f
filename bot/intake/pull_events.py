"""Read the webhooks about pull requests, pushes and merge groups: a new one, a label, a new head, an end or its undoing, a moved base.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.intake.payloads import (
    BRANCHES,
    Commit,
    GitHubAccount,
    Payload,
    Repository,
    Sha,
    Where,
    read,
)
from bot.intake.reverts import reverted_by
from bot.model.repository import Repo

LEFT = ("synchronize", "closed")
"""Actions on a pull request after which its head is no longer what people work on."""


MERGE_GROUP = "merge_group"
"""https://docs.github.com/en/webhooks/webhook-events-and-payloads#merge_group"""

OFFERED = ("opened", "edited", "ready_for_review")
"""Actions after which a pull request may be one that is to be proved."""


@dataclass(frozen=True, slots=True)
class PullOffered:
    """A pull request was opened, described anew, or is no draft any more.

    Attributes:
        repo: Where.
        number: Of it.
        retargeted: Whether it merges into another branch now.
    """

    repo: Repo
    number: int
    retargeted: bool = False


@dataclass(frozen=True, slots=True)
class LabelAdded:
    """Somebody labelled an open pull request, whose head is `sha`."""

    repo: Repo
    number: int
    sha: str
    label: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A pull request was closed.

    Attributes:
        merge_commit: By which it was merged; None when it was not.
        title: Of it.
        body: Of it, untrusted.
    """

    merge_commit: str | None
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class HeadLeft:
    """Somebody pushed to a pull request, or closed it; `by` is the login."""

    repo: Repo
    number: int
    by: str
    closed: Closed | None = None


@dataclass(frozen=True, slots=True)
class Reopened:
    """Somebody opened a closed pull request again."""

    repo: Repo
    number: int


@dataclass(frozen=True, slots=True)
class BranchPushed:
    """Commits were pushed to a branch.

    Attributes:
        repo: Where.
        branch: Its name.
        reverted: Commits that they say they revert, if it is the default branch.
    """

    repo: Repo
    branch: str
    reverted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupQueued:
    """A merge queue added a pull request to those before it, and wants the checks of that.

    Attributes:
        repo: Where.
        branch: That the queue made for it.
        head: Its commit.
        parent: Commit that it was added to.
    """

    repo: Repo
    branch: str
    head: str
    parent: str


@dataclass(frozen=True, slots=True)
class GroupMerged:
    """A merge group, whose head is `head`, was merged."""

    repo: Repo
    head: str


PullEvent = (
    PullOffered | LabelAdded | HeadLeft | Reopened | BranchPushed | GroupQueued | GroupMerged
)


class _Head(Payload):
    sha: Sha | None = None


class _Pull(Payload):
    number: int
    head: _Head | None = None
    title: str = ""
    body: str | None = None
    merged: bool = False
    merge_commit_sha: str | None = None


class _Default(Repository):
    default_branch: str = ""


class _Push(Where):
    ref: str
    deleted: bool = False
    repository: _Default
    commits: tuple[Commit, ...] = ()


class _Label(Payload):
    name: str = ""


class _Changes(Payload):
    # What stood there before; absent for what stayed.
    base: dict[str, object] | None = None


class _Changed(Where):
    action: str
    changes: _Changes | None = None
    pull_request: _Pull
    sender: GitHubAccount | None = None
    label: _Label | None = None


def _changed(payload: bytes) -> PullOffered | LabelAdded | HeadLeft | Reopened | None:
    changed = read(_Changed, "pull_request", payload)
    pull = changed.pull_request
    if changed.action in OFFERED:
        retargeted = changed.changes is not None and changed.changes.base is not None
        return PullOffered(changed.repo, pull.number, retargeted)
    if changed.action in LEFT:
        closed = _closed(pull) if changed.action == "closed" else None
        by = "" if changed.sender is None else changed.sender.login
        return HeadLeft(changed.repo, pull.number, by, closed)
    if changed.action == "reopened":
        return Reopened(changed.repo, pull.number)
    if pull.head is None or pull.head.sha is None:
        return None
    label = changed.label.name if changed.label is not None else ""
    return LabelAdded(changed.repo, pull.number, pull.head.sha, label)


def _closed(pull: _Pull) -> Closed:
    commit = pull.merge_commit_sha if pull.merged else None
    return Closed(commit, pull.title, pull.body or "")


def _pushed(payload: bytes) -> BranchPushed | None:
    push = read(_Push, "push", payload)
    branch = push.ref.removeprefix(BRANCHES)
    if branch == push.ref or push.deleted:
        return None
    if branch != push.repository.default_branch:
        return BranchPushed(push.repo, branch)
    name = push.repository.full_name
    reverted = [sha for commit in push.commits for sha in reverted_by(commit.message, name).commits]
    return BranchPushed(push.repo, branch, tuple(dict.fromkeys(reverted)))


class _Group(Payload):
    head_sha: Sha
    head_ref: str
    base_sha: Sha


class _MergeGroup(Where):
    action: str
    reason: str = ""
    merge_group: _Group


def _grouped(payload: bytes) -> GroupQueued | GroupMerged | None:
    """Return what became of a group; one that is dequeued or made anew is of no use to us."""
    told = read(_MergeGroup, MERGE_GROUP, payload)
    group = told.merge_group
    if told.action == "destroyed":
        return GroupMerged(told.repo, group.head_sha) if told.reason == "merged" else None
    branch = group.head_ref.removeprefix(BRANCHES)
    return GroupQueued(told.repo, branch, group.head_sha, group.base_sha)


READERS: Mapping[str, Callable[[bytes], PullEvent | None]] = MappingProxyType(
    {"push": _pushed, "pull_request": _changed, MERGE_GROUP: _grouped}
)
"""By the names of events; None says that nothing happened that counts."""
