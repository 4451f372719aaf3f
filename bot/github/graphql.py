"""Ask GitHub's GraphQL API, which alone knows of review threads and of who edited what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import Conflict, GitHubError, NotPermitted
from bot.github.client import Connection
from bot.github.refusals import Gone

_REST_OF_A_SERVER = "/v3"
"""What the address of the REST API ends with on GitHub Enterprise Server: `/api/v3`.

GraphQL is at `/api/graphql` there, and at `https://api.github.com/graphql` on github.com.
"""


def base_of(api_url: str) -> str:
    """Return the address below which GraphQL is, by that of the REST API."""
    return api_url.removesuffix("/").removesuffix(_REST_OF_A_SERVER)


async def ask(
    connection: Connection,
    query: str,
    variables: Mapping[str, object],
    *,
    some_may_lack: bool = False,
) -> Any:
    """Return the data of a query, or of a mutation that is as good twice as once.

    Args:
        connection: To GraphQL.
        query: The document.
        variables: Of it.
        some_may_lack: Whether what was not found is null in the answer, and no error.

    Raises:
        NotPermitted: When the App may not, or can't see it.
        Conflict: When GitHub does not do it for another reason; asking again is no use.
        GitHubError: When its limit is reached, or it failed; asking later may help.
    """
    answer = await connection.post(
        "/graphql",
        {"query": query, "variables": dict(variables)},
        repeatable=True,
        reads=query.startswith("query"),
    )
    errors = answer.get("errors") or ()
    if some_may_lack and answer.get("data"):
        errors = [error for error in errors if error.get("type") != "NOT_FOUND"]
    if errors:
        raise refusal_of(errors[0])
    return answer["data"]


def refusal_of(error: Mapping[str, Any]) -> GitHubError:
    """Return the error of ours for one of GraphQL's, which come with status 200."""
    said = error.get("message", "")
    match error.get("type"):
        case "NOT_FOUND":
            return Gone(f"GitHub's GraphQL API found nothing: {said}")
        case "FORBIDDEN" | "INSUFFICIENT_SCOPES":
            return NotPermitted(
                f"GitHub's GraphQL API denied the request: {said} Check the App's permissions."
            )
        case "RATE_LIMITED":
            return GitHubError(f"GitHub's GraphQL API is at its limit: {said}")
        case None if "extensions" not in error:  # it gave up on the query, without a reason
            return GitHubError(f"GitHub's GraphQL API failed: {said}")
        case _:
            return Conflict(f"GitHub's GraphQL API could not complete the request: {said}")
