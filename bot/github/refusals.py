"""Say in our own words why a request to GitHub failed, and when to repeat it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

import aiohttp
import gidgethub
import jwt

from bot.errors import Conflict, GitHubError, NotPermitted
from bot.github.pace import READS

NOT_JSON = (json.JSONDecodeError, UnicodeDecodeError)
FAILURES = (
    gidgethub.HTTPException,
    aiohttp.ClientError,
    TimeoutError,
    jwt.InvalidKeyError,
    *NOT_JSON,
)
"""What a call of gidgethub over aiohttp raises."""

SECONDARY_LIMIT_WAIT = 60.0
"""Seconds to wait when a secondary limit names no time.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""


class Unanswered(GitHubError):
    """The answer was lost: GitHub may have done what was asked, or not."""


class Gone(NotPermitted):
    """GitHub shows no such thing (404, 410): it does not exist, or the App can't see it."""


class CredentialRejected(NotPermitted):
    """GitHub does not accept the credential (401): it is wrong, ended, or was revoked."""


MOST_DOUBTS = 2
"""Times that a no is asked again which GitHub gives by mistake for a few seconds at times: it does
not see yet what it has just made, or a token that it has just given."""


@dataclass(frozen=True, slots=True)
class GitHubRetries:
    """How long to keep retrying.

    Attributes:
        attempts: Maximum number of calls of the same request.
        first_wait: Seconds before the second call; doubles each time.
        longest_wait: Seconds that a rate limit may keep a call waiting before it fails.
        timeout: Seconds for one call.
    """

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 900.0
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class GitHubCall:
    """A request to GitHub; `repeatable` when doing it twice is as good as once."""

    method: str
    path: str
    repeatable: bool

    def __str__(self) -> str:
        """Return it as the API's documentation names it."""
        return f"{self.method} {self.path}"


def wait_before_repeating(
    call: GitHubCall, failure: BaseException, patience: GitHubRetries, now: datetime
) -> float | bool:
    """Return seconds to wait, True for the usual backoff, or False when repeating is no use."""
    if isinstance(failure, gidgethub.HTTPException):
        limited = rate_limit_wait(failure, now)
        if limited is not None:
            return limited if limited <= patience.longest_wait else False
        return call.repeatable and isinstance(failure, gidgethub.GitHubBroken)
    if isinstance(failure, aiohttp.ClientConnectorError):
        return True  # it never reached GitHub
    return call.repeatable and isinstance(failure, (aiohttp.ClientError, TimeoutError))


def is_doubtful(call: GitHubCall, failure: BaseException) -> bool:
    """Whether a no may be a mistake of GitHub's. Nothing was done then, so asking again is safe.

    What is not there is a common answer to a read, and is believed.
    """
    if not isinstance(failure, gidgethub.HTTPException):
        return False
    if failure.status_code == HTTPStatus.UNAUTHORIZED:
        return True
    return call.method not in READS and failure.status_code in {
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }


def rate_limit_wait(failure: gidgethub.HTTPException, now: datetime) -> float | None:
    """Return the seconds that a rate limit asks for, or None when the failure is no rate limit."""
    if failure.status_code not in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}:
        return None
    retry_after = failure.headers.get("retry-after", "")
    if retry_after.isdecimal():
        return float(retry_after)
    if isinstance(failure, gidgethub.RateLimitExceeded):
        return _seconds_until(failure.rate_limit.reset_datetime, now)
    if failure.headers.get("x-ratelimit-remaining") == "0":
        reset = float(failure.headers.get("x-ratelimit-reset", "0"))
        return _seconds_until(datetime.fromtimestamp(reset, UTC), now)
    if failure.status_code == HTTPStatus.TOO_MANY_REQUESTS or "rate limit" in str(failure).lower():
        return SECONDARY_LIMIT_WAIT
    return None


def _seconds_until(moment: datetime, now: datetime) -> float:
    # one second more: GitHub's reset is a whole second and its clock is not ours
    return max(0.0, (moment - now).total_seconds()) + 1.0


def refusal(call: GitHubCall, failure: Exception, now: datetime) -> GitHubError:
    """Return the error of ours that tells a person what happened and what to do."""
    if not isinstance(failure, gidgethub.HTTPException):
        return _unreachable(call, failure)
    wait = rate_limit_wait(failure, now)
    if wait is not None:
        return GitHubError(
            f"GitHub's rate limit blocks {call} for another {wait:.0f} seconds. Try again then."
        )
    return _refused(call, failure)


def _refused(call: GitHubCall, failure: gidgethub.HTTPException) -> GitHubError:
    match failure.status_code:
        case HTTPStatus.UNAUTHORIZED:
            return CredentialRejected(
                f"GitHub rejected the App's credentials for {call} ({failure}). Check "
                "GITHUB_APP_ID, GITHUB_PRIVATE_KEY, and this machine's clock."
            )
        case HTTPStatus.FORBIDDEN:
            return NotPermitted(f"GitHub denied {call} ({failure}). {_missing(failure)}")
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            return Gone(
                f"GitHub found nothing for {call}: it does not exist, or the App is not installed "
                "on the repository."
            )
        case HTTPStatus.CONFLICT | HTTPStatus.UNPROCESSABLE_ENTITY:
            return Conflict(f"GitHub could not complete {call}: {failure}")
        case _ if isinstance(failure, gidgethub.GitHubBroken):
            return Unanswered(
                f"GitHub answered {call} with status {failure.status_code}. "
                "Check https://www.githubstatus.com and try again."
            )
        case status:
            return GitHubError(f"GitHub answered {call} with status {status}: {failure}")


def _missing(failure: gidgethub.HTTPException) -> str:
    """Return what the App's owner can do about a 403."""
    accepted = failure.headers.get("x-accepted-github-permissions")
    if accepted and "not accessible by integration" in str(failure):
        return (
            f"It requires {accepted}: grant that in the App's settings and accept it for the "
            "installation."
        )
    return "Check the App's permissions and that the repository is writable."


def _unreachable(call: GitHubCall, failure: Exception) -> GitHubError:
    if isinstance(failure, jwt.InvalidKeyError):
        return NotPermitted(
            "GITHUB_PRIVATE_KEY is not an RSA key in PEM format. Generate a new one on GitHub."
        )
    if isinstance(failure, NOT_JSON):
        return GitHubError(f"The answer to {call} is not from GitHub's API. Check GITHUB_API_URL.")
    return Unanswered(
        f"Could not reach GitHub for {call} ({type(failure).__name__}). Check GITHUB_API_URL "
        "and the network."
    )
