"""Comment on lines of a pull request, as one review."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.github import payloads
from bot.github.authorship import read_writings
from bot.github.client import Connection, ensure
from bot.github.values import RemarkAtLine, Review, ReviewComment

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


async def read_shown_lines(connection: Connection, number: int) -> dict[str, list[range]]:
    """Return by path which lines of the head commit a pull request shows.

    A file whose difference is too large to be shown, or binary, has none.
    """
    files = await connection.get_all("/pulls/{number}/files", number=number)
    return {file["filename"]: shown_lines(file.get("patch") or "") for file in files}


def shown_lines(patch: str) -> list[range]:
    """Return the lines of the new side that each hunk of a difference holds."""
    return [
        range(int(hunk[1]), int(hunk[1]) + int(hunk[2] if hunk[2] is not None else 1))
        for hunk in _HUNK.finditer(patch)
    ]


async def read_review_comments(
    connection: Connection, graphql: Connection, number: int, review: int
) -> tuple[RemarkAtLine, ...]:
    """Return what a review says at lines of a pull request, in order."""
    place = "/pulls/{number}/reviews/{review}/comments"
    answers = await connection.get_all(place, number=number, review=review)
    writings = await read_writings(graphql, [answer["node_id"] for answer in answers])
    return tuple(
        RemarkAtLine(
            answer["path"],
            answer.get("line") or answer.get("original_line"),
            writing.text,
            answer["id"],
            writing.by,
        )
        for answer in answers
        if (writing := writings.get(answer["node_id"])) is not None
    )


async def post_review(connection: Connection, number: int, review: Review, author: str) -> int:
    """Return the id of the review with that marker, posting it if it is not there.

    Raises:
        Conflict: When a comment is on a line that the pull request does not show.
    """

    async def find() -> int | None:
        answers = await connection.get_all("/pulls/{number}/reviews", number=number)
        return next(
            (
                int(answer["id"])
                for answer in answers
                if payloads.login(answer["user"]) == author and review.marker in answer["body"]
            ),
            None,
        )

    async def create() -> int:
        body = {
            "commit_id": review.commit,
            "body": review.body,
            "event": "COMMENT",
            "comments": _comments(review.comments),
        }
        answer = await connection.post("/pulls/{number}/reviews", body, number=number)
        return int(answer["id"])

    return await ensure(find, create, connection.patience)


def _comments(comments: Sequence[ReviewComment]) -> list[dict[str, str | int]]:
    told: list[dict[str, str | int]] = []
    for review_comment in comments:
        comment: dict[str, str | int] = {"path": review_comment.path, "body": review_comment.body}
        comment |= {"line": review_comment.end, "side": "RIGHT"}
        if review_comment.start < review_comment.end:
            comment |= {"start_line": review_comment.start, "start_side": "RIGHT"}
        told.append(comment)
    return told
