"""Make a commit through the API, so that GitHub signs it as the App's."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bot.github.client import Connection
from bot.github.values import FileChange

TREE_ENTRIES = 400
TREE_BYTES = 4 * 2**20
"""Most entries and text of one request for a tree; longer ones build on each other.

GitHub names no limit but gives up on requests that take it more than ten seconds.
"""

UPLOADS_AT_ONCE = 4
"""Blobs under way at once: more than a few writes at a time is what secondary limits punish."""

SUBMODULE = "160000"
PLAIN_FILES = frozenset({"100644", "100755"})

Entry = dict[str, Any]


async def write_tree(connection: Connection, parent: str, changes: tuple[FileChange, ...]) -> str:
    """Return the id of the parent's tree with the changes in it.

    Text goes inside the request for the tree; only what is no text needs an upload of its own,
    since GitHub allows 80 writes a minute. The same changes give the same id.
    """
    commit = await connection.get("/git/commits/{commit}", commit=parent)
    tree = str(commit["tree"]["sha"])
    # deletions first: a file may stand where a folder was
    ordered = sorted(changes, key=lambda change: (change.mode is not None, change.path))
    for batch in batches(await _entries(connection, ordered)):
        answer = await connection.post(
            "/git/trees", {"base_tree": tree, "tree": batch}, repeatable=True
        )
        tree = answer["sha"]
    return tree


async def write_commit(
    connection: Connection, tree: str, parents: Sequence[str], message: str
) -> str:
    """Return the id of a new commit; without an author GitHub makes it the App's and signs it."""
    answer = await connection.post(
        "/git/commits",
        {"message": message, "tree": tree, "parents": list(parents)},
        repeatable=True,
    )
    return str(answer["sha"])


async def _entries(connection: Connection, changes: Iterable[FileChange]) -> list[Entry]:
    uploads = asyncio.Semaphore(UPLOADS_AT_ONCE)

    async def entry(change: FileChange) -> Entry:
        inline = inline_entry(change)
        if inline is not None:
            return inline
        async with uploads:
            blob = await connection.post(
                "/git/blobs",
                {"content": base64.b64encode(change.content).decode(), "encoding": "base64"},
                repeatable=True,
            )
        return {"path": change.path, "mode": change.mode, "type": "blob", "sha": blob["sha"]}

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(entry(change)) for change in changes]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures  # the others failed, or were cancelled, with it
    return [task.result() for task in tasks]


def inline_entry(change: FileChange) -> Entry | None:
    """Return the tree entry of a change, or None when its content must be uploaded first."""
    if change.mode is None:
        return {"path": change.path, "mode": "100644", "type": "blob", "sha": None}
    if change.mode == SUBMODULE:
        commit = change.content.decode("ascii")
        return {"path": change.path, "mode": SUBMODULE, "type": "commit", "sha": commit}
    text = _plain_text(change.content)
    if change.mode not in PLAIN_FILES or text is None:
        return None
    return {"path": change.path, "mode": change.mode, "type": "blob", "content": text}


def _plain_text(content: bytes) -> str | None:
    """Return the text that JSON carries without changing a byte, or None."""
    if len(content) > TREE_BYTES or b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def batches(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Cut the entries so that no request gets too big."""
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        weight = len(entry.get("content", ""))
        if batch and (len(batch) == TREE_ENTRIES or size + weight > TREE_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += weight
    if batch:
        yield batch
