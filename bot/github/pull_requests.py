"""Publish a change as one branch, one commit and one pull request, however often it is asked."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from bot.errors import Conflict
from bot.github import payloads
from bot.github.client import Connection, ensure
from bot.github.commits import write_commit, write_tree
from bot.github.refusals import Gone
from bot.github.values import Publication, Published, PullRequest
from bot.model.repository import Repo

NO_DRAFTS = "draft pull requests are not supported"
"""Part of GitHub's 422 where the plan has no drafts (private repositories of free accounts)."""


async def publish(connection: Connection, repo: Repo, publication: Publication) -> Published:
    """Make sure that branch, commit, pull request and labels are there.

    A crash after any call, followed by a second `publish`, leaves nothing twice.

    Raises:
        Conflict: The branch is there with other content, or there is nothing to merge.
        GitHubError: Likewise for what else GitHub refuses.
    """
    other = replace(publication, branch=publication.otherwise, otherwise="")
    pull = await _find(connection, repo, publication.branch, publication.marker)
    if pull is None:
        try:
            commit = await _ensure_branch(connection, publication)
        except Conflict:
            if not other.branch:
                raise
            return await publish(connection, repo, other)
        pull = await _ensure_pull_request(connection, repo, publication)
    else:
        commit = pull.head_sha
    await _add_labels(connection, pull.number, publication.labels)
    for login in publication.reviewers:
        await _request_review(connection, pull.number, login)
    await _assign(connection, pull.number, publication.assignees)
    return Published(number=pull.number, url=pull.url, commit=commit, branch=publication.branch)


async def find_pull_request(connection: Connection, repo: Repo, branch: str) -> PullRequest | None:
    """Return the newest pull request from that branch of the repository, open or closed."""
    return await _find(connection, repo, branch, marker="")


async def branch_head(connection: Connection, branch: str) -> str:
    """Return the commit (hex) that the branch points to; raises `Gone` without the branch."""
    answer = await connection.get("/git/ref/heads{/branch*}", branch=branch.split("/"))
    return str(answer["object"]["sha"])


async def _find(connection: Connection, repo: Repo, branch: str, marker: str) -> PullRequest | None:
    answers = await connection.get_all(
        "/pulls?state=all&head={head}", head=f"{repo.owner}:{branch}"
    )
    # GitHub ignores a filter that it does not understand, so look again
    return next(
        (
            payloads.pull_request(answer)
            for answer in answers
            if answer["head"]["ref"] == branch and marker in (answer["body"] or "")
        ),
        None,
    )


async def _ensure_branch(connection: Connection, publication: Publication) -> str:
    """Return the commit of the branch, which has exactly the publication's change on its parent."""
    tree = await write_tree(connection, publication.parent, publication.changes)

    async def find() -> str | None:
        try:
            head = await branch_head(connection, publication.branch)
        except Gone:
            return None
        await _require_same(connection, publication, head, tree)
        return head

    async def create() -> str:
        commit = await write_commit(
            connection, tree, (publication.parent,), publication.commit_message
        )
        reference = {"ref": f"refs/heads/{publication.branch}", "sha": commit}
        try:
            await connection.post("/git/refs", reference)
        except Conflict:
            # somebody was faster: an earlier life of this run, or a person
            head = await find()
            if head is None:
                raise
            return head
        return commit

    return await ensure(find, create, connection.patience)


async def _require_same(
    connection: Connection, publication: Publication, head: str, tree: str
) -> None:
    commit = await connection.get("/git/commits/{commit}", commit=head)
    parents = [parent["sha"] for parent in commit["parents"]]
    if commit["tree"]["sha"] != tree or parents != [publication.parent]:
        raise Conflict(
            f"The branch {publication.branch} already exists with another commit ({head[:12]}). "
            "Delete it, or start a new run."
        )


async def _ensure_pull_request(
    connection: Connection, repo: Repo, publication: Publication
) -> PullRequest:
    async def find() -> PullRequest | None:
        return await _find(connection, repo, publication.branch, publication.marker)

    async def create() -> PullRequest:
        try:
            return await _open(connection, publication, draft=publication.draft)
        except Conflict as conflict:
            if publication.draft and NO_DRAFTS in str(conflict).lower():
                return await _open(connection, publication, draft=False)
            found = await find()
            if found is None:
                raise
            return found

    return await ensure(find, create, connection.patience)


async def _open(connection: Connection, publication: Publication, *, draft: bool) -> PullRequest:
    answer = await connection.post(
        "/pulls",
        {
            "title": publication.title,
            "body": publication.body,
            "head": publication.branch,
            "base": publication.base,
            "draft": draft,
        },
    )
    return payloads.pull_request(answer)


async def author(connection: Connection, commit: str) -> str:
    """Return the login of the person who wrote a commit; "" where GitHub knows none."""
    answer = await connection.get("/commits/{commit}", commit=commit)
    account = answer["author"] or {}
    return str(account["login"]) if account.get("type") == "User" else ""


async def _request_review(connection: Connection, number: int, login: str) -> None:
    """Ask somebody for a review; who has left the repository can't be asked."""
    with contextlib.suppress(Conflict):
        await connection.post(
            "/pulls/{number}/requested_reviewers",
            {"reviewers": [login]},
            repeatable=True,
            number=number,
        )


async def _assign(connection: Connection, number: int, logins: tuple[str, ...]) -> None:
    """Assign a pull request; GitHub leaves out whoever can't be assigned."""
    if not logins:
        return
    with contextlib.suppress(Conflict):
        await connection.post(
            "/issues/{number}/assignees",
            {"assignees": list(logins)},
            repeatable=True,
            number=number,
        )


async def _add_labels(connection: Connection, number: int, labels: tuple[str, ...]) -> None:
    """Add labels; GitHub makes those that are missing and keeps one of each."""
    if not labels:
        return
    # a label is a courtesy: a name that GitHub won't take does not undo the pull request
    with contextlib.suppress(Conflict):
        await connection.post(
            "/issues/{number}/labels", {"labels": list(labels)}, repeatable=True, number=number
        )
