"""Webhooks of what continuous integration did, and of the buttons of our own check runs."""

from __future__ import annotations

from typing import Literal

from tests.fakes.github.ci_model import CheckSuite, CommitStatus, Job, WorkflowRun
from tests.fakes.github.events import context
from tests.fakes.github.model import Account, CheckRun, Event, Issue, Label, Repository
from tests.fakes.github.views import Json, Views


def check_run_event(
    views: Views,
    repo: Repository,
    run: CheckRun,
    action: Literal["completed", "requested_action", "rerequested"] = "completed",
    *,
    sender: Account | None = None,
    button: str | None = None,
) -> Event:
    """Return `check_run`; `button` names the one that somebody pressed."""
    payload: Json = {
        "action": action,
        "check_run": views.check_run(repo, run),
        **context(views, repo, sender or repo.owner),
    }
    if button is not None:
        payload["requested_action"] = {"identifier": button}
    return Event("check_run", payload)


def check_suite_event(views: Views, repo: Repository, suite: CheckSuite) -> Event:
    """Return `check_suite` completed."""
    shown = views.check_suite(repo, suite)
    payload: Json = {
        "action": "completed",
        "check_suite": {name: shown[name] for name in shown if name != "repository"},
        **context(views, repo, repo.owner),
    }
    return Event("check_suite", payload)


def workflow_run_event(views: Views, repo: Repository, run: WorkflowRun) -> Event:
    """Return `workflow_run` completed."""
    payload: Json = {
        "action": "completed",
        "workflow": views.workflow(repo, run),
        "workflow_run": views.workflow_run(repo, run),
        **context(views, repo, repo.owner),
    }
    return Event("workflow_run", payload)


def workflow_job_event(views: Views, repo: Repository, run: WorkflowRun, job: Job) -> Event:
    """Return `workflow_job` completed."""
    payload: Json = {
        "action": "completed",
        "workflow_job": views.job(repo, run, job),
        **context(views, repo, repo.owner),
    }
    return Event("workflow_job", payload)


def status_event(views: Views, repo: Repository, status: CommitStatus) -> Event:
    """Return `status`, which has no action."""
    shown = views.status(repo, status)
    branches = [
        {
            "name": repo.default_branch,
            "commit": {"sha": status.sha, "url": f"{views.repo_url(repo)}/commits/{status.sha}"},
            "protected": False,
        }
    ]
    payload: Json = {
        "id": status.id,
        "sha": status.sha,
        "name": repo.full_name,
        "context": status.context,
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "branches": branches,
        "commit": views.commit(repo, repo.git.commit(status.sha)),
        "created_at": shown["created_at"],
        "updated_at": shown["updated_at"],
        **context(views, repo, repo.owner),
    }
    return Event("status", payload)


def labeled_event(
    views: Views,
    issue: Issue,
    label: Label,
    sender: Account,
    action: Literal["labeled", "unlabeled"],
) -> Event:
    """Return `pull_request` labeled or unlabeled."""
    assert issue.pull is not None
    payload: Json = {
        "action": action,
        "number": issue.number,
        "pull_request": views.pull(issue, issue.pull),
        "label": views.label(issue.repo, label),
        **context(views, issue.repo, sender),
    }
    return Event("pull_request", payload)
