"""Webhook events: the payloads that GitHub sends for what happens in the state."""

from __future__ import annotations

from typing import Literal

from tests.fakes.github.model import Account, Comment, Event, Installation, Issue, Repository
from tests.fakes.github.views import Json, Views, node


def comment_event(
    views: Views,
    issue: Issue,
    comment: Comment,
    action: Literal["created", "edited", "deleted"],
    *,
    sender: Account | None = None,
) -> Event:
    """Return `issue_comment`; an edit says what the text was before."""
    payload: Json = {
        "action": action,
        "issue": views.issue(issue),
        "comment": views.comment(issue, comment),
        **context(views, issue.repo, sender or comment.author),
    }
    if action == "edited":
        payload["changes"] = {"body": {"from": comment.history[-1]}}
    return Event("issue_comment", payload)


def issue_event(
    views: Views, issue: Issue, action: Literal["opened", "closed", "reopened"]
) -> Event:
    """Return `issues`."""
    about = context(views, issue.repo, issue.author)
    return Event("issues", {"action": action, "issue": views.issue(issue), **about})


PullAction = Literal["opened", "closed", "reopened", "synchronize", "edited", "ready_for_review"]


def pull_request_event(views: Views, issue: Issue, action: PullAction) -> Event:
    """Return `pull_request`."""
    assert issue.pull is not None
    payload: Json = {
        "action": action,
        "number": issue.number,
        "pull_request": views.pull(issue, issue.pull),
        **context(views, issue.repo, issue.author),
    }
    if action == "synchronize":
        after = payload["pull_request"]["head"]["sha"]
        payload |= {"before": issue.repo.git.commit(after).parents[0], "after": after}
    if action == "edited":
        payload["changes"] = {"title": {"from": "Before"}}
    return Event("pull_request", payload)


def push_event(views: Views, repo: Repository, branch: str, sender: Account) -> Event:
    """Return `push` of the newest commit of a branch."""
    git = repo.git
    commit = git.commit(git.resolve(branch) or "")
    who = {"name": commit.author.name, "email": commit.author.email}
    page = f"{views.web}/{repo.full_name}/commit/{commit.sha}"
    told: Json = {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.author.when.isoformat(),
        "url": page,
        "author": who,
        "committer": who,
        "added": [],
        "removed": [],
        "modified": [],
    }
    payload: Json = {
        "ref": f"refs/heads/{branch}",
        "before": commit.parents[0],
        "after": commit.sha,
        "created": False,
        "deleted": False,
        "forced": False,
        "base_ref": None,
        "compare": page,
        "commits": [told],
        "head_commit": told,
        "pusher": who,
        **context(views, repo, sender),
    }
    return Event("push", payload)


def installation_event(
    views: Views,
    installation: Installation,
    action: Literal["created", "deleted", "suspend", "unsuspend"],
) -> Event:
    """Return `installation`."""
    covered = [repo for repo in views.state.repositories.values() if installation.covers(repo)]
    payload: Json = {
        "action": action,
        "installation": views.installation(installation),
        "repositories": [_short(repo) for repo in covered],
        "requester": None,
        "sender": views.user(installation.account),
    }
    return Event("installation", payload)


def ping_event(views: Views) -> Event:
    """Return `ping`, which GitHub sends when a webhook is set up."""
    app = views.state.app
    url = f"{views.api}/app/hook"
    hook: Json = {
        "type": "App",
        "id": app.id,
        "name": "web",
        "active": True,
        "events": ["issue_comment"],
        "config": {"content_type": "json", "insecure_ssl": "0", "url": "https://example.com"},
        "updated_at": "2026-01-01T00:00:00Z",
        "created_at": "2026-01-01T00:00:00Z",
        "app_id": app.id,
        "deliveries_url": f"{url}/deliveries",
    }
    return Event("ping", {"zen": "Keep it logically awesome.", "hook_id": app.id, "hook": hook})


def context(views: Views, repo: Repository, sender: Account) -> Json:
    """Return what every payload has: repository, sender and installation."""
    context: Json = {"repository": views.repository(repo), "sender": views.user(sender)}
    installation = views.state.installation_of(repo)
    if installation is not None:
        context["installation"] = {
            "id": installation.id,
            "node_id": node("MDIzOkludGVncmF0aW9u", installation.id),
        }
    return context


def _short(repo: Repository) -> Json:
    return {
        "id": repo.id,
        "node_id": node("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }
