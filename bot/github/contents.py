"""Read files of a repository without cloning it."""

from __future__ import annotations

from bot.github import reading
from bot.github.client import Connection
from bot.github.refusals import Gone


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
        return reading.decoded(entry)
    # beyond 1 MB the contents API leaves the content out
    return reading.decoded(await connection.get("/git/blobs/{blob}", blob=entry["sha"]))
