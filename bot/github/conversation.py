"""Comment and react on issues and pull requests; doing it twice leaves one comment."""

from __future__ import annotations

from bot.github import reading
from bot.github.client import Connection, ensure
from bot.github.values import Issue


async def read_issue(connection: Connection, number: int) -> Issue:
    """Return the issue or pull request with its whole thread, oldest comment first."""
    answer = await connection.get("/issues/{number}", number=number)
    comments = await connection.get_all("/issues/{number}/comments", number=number)
    return reading.issue(answer, comments)


async def find_comment(connection: Connection, number: int, marker: str, author: str) -> int | None:
    """Return the id of the author's first comment that contains the marker."""

    def ours(comments: list[reading.Json]) -> list[int]:
        return [
            comment["id"]
            for comment in comments
            if reading.login(comment["user"]) == author and marker in (comment["body"] or "")
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
