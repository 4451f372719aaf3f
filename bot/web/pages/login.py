"""The page that asks who somebody is, and the end of a session."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from bot.web.access import AdminAccess
from bot.web.pages.frame import Frame
from bot.web.sessions import COOKIE, Sessions


class LoginPage:
    """Answers who is not logged in; takes the admin token."""

    def __init__(
        self, frame: Frame, access: AdminAccess, sessions: Sessions, *, with_github: bool
    ) -> None:
        self._frame = frame
        self._access = access
        self._sessions = sessions
        self._with_github = with_github

    async def show(self, request: web.Request) -> web.Response:
        """Show how to log in."""
        if not self._access.asks_for_login:
            raise web.HTTPSeeOther("/")
        return self.page(request, "", HTTPStatus.OK)

    async def log_in(self, request: web.Request) -> web.Response:
        """Take the token."""
        form = await request.post()
        if self._access.is_token(str(form.get("token", ""))):
            response = web.HTTPSeeOther(place_here(str(form.get("next", ""))))
            self._sessions.begin(request, response)
            raise response
        if self._access.wrong.too_many():
            problem = "Too many attempts failed. Wait a minute and try again."
            return self.page(request, problem, HTTPStatus.TOO_MANY_REQUESTS)
        problem = "That isn't the admin token. It's the value of FIXPOINT_ADMIN_TOKEN."
        return self.page(request, problem, HTTPStatus.FORBIDDEN)

    def page(self, request: web.Request, problem: str, status: HTTPStatus) -> web.Response:
        """Return the page, with what went wrong before."""
        context = {
            "problem": problem,
            "next": place_here(request.query.get("next", "")),
            "with_github": self._with_github,
            "with_token": self._access.has_token,
        }
        return self._frame.page(request, "login.html", "Log in", context, status)


def log_out(response: web.StreamResponse) -> None:
    """End the session of who gets that answer."""
    response.del_cookie(COOKIE)


def place_here(address: str) -> str:
    """Return a page of ours that somebody wanted to see; the first one for anything else."""
    is_path = address.startswith("/") and address[1:2] not in {"/", "\\"}
    return address if is_path and address.isprintable() and len(address) < 500 else "/"  # noqa: PLR2004 - no page of ours is as long
