"""Read GitHub's JSON into the values that we use."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.github.values import (
    AppIdentity,
    Comparison,
    DeliveryAttempt,
    Issue,
    IssueComment,
    Permission,
    PullRequest,
    RepositoryFacts,
)

GHOST = "ghost"
"""Whom GitHub shows where an account was deleted (`user` is null)."""

_KIB = 1024
"""Bytes of the unit in which GitHub tells a repository's size."""

Json = Mapping[str, Any]


def login(user: Json | None) -> str:
    """Return the account's name."""
    return user["login"] if user else GHOST


def identity(app: Json) -> AppIdentity:
    """Read `GET /app`. An enterprise that owns an App has a slug and no login."""
    owner = app["owner"]
    return AppIdentity(
        slug=app["slug"],
        bot_login=f"{app['slug']}[bot]",
        owner=owner.get("login") or owner.get("slug") or GHOST,
    )


def facts(repository: Json) -> RepositoryFacts:
    """Read a repository."""
    return RepositoryFacts(
        full_name=repository["full_name"],
        default_branch=repository["default_branch"],
        private=repository["private"],
        archived=repository["archived"],
        size=repository["size"] * _KIB,
    )


def permission(answer: Json) -> Permission:
    """Read a collaborator's permission.

    `permission` knows only admin, write, read and none; `role_name` also maintain and triage, but
    may be a custom role of the organisation, which counts as the `permission` it builds on.
    """
    try:
        return Permission(answer["role_name"])
    except ValueError:
        return Permission(answer["permission"])


def comment(answer: Json) -> IssueComment:
    """Read a comment of an issue or pull request that nobody edited."""
    author = login(answer["user"])
    return IssueComment(
        id=answer["id"],
        author=author,
        author_association=answer["author_association"],
        body=answer["body"] or "",
        written_by=author,
        written_at=datetime.fromisoformat(answer["created_at"]),
    )


def issue(answer: Json, comments: Sequence[IssueComment]) -> Issue:
    """Read an issue, or a pull request as the issues API shows it, whose body nobody edited."""
    author = login(answer["user"])
    return Issue(
        number=answer["number"],
        title=answer["title"],
        body=answer["body"] or "",
        author=author,
        is_pull_request="pull_request" in answer,
        url=answer["html_url"],
        written_by=author,
        written_at=datetime.fromisoformat(answer["created_at"]),
        comments=tuple(comments),
    )


def pull_request(answer: Json) -> PullRequest:
    """Read a pull request, whole or as lists show it."""
    head, base = answer["head"], answer["base"]
    head_repository = head["repo"]["full_name"] if head["repo"] else None
    return PullRequest(
        number=answer["number"],
        title=answer["title"],
        url=answer["html_url"],
        state=answer["state"],
        draft=answer["draft"],
        head_ref=head["ref"],
        head_sha=head["sha"],
        head_repository=head_repository,
        base_ref=base["ref"],
        is_fork=not head["repo"] or head["repo"]["id"] != base["repo"]["id"],
        maintainer_can_modify=bool(
            answer.get("maintainer_can_modify") and (head["repo"] or {}).get("fork")
        ),
        author=login(answer["user"]),
        by_bot=bool(answer["user"]) and answer["user"]["type"] == "Bot",
        labels=tuple(label["name"] for label in answer["labels"]),
        merged=answer.get("merged_at") is not None,
        merge_commit=answer.get("merge_commit_sha") or "",
        mergeable=answer.get("mergeable"),
        body=answer.get("body") or "",
    )


def comparison(answer: Json) -> Comparison:
    """Read the comparison of two commits, of which GitHub lists the first 250."""
    listed, changed = answer["commits"], answer.get("files") or ()
    named = (item.get(key) for item in changed for key in ("filename", "previous_filename"))
    return Comparison(
        parted=answer["merge_base_commit"]["sha"],
        authors=frozenset(login(commit["author"]) for commit in listed),
        complete=len(listed) == answer["total_commits"],
        files=tuple(filter(None, named)),
    )


def delivery(answer: Json) -> DeliveryAttempt:
    """Read one entry of the App's list of deliveries."""
    return DeliveryAttempt(
        id=answer["id"],
        guid=answer["guid"],
        event=answer["event"],
        action=answer["action"],
        delivered_at=datetime.fromisoformat(answer["delivered_at"]),
        status_code=answer["status_code"],
    )


def decoded(blob: Json) -> bytes:
    """Return the bytes of a file or blob whose `encoding` is base64."""
    return base64.b64decode(blob["content"])
