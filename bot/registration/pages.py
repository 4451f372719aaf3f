"""The pages of the set-up: what to register, the way to GitHub and back, and what comes next."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import aiohttp_jinja2
from aiohttp import web
from aiohttp.typedefs import Handler

from bot import __version__
from bot.errors import FixpointError, GitHubError, UsageError
from bot.registration.created_app import CreatedApp, created_app
from bot.registration.manifest import GITHUB, Registration, registration_of
from bot.settings.environment_file import write_settings
from bot.web.application import POLICY, SECURE_HEADERS
from bot.web.pages.frame import set_up_templates
from bot.web.pages.site import asset

PATH = "/setup"
_CREATED = f"{PATH}/created"
_WAITING = "Fixpoint is not set up yet. Open the address that it printed when it started."
_TOKENLESS = (
    "This page needs a token. Open the whole address that Fixpoint printed when it started."
)
_OTHER_VISIT = (
    "GitHub sent this answer to another visit of this page. Start again; an App that was created "
    "meanwhile can be deleted in its settings on GitHub."
)
_NOT_HERE = frozenset({"/webhook", "/readyz"})
"""What works once the server is set up: GitHub and load balancers come back."""


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """Where the settings of a new App are.

    Attributes:
        file: That has them now; None where nobody wanted it, or it can't be written.
        problem: Why it can't be written, as a sentence; may be empty.
    """

    app: CreatedApp
    file: Path | None
    problem: str = ""


@dataclass(slots=True)
class AppSetup:
    """One set-up, from the first page to an App.

    Attributes:
        files: Of which the first that can be written gets the settings; without any, they are
            handed to the person alone.
        server: The address that the form proposes for the server; that of the page if empty.
        token: What the first page asks for.
    """

    files: Sequence[Path]
    server: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _asked: dict[str, Registration] = field(default_factory=dict)
    _kept: asyncio.Future[StoredSettings] = field(default_factory=asyncio.Future)

    def address(self, origin: str) -> str:
        """Return the page to open in a browser, of what answers at `origin`."""
        return f"{origin}{PATH}?token={self.token}"

    async def finished(self) -> StoredSettings:
        """Return the App once there is one."""
        return await self._kept

    def app(self) -> web.Application:
        """Return what answers until then."""
        app = web.Application(middlewares=[_told_as_pages])
        set_up_templates(app)
        app.on_response_prepare.append(_sign)
        app.router.add_get(PATH, self._ask)
        app.router.add_post(PATH, self._leave)
        app.router.add_get(_CREATED, self._come_back)
        app.router.add_get("/static/{name}", asset)
        app.router.add_get("/healthz", _healthy)
        return app

    async def _ask(self, request: web.Request) -> web.Response:
        """Show the form."""
        self._check(request.query.get("token", ""))
        given = {"server": self.server or _origin(request), "name": "Fixpoint", "github": GITHUB}
        return self._form(request, given)

    async def _leave(self, request: web.Request) -> web.Response:
        """Lead to GitHub, which shows what it would register and asks for the name."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        self._check(form.get("token", ""))
        fields = ("name", "server", "github", "organization", "smee")
        try:
            registration = registration_of(*(form.get(name, "") for name in fields))
        except UsageError as error:
            return self._form(request, form, str(error))
        state = secrets.token_urlsafe(24)
        self._asked[state] = registration
        response = _page(
            request,
            "setup_leave.html",
            "Create the App",
            {
                "form": f"{registration.form}?state={state}",
                "manifest": json.dumps(registration.manifest(f"{_origin(request)}{_CREATED}")),
                "registration": registration,
            },
        )
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(registration.github))
        response.headers["Content-Security-Policy"] = POLICY.replace(
            "form-action 'self'", f"form-action 'self' {origin}"
        )
        return response

    async def _come_back(self, request: web.Request) -> web.Response:
        """Fetch the App that GitHub created, and keep its settings."""
        registration = self._asked.get(request.query.get("state", ""))
        code = request.query.get("code", "")
        if registration is None or not code:
            raise UsageError(_OTHER_VISIT)
        async with aiohttp.ClientSession(trust_env=True) as session:
            app = await created_app(session, registration, code)
        self._asked.clear()
        kept = self._keep(app)
        if not self._kept.done():
            self._kept.set_result(kept)
        return _page(
            request,
            "setup_done.html",
            f"{app.slug} is registered",
            {"kept": kept, "app": app, "lines": setting_lines(app.settings)},
        )

    def _keep(self, app: CreatedApp) -> StoredSettings:
        """Write the settings into the first file that takes them."""
        problem = ""
        for file in self.files:
            try:
                write_settings(file, app.settings)
            except UsageError as error:
                problem = problem or str(error)
            else:
                return StoredSettings(app, file.absolute())
        return StoredSettings(app, None, problem)

    def _check(self, token: str) -> None:
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            raise UsageError(_TOKENLESS)

    def _form(
        self, request: web.Request, given: Mapping[str, str], problem: str = ""
    ) -> web.Response:
        status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
        context = {"given": given, "token": self.token, "problem": problem}
        return _page(request, "setup.html", "Set up Fixpoint", context, status)


def setting_lines(settings: Mapping[str, str]) -> str:
    """Return settings as lines of an environment file."""
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def _page(
    request: web.Request,
    template: str,
    title: str,
    context: Mapping[str, object],
    status: HTTPStatus = HTTPStatus.OK,
) -> web.Response:
    common = {"title": title, "path": request.path, "csrf": "", "may": (), "version": __version__}
    response = aiohttp_jinja2.render_template(template, request, {**common, **context})
    response.set_status(status)
    return response


def _origin(request: web.Request) -> str:
    """Return the address under which the browser came, through a proxy that tells it or without."""
    scheme = request.headers.get("X-Forwarded-Proto", request.scheme)
    return f"{'https' if scheme == 'https' else 'http'}://{request.host}"


@web.middleware
async def _told_as_pages(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        if request.path in _NOT_HERE:
            return web.json_response(
                {"status": "unavailable", "reason": _WAITING}, status=HTTPStatus.SERVICE_UNAVAILABLE
            )
        return await handler(request)
    except web.HTTPNotFound:
        problem, status = _WAITING, HTTPStatus.NOT_FOUND
    except FixpointError as error:
        problem = str(error)
        status = HTTPStatus.BAD_GATEWAY if isinstance(error, GitHubError) else HTTPStatus.FORBIDDEN
    return _page(
        request,
        "problem.html",
        "Set up Fixpoint",
        {"detail": problem, "without_runs": True},
        status,
    )


async def _sign(_: web.Request, response: web.StreamResponse) -> None:
    for header, value in SECURE_HEADERS.items():
        response.headers.setdefault(header, value)


async def _healthy(_: web.Request) -> web.Response:
    return web.json_response({"status": "ok", "version": __version__})
