"""A merge queue of the stand-in: its branches, their commits, and the webhooks that tell of them.

https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.fakes.github.events import context
from tests.fakes.github.model import Event, Issue
from tests.fakes.github.state import GitHubState
from tests.fakes.github.views import Json, Views


@dataclass(frozen=True, slots=True)
class QueuedPull:
    """A pull request in the queue: its branch, the commit with it, and the one that it was added to."""

    issue: Issue
    branch: str
    head: str
    parent: str


def enqueue(
    state: GitHubState, issue: Issue, behind: QueuedPull | None = None, *, method: str = "squash"
) -> QueuedPull:
    """Add a pull request to the queue of its base: to the base, or to the entry before it."""
    assert issue.pull is not None
    git, base = issue.repo.git, issue.pull.base_ref
    parent = behind.head if behind is not None else git.resolve(base)
    pull_head = git.reference(f"refs/pull/{issue.number}/head")
    assert parent is not None
    assert pull_head is not None
    tree = git.text("merge-tree", "--write-tree", parent, pull_head)
    who = state.signature(issue.author)
    parents = [parent, pull_head] if method == "merge" else [parent]
    head = git.write_commit(tree, parents, f"{issue.title} (#{issue.number})", who, who)
    branch = f"gh-readonly-queue/{base}/pr-{issue.number}-{parent}"
    git.set_reference(f"refs/heads/{branch}", head)
    return QueuedPull(issue, branch, head, parent)


def merge_group_event(
    views: Views,
    queued: QueuedPull,
    action: Literal["checks_requested", "destroyed"] = "checks_requested",
    reason: Literal["merged", "invalidated", "dequeued"] | None = None,
) -> Event:
    """Return `merge_group`."""
    repo = queued.issue.repo
    assert queued.issue.pull is not None
    commit = repo.git.commit(queued.head)
    who = {"name": commit.author.name, "email": commit.author.email}
    payload: Json = {
        "action": action,
        "merge_group": {
            "head_sha": queued.head,
            "head_ref": f"refs/heads/{queued.branch}",
            "base_sha": queued.parent,
            "base_ref": f"refs/heads/{queued.issue.pull.base_ref}",
            "head_commit": {
                "id": commit.sha,
                "tree_id": commit.tree,
                "message": commit.message,
                "timestamp": commit.author.when.isoformat(),
                "author": who,
                "committer": who,
            },
        },
        **context(views, repo, repo.owner),
    }
    if reason is not None:
        payload["reason"] = reason
    return Event("merge_group", payload)
