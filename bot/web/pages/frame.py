"""What all pages have in common: how they are rendered, refused, and sent back as forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import aiohttp_jinja2
import jinja2
from aiohttp import web

from bot import __version__
from bot.reporting.figures import ago, cap, count, duration, money
from bot.web.access import AdminAccess
from bot.web.caller import CALLER, Caller, Scope
from bot.web.problems import ApiProblem
from bot.web.sessions import SESSION, LoginSession, Sessions
from bot.web.shown_text import called, marked, patch_lines, prose, terminal

Context = dict[str, Any]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Frame:
    """Renders pages for whoever asks for them."""

    def __init__(
        self, access: AdminAccess, sessions: Sessions, prepare: Callable[[], None]
    ) -> None:
        """Say who may see pages.

        Args:
            access: With the admin token.
            sessions: Of people.
            prepare: Called for each page: somebody looks, and may look at others.
        """
        self._access = access
        self._sessions = sessions
        self._prepare = prepare

    def page(
        self,
        request: web.Request,
        template: str,
        title: str,
        context: Context,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> web.Response:
        """Return a page, with what all of them show."""
        session: LoginSession | None = request.get(SESSION)
        caller: Caller | None = request.get(CALLER)
        may = frozenset[Scope]() if caller is None else caller.scopes
        common: Context = {
            "title": title,
            "path": request.path,
            "csrf": session.csrf if session is not None else "",
            "caller": caller,
            "may": {scope.value for scope in may},
            "can_log_out": self._access.asks_for_login and session is not None,
            "version": __version__,
            "now": datetime.now(UTC),
        }
        response = aiohttp_jinja2.render_template(template, request, {**common, **context})
        response.set_status(status)
        return response

    def guarded(self, handler: Handler) -> Handler:
        """Return a handler whose problems are shown as a page."""

        async def handle(request: web.Request) -> web.StreamResponse:
            self._prepare()
            try:
                return await handler(request)
            except ApiProblem as problem:
                return self.problem(request, problem)

        return handle

    def problem(self, request: web.Request, problem: ApiProblem) -> web.Response:
        """Return a page that says what is wrong."""
        context = {"detail": problem.detail}
        return self.page(request, "problem.html", problem.status.phrase, context, problem.status)

    async def checked_form(self, request: web.Request) -> Mapping[str, str]:
        """Return the fields of a form that one of our own pages sent.

        Raises:
            ApiProblem: When none of them did, or one of an earlier session.
        """
        form = {name: str(value) for name, value in (await request.post()).items()}
        session: LoginSession | None = request.get(SESSION)
        if session is None or not self._sessions.from_our_form(session, form.get("csrf", "")):
            raise ApiProblem(
                HTTPStatus.FORBIDDEN, "This form is out of date. Reload the page and try again."
            )
        return form


def set_up_templates(app: web.Application) -> None:
    """Have templates found, and know how to show our values."""
    environment = aiohttp_jinja2.setup(
        app,
        loader=jinja2.PackageLoader("bot.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "terminal": terminal,
        "diff": patch_lines,
        "prose": prose,
        "marked": marked,
        "called": called,
        "cap": cap,
        "money": _money,
        "duration": duration,
        "count": count,
        "when": _when,
        "moment": _moment,
    }


def _money(amount: Decimal | float | None) -> str:
    return money(Decimal(str(amount)) if isinstance(amount, float) else amount)


def _when(moment: datetime, now: datetime) -> str:
    """Return how long ago something was."""
    return ago((now - moment).total_seconds())


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
