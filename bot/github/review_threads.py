"""Answer what people say at lines of a pull request, and resolve what is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.github import payloads
from bot.github.client import Connection, ensure
from bot.github.graphql import ask
from bot.model.repository import Repo

_THREADS = """\
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          path
          comments(first: 100) { nodes { databaseId } }
        }
      }
    }
  }
}
"""
_RESOLVE = """\
mutation($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }
}
"""


@dataclass(frozen=True, slots=True)
class ReviewThread:
    """What was said at one place of a pull request.

    Attributes:
        id: GitHub's node id.
        path: Of the file.
        resolved: Whether somebody marked it as resolved.
        comments: Ids of its first hundred review comments, oldest first.
    """

    id: str
    path: str
    resolved: bool
    comments: tuple[int, ...]


async def read_review_threads(
    connection: Connection, repo: Repo, number: int
) -> tuple[ReviewThread, ...]:
    """Return the review threads of a pull request, in order."""
    found: list[ReviewThread] = []
    wanted: dict[str, object] = {"owner": repo.owner, "name": repo.name, "number": number}
    after: str | None = None
    while True:
        data = await ask(connection, _THREADS, {**wanted, "after": after})
        threads = data["repository"]["pullRequest"]["reviewThreads"]
        found += map(_thread, threads["nodes"])
        if not threads["pageInfo"]["hasNextPage"]:
            return tuple(found)
        after = threads["pageInfo"]["endCursor"]


async def reply(
    connection: Connection, number: int, comment: int, body: str, marker: str, author: str
) -> int:
    """Return the id of the reply with that marker, posting it if it is not there.

    `comment` is the one that began the thread: GitHub takes replies to that one alone.
    """

    def ours(comments: list[payloads.Json]) -> list[int]:
        return [
            entry["id"]
            for entry in comments
            if payloads.login(entry["user"]) == author and marker in (entry["body"] or "")
        ]

    async def find() -> int | None:
        comments = await connection.get_all(
            "/pulls/{number}/comments", number=number, enough=lambda found: bool(ours(found))
        )
        return next(iter(ours(comments)), None)

    async def create() -> int:
        place = "/pulls/{number}/comments/{comment}/replies"
        answer = await connection.post(place, {"body": body}, number=number, comment=comment)
        return int(answer["id"])

    return await ensure(find, create, connection.patience)


async def resolve(connection: Connection, thread: str) -> None:
    """Mark a thread as resolved; one that is resolved stays so."""
    await ask(connection, _RESOLVE, {"thread": thread})


def _thread(node: dict[str, Any]) -> ReviewThread:
    comments = tuple(child["databaseId"] for child in node["comments"]["nodes"])
    return ReviewThread(node["id"], node["path"], node["isResolved"], comments)
