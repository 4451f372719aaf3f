"""How people log in to other sites with GitHub: the web application flow of an App, with PKCE.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.github.model import USER_TOKEN_LIFE, Account, Grant, UserToken
from tests.fakes.github.state import GitHubState

CODE_LIFE = timedelta(minutes=10)

_PAGE = """\
<!doctype html><html lang="en"><title>Authorize {app}</title><link rel="icon" href="data:,">
<h1>Authorize {app}</h1>
<form method="post"><label>Username <input name="login"></label>
<button name="answer" value="yes">Authorize {app}</button>
<button name="answer" value="no">Cancel</button></form></html>
"""


class Oauth:
    """The pages and the endpoint below `/login/oauth`.

    Signing in and authorizing are one step here: whoever writes a name is that person.
    """

    def __init__(self, state: GitHubState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """Return aiohttp's routes."""
        return [
            web.get("/login/oauth/authorize", self._ask),
            web.post("/login/oauth/authorize", self._answered),
            web.post("/login/oauth/access_token", self._exchange),
        ]

    async def _ask(self, request: web.Request) -> web.Response:
        """Show who wants to know who somebody is."""
        self._known(request.query)
        page = _PAGE.format(app=html.escape(self._state.app.slug))
        return web.Response(text=page, content_type="text/html")

    async def _answered(self, request: web.Request) -> web.Response:
        """Send a person back with a code, or without."""
        asked, form = request.query, await request.post()
        self._known(asked)
        back = {"state": asked["state"]} if "state" in asked else {}
        account = self._state.accounts.get(str(form.get("login", "")))
        if form.get("answer") != "yes" or account is None:
            refused = "The user has denied your application access."
            back |= {"error": "access_denied", "error_description": refused}
        else:
            back["code"] = self._grant(account, asked)
        raise web.HTTPFound(f"{asked['redirect_uri']}?{urlencode(back)}")

    def _known(self, asked: Mapping[str, str]) -> None:
        app = self._state.app
        if asked.get("client_id") != app.client_id:
            raise web.HTTPNotFound
        if app.callback_urls and asked.get("redirect_uri") not in app.callback_urls:
            raise web.HTTPBadRequest(
                text="The redirect_uri is not associated with this application."
            )

    def _grant(self, account: Account, asked: Mapping[str, str]) -> str:
        code = secrets.token_hex(10)
        challenge = (
            asked.get("code_challenge", "") if asked.get("code_challenge_method") == "S256" else ""
        )
        self._state.grants[code] = Grant(
            account, asked["redirect_uri"], challenge, self._state.now() + CODE_LIFE
        )
        return code

    async def _exchange(self, request: web.Request) -> web.Response:
        """Turn a code into a token, once. What goes wrong is told with a status of 200."""
        given = {name: str(value) for name, value in (await request.post()).items()}
        app = self._state.app
        if (given.get("client_id"), given.get("client_secret")) != (
            app.client_id, app.client_secret,
        ):  # fmt: skip
            return _error("incorrect_client_credentials", "The client_id is incorrect.")
        grant = self._state.grants.pop(given.get("code", ""), None)
        if (
            grant is None
            or grant.expires_at <= self._state.now()
            or grant.challenge != _challenge(given.get("code_verifier", ""))
        ):
            return _error("bad_verification_code", "The code passed is incorrect or expired.")
        if given.get("redirect_uri") != grant.redirect_uri:
            return _error("redirect_uri_mismatch", "The redirect_uri MUST match.")
        token = UserToken(
            f"ghu_{secrets.token_hex(18)}", grant.account, self._state.now() + USER_TOKEN_LIFE
        )
        self._state.user_tokens[token.value] = token
        return web.json_response(
            {
                "access_token": token.value,
                "expires_in": int(USER_TOKEN_LIFE.total_seconds()),
                "refresh_token": f"ghr_{secrets.token_hex(38)}",
                "refresh_token_expires_in": 15_897_600,
                "scope": "",
                "token_type": "bearer",
            }
        )


def _challenge(verifier: str) -> str:
    """Return what a verifier was announced as: https://www.rfc-editor.org/rfc/rfc7636#section-4.2."""
    if not verifier:
        return ""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _error(code: str, description: str) -> web.Response:
    return web.json_response(
        {
            "error": code,
            "error_description": description,
            "error_uri": "https://docs.github.com/apps",
        }
    )
