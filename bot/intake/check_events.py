"""Read the webhooks about checks: one failed, a button was pressed, a pull request changed.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.github.check_values import FAILURES
from bot.intake.payloads import App, GitHubAccount, Installation, Payload, Repository, Sha, read
from bot.intake.reverts import reverted_by
from bot.model.repository import Repo

COMPLETED = ("check_run", "check_suite", "workflow_job", "workflow_run")
"""Events whose `completed` tells how something ended; each has an object of the same name."""

BUTTONS = ("requested_action", "rerequested")

LEFT = ("synchronize", "closed")
"""Actions on a pull request after which its head is no longer what people work on."""


@dataclass(frozen=True, slots=True)
class ChecksFailed:
    """Something on a commit failed.

    Attributes:
        repo: Where.
        sha: The commit.
        branch: That has it as its head; "" where the event does not say.
        by: Slug of the App whose check it is; "" where the event does not say.
    """

    repo: Repo
    sha: str
    branch: str
    by: str


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A person pressed a button of a check run.

    Attributes:
        repo: Where.
        sender: Login of the person.
        app: Slug of the App whose check run it is.
        sha: The commit.
        branch: Of its check suite, "" where the event does not say.
        external_id: Of the check run: ours is the run's id.
        button: Identifier of the button.
    """

    repo: Repo
    sender: str
    app: str
    sha: str
    branch: str
    external_id: str
    button: str


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


CheckEvent = ChecksFailed | ButtonPressed | LabelAdded | HeadLeft | CommitsReverted


class _Outcome(Payload):
    conclusion: str | None = None


class _Said(Payload):
    body: str | None = None
    state: str | None = None


class _Commit(Payload):
    message: str = ""


class Peek(Payload):
    """As much of a payload as it takes to know whether it is worth keeping."""

    action: str | None = None
    state: str | None = None
    check_run: _Outcome | None = None
    check_suite: _Outcome | None = None
    workflow_job: _Outcome | None = None
    workflow_run: _Outcome | None = None
    comment: _Said | None = None
    review: _Said | None = None
    commits: list[_Commit] | None = None

    @property
    def says(self) -> str | None:
        """What the comment, review or commits say that it speaks of; None without any."""
        if self.commits is not None:
            return "\n".join(one.message for one in self.commits)
        said = self.comment or self.review
        return None if said is None else said.body or ""

    def outcome(self, name: str) -> str | None:
        """Return how the event's own object ended; None where the event tells no such thing."""
        if name == "status":
            return self.state
        if name == "pull_request_review":  # the only outcome that counts without a word
            wants = self.review is not None and self.review.state == "changes_requested"
            return "changes_requested" if wants else None
        about = getattr(self, name) if name in COMPLETED else None
        return about.conclusion if isinstance(about, _Outcome) else None


class _Suite(Payload):
    head_branch: str | None = None


class _Object(Payload):
    """A check run, check suite, workflow run or workflow job."""

    head_sha: Sha
    head_branch: str | None = None
    external_id: str | None = None
    app: App | None = None
    check_suite: _Suite | None = None

    @property
    def branch(self) -> str:
        suite = self.check_suite
        return self.head_branch or (suite.head_branch if suite else None) or ""


class _Button(Payload):
    identifier: str


class _Where(Payload):
    repository: Repository
    installation: Installation
    sender: GitHubAccount

    @property
    def repo(self) -> Repo:
        return Repo(self.repository.full_name, self.installation.id)


class _Completed(_Where):
    check_run: _Object | None = None
    check_suite: _Object | None = None
    workflow_job: _Object | None = None
    workflow_run: _Object | None = None


class _Pressed(_Where):
    check_run: _Object
    requested_action: _Button | None = None


class _Status(_Where):
    sha: Sha


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


class _Push(_Where):
    ref: str
    repository: _Default
    commits: list[_Commit]


class _Label(Payload):
    name: str


class _Changed(_Where):
    action: str
    pull_request: _Pull
    label: _Label | None = None


def is_about_checks(name: str, action: str | None, outcome: str | None) -> bool:
    """Return whether a webhook is one of these; an `outcome` of None is not known."""
    failed = outcome is None or outcome in FAILURES
    if name == "status":
        return failed
    if name in COMPLETED and action == "completed":
        return failed
    pressed = name == "check_run" and action in BUTTONS
    return pressed or (name == "pull_request" and action in {"labeled", *LEFT})


def parse_check_event(name: str, action: str | None, payload: bytes) -> CheckEvent | None:
    """Return the event in a webhook that `is_about_checks`; None when nothing failed.

    Raises:
        MalformedPayload: When a field that the event has is missing or of another type.
    """
    if name == "check_run" and action in BUTTONS:
        return _pressed(read(_Pressed, name, payload))
    if name in _READERS:
        return _READERS[name](payload)
    if not is_about_checks(name, action, read(Peek, name, payload).outcome(name) or ""):
        return None
    if name == "status":
        status = read(_Status, name, payload)
        return ChecksFailed(status.repo, status.sha, "", "")
    completed = read(_Completed, name, payload)
    about = getattr(completed, name)
    if not isinstance(about, _Object):
        return None
    return ChecksFailed(completed.repo, about.head_sha, about.branch, _app(about))


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


_READERS: Mapping[str, Callable[[bytes], CheckEvent | None]] = MappingProxyType(
    {"push": _reverts, "pull_request": _changed}
)


def _pressed(pressed: _Pressed) -> ButtonPressed:
    run, button = pressed.check_run, pressed.requested_action
    return ButtonPressed(
        repo=pressed.repo,
        sender=pressed.sender.login,
        app=_app(run),
        sha=run.head_sha,
        branch=run.branch,
        external_id=run.external_id or "",
        # GitHub's own `Re-run` is our `Retry`.
        button="retry" if button is None else button.identifier,
    )


def _app(about: _Object) -> str:
    return (about.app.slug if about.app is not None else None) or ""
