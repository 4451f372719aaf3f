"""Read the webhooks about checks: one failed, or a button was pressed.

Fields: https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.github.check_values import FAILURES
from bot.intake.payloads import App, Done, Payload, Sha, Where, read
from bot.intake.pull_events import LEFT, MERGE_GROUP, OFFERED, READERS, PullEvent
from bot.intake.webhook_head import COMPLETED, Peek
from bot.model.repository import Repo

BUTTONS = ("requested_action", "rerequested")


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
        check_run: Its id.
        sha: The commit.
        branch: Of its check suite, "" where the event does not say.
        external_id: Of the check run: ours is the run's id.
        button: Identifier of the button.
    """

    repo: Repo
    sender: str
    app: str
    check_run: int
    sha: str
    branch: str
    external_id: str
    button: str


CheckEvent = ChecksFailed | ButtonPressed | PullEvent


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


class _Completed(Where):
    check_run: _Object | None = None
    check_suite: _Object | None = None
    workflow_job: _Object | None = None
    workflow_run: _Object | None = None


class _CheckRun(_Object):
    id: int


class _Pressed(Done):
    check_run: _CheckRun
    requested_action: _Button | None = None


class _Status(Where):
    sha: Sha


def is_about_checks(name: str, action: str | None, outcome: str | None) -> bool:
    """Return whether a webhook is one of these; an `outcome` of None is not known."""
    failed = outcome is None or outcome in FAILURES
    if name == "status":
        return failed
    if name == MERGE_GROUP:
        return action in {"checks_requested", "destroyed"}
    if name in COMPLETED and action == "completed":
        return failed
    pressed = name == "check_run" and action in BUTTONS
    about_pulls = {"labeled", "reopened", *LEFT, *OFFERED}
    return pressed or (name == "pull_request" and action in about_pulls)


def parse_check_event(name: str, action: str | None, payload: bytes) -> CheckEvent | None:
    """Return the event in a webhook that `is_about_checks`; None when nothing failed.

    Raises:
        MalformedPayload: When a field that the event has is missing or of another type.
    """
    if name == "check_run" and action in BUTTONS:
        return _pressed(read(_Pressed, name, payload))
    if name in READERS:
        return READERS[name](payload)
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


def _pressed(pressed: _Pressed) -> ButtonPressed:
    run, button = pressed.check_run, pressed.requested_action
    return ButtonPressed(
        repo=pressed.repo,
        sender=pressed.sender.login,
        app=_app(run),
        check_run=run.id,
        sha=run.head_sha,
        branch=run.branch,
        external_id=run.external_id or "",
        # GitHub's own `Re-run` is our `Retry`.
        button="retry" if button is None else button.identifier,
    )


def _app(about: _Object) -> str:
    return (about.app.slug if about.app is not None else None) or ""
