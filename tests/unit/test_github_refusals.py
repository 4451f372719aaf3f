"""When a call to GitHub is repeated, and what is said when it is not."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from http import HTTPStatus

import aiohttp
import gidgethub
import pytest
from aiohttp.client_reqrep import ConnectionKey

from bot.errors import Conflict, GitHubError, NotPermitted
from bot.github.refusals import (
    SECONDARY_LIMIT_WAIT,
    CredentialRejected,
    GitHubCall,
    GitHubRetries,
    Gone,
    Unanswered,
    refusal,
    wait_before_repeating,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE = GitHubRetries(longest_wait=900)
READ = GitHubCall("GET", "/repos/acme/app", repeatable=True)
WRITE = GitHubCall("POST", "/repos/acme/app/pulls", repeatable=False)

NOT_CONNECTED = aiohttp.ClientConnectorError(
    ConnectionKey("h", 1, False, True, None, None, None),  # noqa: FBT003 - aiohttp's own tuple
    OSError("refused"),
)


def bad(status: int, message: str = "No", **headers: str) -> gidgethub.HTTPException:
    """Return what gidgethub raises; header names with underscores for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = gidgethub.GitHubBroken if status >= 500 else gidgethub.BadRequest
    return kind(HTTPStatus(status), message, headers=named)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (bad(403, "secondary", retry_after="7"), 7.0),
        (bad(429, "slow down", retry_after="7"), 7.0),
        (bad(429, "slow down"), SECONDARY_LIMIT_WAIT),
        (bad(403, "You have exceeded a secondary rate limit."), SECONDARY_LIMIT_WAIT),
        (
            bad(
                429,
                x_ratelimit_remaining="0",
                x_ratelimit_reset=str(int(NOW.timestamp()) + 30),
            ),
            31.0,
        ),
        (bad(403, "secondary", retry_after="901"), False),
        (bad(403, "Resource not accessible by integration"), False),
        (bad(404), False),
        (bad(422), False),
        (bad(401), False),
        (NOT_CONNECTED, True),
        (RuntimeError("a bug"), False),
    ],
)
def test_waiting_does_not_depend_on_what_the_call_does(failure: Exception, expected: float) -> None:
    """Rate limits and refused connections did nothing: repeating is safe for every call."""
    assert wait_before_repeating(READ, failure, PATIENCE, NOW) == expected
    assert wait_before_repeating(WRITE, failure, PATIENCE, NOW) == expected


@pytest.mark.parametrize(
    "failure", [bad(500), bad(502), aiohttp.ServerDisconnectedError(), TimeoutError()]
)
def test_lost_answers_are_repeated_only_for_repeatable_calls(failure: Exception) -> None:
    """A pull request that may be there already is not opened blindly a second time."""
    assert wait_before_repeating(READ, failure, PATIENCE, NOW) is True
    assert wait_before_repeating(WRITE, failure, PATIENCE, NOW) is False


@pytest.mark.parametrize(
    ("failure", "kind", "part"),
    [
        (bad(401, "Bad credentials"), CredentialRejected, "GITHUB_PRIVATE_KEY"),
        (
            bad(
                403,
                "Resource not accessible by integration",
                x_accepted_github_permissions="issues=write",
            ),
            NotPermitted,
            "It requires issues=write: grant that in the App's settings",
        ),
        (bad(403, "Repository was archived so is read-only."), NotPermitted, "archived"),
        (bad(404), Gone, "not installed"),
        (bad(410), Gone, "not installed"),
        (bad(409, "Git Repository is empty."), Conflict, "Git Repository is empty."),
        (bad(422, "Reference already exists"), Conflict, "Reference already exists"),
        (bad(429, retry_after="3000"), GitHubError, "another 3000 seconds"),
        (bad(503), Unanswered, "status 503"),
        (bad(418, "tea"), GitHubError, "status 418: tea"),
        (TimeoutError(), Unanswered, "TimeoutError"),
    ],
)
def test_each_failure_becomes_a_sentence(
    failure: Exception, kind: type[GitHubError], part: str
) -> None:
    """The sentence names the call and what to do; the kind is what callers branch on."""
    error = refusal(WRITE, failure, NOW)
    assert type(error) is kind
    assert part in str(error)
    assert "POST /repos/acme/app/pulls" in str(error)


def test_errors_survive_a_restart() -> None:
    """Steps keep their errors in the database, so errors pickle."""
    error = refusal(READ, bad(404), NOW)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (Gone, str(error))
