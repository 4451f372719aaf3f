"""Read the webhooks about pull requests and pushes: a label, a new head, an end, a revert.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.intake.payloads import Commit, Payload, Repository, Sha, Where, read
from bot.intake.reverts import reverted_by
from bot.model.repository import Repo

LEFT = ("synchronize", "closed")
"""Actions on a pull request after which its head is no longer what people work on."""


@dataclass(frozen=True, slots=True)
class LabelAdded:
    """Somebody labelled an open pull request, whose head is `sha`."""

    repo: Repo
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
class CommitsReverted:
    """Commits were pushed to the default branch that say which others they revert."""

    repo: Repo
    commits: tuple[str, ...]


PullEvent = LabelAdded | HeadLeft | CommitsReverted


class _Head(Payload):
    sha: Sha


class _Pull(Payload):
    number: int
    head: _Head
    title: str = ""
    body: str | None = None
    merged: bool = False
    merge_commit_sha: str | None = None


class _Default(Repository):
    default_branch: str


class _Push(Where):
    ref: str
    repository: _Default
    commits: list[Commit]


class _Label(Payload):
    name: str


class _Changed(Where):
    action: str
    pull_request: _Pull
    label: _Label | None = None


def _changed(payload: bytes) -> LabelAdded | HeadLeft:
    changed = read(_Changed, "pull_request", payload)
    pull = changed.pull_request
    if changed.action in LEFT:
        closed = _closed(pull) if changed.action == "closed" else None
        return HeadLeft(changed.repo, pull.number, changed.sender.login, closed)
    label = changed.label.name if changed.label is not None else ""
    return LabelAdded(changed.repo, pull.head.sha, label)


def _closed(pull: _Pull) -> Closed:
    commit = pull.merge_commit_sha if pull.merged else None
    return Closed(commit, pull.title, pull.body or "")


def _reverts(payload: bytes) -> CommitsReverted | None:
    push = read(_Push, "push", payload)
    if push.ref != f"refs/heads/{push.repository.default_branch}":
        return None
    said = "\n".join(one.message for one in push.commits)
    commits = reverted_by(said, push.repository.full_name).commits
    return CommitsReverted(push.repo, commits) if commits else None


READERS: Mapping[str, Callable[[bytes], PullEvent | None]] = MappingProxyType(
    {"push": _reverts, "pull_request": _changed}
)
"""By the names of events; None says that nothing happened that counts."""
