"""Ask GitHub's GraphQL API, which alone knows of review threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import GitHubError, NotPermitted
from bot.github.client import Connection
from bot.github.refusals import Gone

_REST_OF_A_SERVER = "/v3"
"""What the address of the REST API ends with on GitHub Enterprise Server: `/api/v3`.

GraphQL is at `/api/graphql` there, and at `https://api.github.com/graphql` on github.com.
"""


def base_of(api_url: str) -> str:
    """Return the address below which GraphQL is, by that of the REST API."""
    return api_url.removesuffix("/").removesuffix(_REST_OF_A_SERVER)


async def ask(connection: Connection, query: str, variables: Mapping[str, object]) -> Any:
    """Return the data of a query, or of a mutation that is as good twice as once.

    Raises:
        NotPermitted: When the App may not, or can't see it.
        GitHubError: When GitHub refuses for another reason, which it answers with status 200.
    """
    answer = await connection.post(
        "/graphql", {"query": query, "variables": dict(variables)}, repeatable=True
    )
    errors = answer.get("errors")
    if errors:
        raise _refusal(errors[0])
    return answer["data"]


def _refusal(error: Mapping[str, Any]) -> GitHubError:
    said = error.get("message", "")
    match error.get("type"):
        case "NOT_FOUND":
            return Gone(f"GitHub's GraphQL API found nothing: {said}")
        case "FORBIDDEN" | "INSUFFICIENT_SCOPES":
            return NotPermitted(
                f"GitHub's GraphQL API denied the request: {said} Check the App's permissions."
            )
        case _:
            return GitHubError(f"GitHub's GraphQL API refused the request: {said}")
