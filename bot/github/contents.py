"""Files of a repository: read without cloning it, and changed by one commit on top of a branch."""

from __future__ import annotations

from bot.errors import Conflict, HeadMoved
from bot.github import payloads
from bot.github.client import Connection, ensure
from bot.github.commits import write_commit, write_tree
from bot.github.pull_requests import branch_head
from bot.github.refusals import Gone
from bot.github.values import Advance


async def advance_branch(connection: Connection, advance: Advance) -> str:
    """Return the new head of the branch: its old one with the change on top, or with a merge.

    The reference is moved without force, so that GitHub itself refuses when somebody pushed in
    the meantime. A head that already has this very change on that parent is taken for our own, so
    that a crash in between makes no second commit.

    Raises:
        HeadMoved: When the branch was deleted, or its head is neither the parent nor our own commit.
    """
    tree = await write_tree(connection, advance.parents[-1], advance.changes)

    async def find() -> str | None:
        head = await _head(connection, advance.branch)
        if head == advance.parent:
            return None
        commit = await connection.get("/git/commits/{commit}", commit=head)
        parents = tuple(parent["sha"] for parent in commit["parents"])
        if commit["tree"]["sha"] != tree or parents != advance.parents:
            raise _moved(advance.branch, head)
        return head

    async def create() -> str:
        commit = await write_commit(connection, tree, advance.parents, advance.message)
        try:
            await connection.patch(
                "/git/refs/heads{/branch*}",
                {"sha": commit, "force": False},
                branch=advance.branch.split("/"),
            )
        except Conflict:
            found = await find()  # raises when somebody else was faster
            if found is None:
                raise
            return found
        return commit

    return await ensure(find, create, connection.patience)


async def _head(connection: Connection, branch: str) -> str:
    try:
        return await branch_head(connection, branch)
    except Gone as gone:
        raise HeadMoved(f"The branch {branch} was deleted.") from gone


def _moved(branch: str, head: str) -> HeadMoved:
    return HeadMoved(f"The branch {branch} is now at {head[:7]}.")


async def read_file(connection: Connection, path: str, ref: str) -> bytes | None:
    """Return a file's bytes at a branch, tag or commit; None when no file is there.

    A folder or submodule is no file; a link to a file of the repository reads as that file. Up to
    100 MB, as GitHub allows.
    """
    try:
        entry = await connection.get(
            "/contents{/names*}?ref={ref}", media="object", names=path.split("/"), ref=ref
        )
    except Gone:
        return None
    if entry["type"] != "file":
        return None
    if entry["encoding"] == "base64":
        return payloads.decoded(entry)
    # beyond 1 MB the contents API leaves the content out
    return payloads.decoded(await connection.get("/git/blobs/{blob}", blob=entry["sha"]))
