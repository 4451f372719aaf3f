"""Log in with GitHub: out to its page, and back with a code."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode

from aiohttp import web

from bot.errors import GitHubError
from bot.github.oauth import OauthClient, new_verifier
from bot.web.pages.frame import Frame
from bot.web.pages.login import LoginPage, log_out, place_here
from bot.web.people import People
from bot.web.sessions import SESSION, Sessions, is_secure

CALLBACK = "/login/github/callback"
_COOKIE = "fixpoint_login"
_SECONDS = 600
"""That somebody may take at GitHub, whose code does not last longer either."""


@dataclass(frozen=True, slots=True)
class GitHubLogin:
    """What logging in with GitHub takes.

    Attributes:
        client: The App, as what people log in to.
        people: Learns who they are.
        public_url: Of this server as browsers know it, or "": as the request says.
    """

    client: OauthClient
    people: People
    public_url: str


class GitHubLoginPages:
    """Sends people to GitHub and takes them back."""

    def __init__(
        self, frame: Frame, sessions: Sessions, login: GitHubLogin | None, page: LoginPage
    ) -> None:
        self._frame = frame
        self._sessions = sessions
        self._login = login
        self._page = page

    async def leave(self, request: web.Request) -> web.Response:
        """Send somebody to GitHub; what has to come back with them is kept in their browser."""
        login = self._enabled()
        state, verifier = secrets.token_urlsafe(32), new_verifier()
        response = web.HTTPSeeOther(
            login.client.address(self._callback(login, request), state, verifier)
        )
        kept = {
            "state": state,
            "verifier": verifier,
            "next": place_here(request.query.get("next", "")),
        }
        self._sessions.keep(request, response, _COOKIE, kept, _SECONDS)
        raise response

    async def come_back(self, request: web.Request) -> web.Response:
        """Take somebody back from GitHub, if they left from here."""
        login = self._enabled()
        kept = self._sessions.kept(request, _COOKIE, _SECONDS)
        state = request.query.get("state", "")
        if kept is None or not hmac.compare_digest(state.encode(), kept["state"].encode()):
            return self._failed(
                request, "This log-in wasn't started in this browser, or took too long. Try again."
            )
        code = request.query.get("code", "")
        if not code:
            return self._failed(request, "GitHub wasn't allowed to say who you are.")
        try:
            token = await login.client.exchange(
                code, self._callback(login, request), kept["verifier"]
            )
        except GitHubError as error:
            return self._failed(request, str(error))
        response = web.HTTPSeeOther(kept["next"])
        self._sessions.begin(request, response, token.token, token.seconds)
        response.del_cookie(_COOKIE)
        raise response

    async def log_out(self, request: web.Request) -> web.Response:
        """Forget the session, and have GitHub forget its token."""
        await self._frame.checked_form(request)
        session = request[SESSION]
        if self._login is not None and session.token is not None:
            self._login.people.forget(session)
            await self._login.client.revoke(session.token)
        response = web.HTTPSeeOther("/login")
        log_out(response)
        raise response

    def _enabled(self) -> GitHubLogin:
        if self._login is None:
            raise web.HTTPSeeOther("/login")
        return self._login

    def _callback(self, login: GitHubLogin, request: web.Request) -> str:
        """Return where GitHub sends people back to; it sends them to no place it does not know."""
        here = login.public_url or f"{'https' if is_secure(request) else 'http'}://{request.host}"
        return here + CALLBACK

    def _failed(self, request: web.Request, problem: str) -> web.Response:
        return self._page.page(request, problem, HTTPStatus.FORBIDDEN)


def login_address(request: web.Request) -> str:
    """Return where somebody logs in who wanted to see a page."""
    if request.method != "GET" or request.path == "/":
        return "/login"
    return "/login?" + urlencode({"next": request.path_qs})
