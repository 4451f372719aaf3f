"""Let people log in with GitHub: the web application flow of a GitHub App, with PKCE.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlencode

import aiohttp
from pydantic import SecretStr

from bot.errors import GitHubError, NotPermitted
from bot.github.wire import API_VERSION, REQUESTER

SECONDS = 15.0
"""Longest time of one request: a person waits for it."""

_DEFAULT_LIFE = 8 * 3600.0
"""Seconds that a token is used for if the App's tokens don't expire; GitHub's own are as long."""


@dataclass(frozen=True, slots=True)
class UserToken:
    """A token with which the App is a person, and how many seconds it is good for."""

    token: SecretStr
    seconds: float


class OauthClient:
    """The App, as what people log in to. Raises `GitHubError` with a sentence for a person."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        client_id: str,
        client_secret: SecretStr,
        api_url: str,
        web_url: str,
    ) -> None:
        self._session = session
        self._client_id = client_id
        self._client_secret = client_secret
        self._api_url = api_url.removesuffix("/")
        self._web_url = web_url.removesuffix("/")
        self._timeout = aiohttp.ClientTimeout(total=SECONDS)

    def address(self, redirect_uri: str, state: str, verifier: str) -> str:
        """Return where a person allows the App to know who they are."""
        asked = {
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{self._web_url}/login/oauth/authorize?{urlencode(asked)}"

    async def exchange(self, code: str, redirect_uri: str, verifier: str) -> UserToken:
        """Return the token that a code stands for; each works once."""
        form = {
            "client_id": self._client_id,
            "client_secret": self._client_secret.get_secret_value(),
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        try:
            async with self._session.post(
                f"{self._web_url}/login/oauth/access_token",
                data=form,
                headers={"Accept": "application/json", "User-Agent": REQUESTER},
                timeout=self._timeout,
            ) as response:
                answer = json.loads(await response.read())
        except (aiohttp.ClientError, TimeoutError) as error:
            raise GitHubError("GitHub can't be reached. Try again in a minute.") from error
        except ValueError as error:
            raise GitHubError("The answer is not from GitHub. Check GITHUB_URL.") from error
        return _token(answer)

    async def revoke(self, token: SecretStr) -> None:
        """Make a token useless now; one that ended already, or a GitHub that is away, is fine."""
        secret = self._client_secret.get_secret_value()
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with self._session.delete(
                f"{self._api_url}/applications/{quote(self._client_id)}/token",
                json={"access_token": token.get_secret_value()},
                headers={
                    "User-Agent": REQUESTER,
                    "X-GitHub-Api-Version": API_VERSION,
                    "Authorization": aiohttp.encode_basic_auth(self._client_id, secret),
                },
                timeout=self._timeout,
            ) as response:
                await response.read()


def new_verifier() -> str:
    """Return what proves, in the end, that who finishes a log-in is who began it."""
    return secrets.token_urlsafe(32)


def challenge(verifier: str) -> str:
    """Return what announces a verifier: https://www.rfc-editor.org/rfc/rfc7636#section-4.2."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _token(answer: object) -> UserToken:
    """Read GitHub's answer, which has a status of 200 whether it has a token or not."""
    if not isinstance(answer, dict):
        raise GitHubError("The answer is not from GitHub. Check GITHUB_URL.")
    match answer.get("error"):
        case None:
            pass
        case "incorrect_client_credentials":
            raise NotPermitted(
                "GitHub doesn't accept GITHUB_CLIENT_ID with GITHUB_CLIENT_SECRET. Compare them "
                "with the App's settings."
            )
        case "redirect_uri_mismatch":
            raise NotPermitted(
                "This server's address isn't a callback URL of the App. Add it in the App's "
                "settings."
            )
        case _:
            raise NotPermitted("The log-in took too long, or was used already. Log in again.")
    token, seconds = answer.get("access_token"), answer.get("expires_in")
    if not isinstance(token, str):
        raise GitHubError(f"GitHub's answer has no token (status {HTTPStatus.OK}). Try again.")
    life = float(seconds) if isinstance(seconds, int) and seconds > 0 else _DEFAULT_LIFE
    return UserToken(SecretStr(token), min(life, _DEFAULT_LIFE))
