"""Comment and react on issues and pull requests; doing it twice leaves one comment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bot.github import payloads
from bot.github.authorship import Writing, read_writings
from bot.github.client import Connection, ensure
from bot.github.values import Issue, IssueComment

W = TypeVar("W", Issue, IssueComment)


async def read_issue(connection: Connection, graphql: Connection, number: int) -> Issue:
    """Return the issue or pull request with its whole thread, oldest comment first.

    Each text is the one that its writer is known of. The dates that REST tells don't say whether a
    comment was edited: they have no parts of seconds.
    """
    answer = await connection.get("/issues/{number}", number=number)
    comments = await connection.get_all("/issues/{number}/comments", number=number)
    writings = await read_writings(graphql, [item["node_id"] for item in (answer, *comments)])
    shown = [
        _as_written(payloads.comment(comment), writings[comment["node_id"]])
        for comment in comments
        if comment["node_id"] in writings  # or else it was deleted meanwhile
    ]
    issue = payloads.issue(answer, shown)
    return (
        _as_written(issue, writings[answer["node_id"]]) if answer["node_id"] in writings else issue
    )


def _as_written(said: W, writing: Writing) -> W:
    return replace(said, body=writing.text, written_by=writing.by, written_at=writing.at)


async def find_comment(connection: Connection, number: int, marker: str, author: str) -> int | None:
    """Return the id of the author's first comment that contains the marker."""

    def ours(comments: list[payloads.Json]) -> list[int]:
        return [
            comment["id"]
            for comment in comments
            if payloads.login(comment["user"]) == author and marker in (comment["body"] or "")
        ]

    comments = await connection.get_all(
        "/issues/{number}/comments", number=number, enough=lambda found: bool(ours(found))
    )
    return next(iter(ours(comments)), None)


async def post_comment(
    connection: Connection, number: int, body: str, marker: str, author: str
) -> int:
    """Return the id of the comment with that marker, posting it if it is not there.

    Raises:
        ValueError: The body lacks the marker, so nobody could find the comment again.
    """
    if marker not in body:
        raise ValueError(f"the comment's body lacks its marker {marker!r}")

    async def find() -> int | None:
        return await find_comment(connection, number, marker, author)

    async def create() -> int:
        answer = await connection.post("/issues/{number}/comments", {"body": body}, number=number)
        return int(answer["id"])

    return await ensure(find, create, connection.patience)


async def open_issue(
    connection: Connection, title: str, body: str, labels: tuple[str, ...], marker: str, author: str
) -> int:
    """Return the number of the author's issue with that marker, opening it if it is not there.

    Raises:
        Conflict: When the repository has no issues.
        ValueError: The body lacks the marker, so nobody could find the issue again.
    """
    if marker not in body:
        raise ValueError(f"the issue's body lacks its marker {marker!r}")

    def ours(issues: list[payloads.Json]) -> list[int]:
        return [
            issue["number"]
            for issue in issues
            if payloads.login(issue["user"]) == author and marker in (issue["body"] or "")
        ]

    async def find() -> int | None:
        issues = await connection.get_all(
            "/issues?state=all&creator={creator}",
            creator=author,
            enough=lambda found: bool(ours(found)),
        )
        return next(iter(ours(issues)), None)

    async def create() -> int:
        asked = {"title": title, "body": body, "labels": list(labels)}
        return int((await connection.post("/issues", asked))["number"])

    return await ensure(find, create, connection.patience)


async def remove_doubles(
    connection: Connection,
    number: int,
    markers: Callable[[str], str | None],
    author: str,
    kept: int,
) -> int:
    """Delete comments of the author that came twice; return how many.

    A server that stalled in the middle of posting posts after another has done it for it.

    Args:
        connection: To the repository.
        number: Of the issue or pull request.
        markers: Returns what two comments have in common if they are one twice; None for others.
        author: Whose comments they are.
        kept: Id of the one that stays; of others, the first does.
    """
    comments = await connection.get_all("/issues/{number}/comments", number=number)
    ours = sorted(
        (comment for comment in comments if payloads.login(comment["user"]) == author),
        key=lambda comment: (comment["id"] != kept, comment["id"]),
    )
    seen, doubles = set[str](), list[int]()
    for comment in ours:
        mark = markers(comment["body"] or "")
        if mark in seen:
            doubles.append(comment["id"])
        elif mark is not None:
            seen.add(mark)
    for double in doubles:
        await connection.delete("/issues/comments/{comment}", comment=double)
    return len(doubles)


async def edit_comment(connection: Connection, comment_id: int, body: str) -> None:
    """Replace a comment's text; raises `Gone` when somebody deleted it."""
    await connection.patch("/issues/comments/{comment}", {"body": body}, comment=comment_id)


async def react(connection: Connection, comment_id: int | None, number: int, content: str) -> None:
    """React to a comment, or to the issue itself; GitHub keeps one of a kind per account."""
    reaction = {"content": content}
    if comment_id is None:
        await connection.post(
            "/issues/{number}/reactions", reaction, repeatable=True, number=number
        )
    else:
        await connection.post(
            "/issues/comments/{comment}/reactions", reaction, repeatable=True, comment=comment_id
        )
