"""Find out who wrote the text that a comment has now: whoever may edit one puts words into it.

REST names the author of a comment and the moment of its last change, not who made that. GraphQL does:
https://docs.github.com/en/graphql/reference/interfaces#comment
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.github.client import Connection
from bot.github.graphql import ask
from bot.github.payloads import GHOST

_MOST = 100
"""Ids that GitHub takes at once."""

_WRITTEN = """\
query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Comment {
      id
      body
      createdAt
      lastEditedAt
      author { __typename login }
      editor { __typename login }
    }
    ... on Reactable { reactionGroups { content viewerHasReacted } }
  }
}
"""


@dataclass(frozen=True, slots=True)
class Writing:
    """A text, and who is to be asked about it.

    Attributes:
        text: Markdown, untrusted.
        by: Login of who wrote the present text: the last editor, or the author of what was never
            edited; `ghost` where that account was deleted.
        is_person: Whether that is a living account of a person.
        at: When it got this text, UTC.
        author: Login of who wrote the first text.
        edited: Whether it has another text than at first.
        heard: Whether we reacted to it with eyes, as to what starts a run.
    """

    text: str
    by: str
    is_person: bool
    at: datetime
    author: str
    edited: bool
    heard: bool


async def read_writings(connection: Connection, nodes: Sequence[str]) -> dict[str, Writing]:
    """Return how issues, pull requests, comments and review comments read now.

    Args:
        connection: To GraphQL.
        nodes: Their global ids. What was deleted is missing in the answer.

    Raises:
        GitHubError: When GitHub does not tell.
    """
    found: dict[str, Writing] = {}
    for begin in range(0, len(nodes), _MOST):
        ids = list(nodes[begin : begin + _MOST])
        data = await ask(connection, _WRITTEN, {"ids": ids}, some_may_lack=True)
        found |= {item["id"]: _writing(item) for item in data["nodes"] if item}
    return found


def _writing(node: dict[str, Any]) -> Writing:
    edited = node["lastEditedAt"] is not None
    writer = node["editor"] if edited else node["author"]
    return Writing(
        text=node["body"] or "",
        by=_login(writer),
        is_person=writer is not None and writer["__typename"] == "User",
        at=datetime.fromisoformat(node["lastEditedAt"] if edited else node["createdAt"]),
        author=_login(node["author"]),
        edited=edited,
        heard=any(
            group["content"] == "EYES" and group["viewerHasReacted"]
            for group in node.get("reactionGroups") or ()
        ),
    )


def _login(actor: dict[str, Any] | None) -> str:
    """Return the name that REST has for an account: there, a bot's ends with `[bot]`."""
    if actor is None:
        return GHOST
    return f"{actor['login']}[bot]" if actor["__typename"] == "Bot" else str(actor["login"])
