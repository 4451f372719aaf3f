"""The page that asks for the admin token, and the end of a session."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from bot.web.access import COOKIE, SESSION_SECONDS, AdminAccess, FailedLogins
from bot.web.pages.frame import Frame


class LoginPage:
    """Answers who is not logged in, or does not want to be any more."""

    def __init__(self, frame: Frame, access: AdminAccess) -> None:
        self._frame = frame
        self._access = access
        self._failed = FailedLogins()

    async def show(self, request: web.Request) -> web.Response:
        """Show the form that asks for the token."""
        if self._access.session(request) is not None:
            raise web.HTTPSeeOther("/")
        return self._frame.page(request, "login.html", "Log in", {"problem": ""})

    async def log_in(self, request: web.Request) -> web.Response:
        """Take the token."""
        form = await request.post()
        if self._failed.too_many():
            problem = "Too many attempts failed. Wait a minute and try again."
        elif self._access.is_token(str(form.get("token", ""))):
            response = web.HTTPSeeOther("/")
            response.set_cookie(
                COOKIE,
                self._access.new_session(),
                max_age=SESSION_SECONDS,
                httponly=True,
                samesite="Lax",
                secure=_is_secure(request),
            )
            raise response
        else:
            self._failed.note()
            problem = "That isn't the admin token. It's the value of FIXPOINT_ADMIN_TOKEN."
        context = {"problem": problem}
        return self._frame.page(request, "login.html", "Log in", context, HTTPStatus.FORBIDDEN)

    async def log_out(self, request: web.Request) -> web.Response:
        """Forget the session."""
        await self._frame.checked_form(request)
        response = web.HTTPSeeOther("/login")
        response.del_cookie(COOKIE)
        raise response


def _is_secure(request: web.Request) -> bool:
    return request.secure or request.headers.get("X-Forwarded-Proto", "") == "https"
