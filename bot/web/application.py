"""Put the dashboard and the API onto the server, behind the door that lets in who may."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.config.repo_config import SCHEMA_PATH
from bot.errors import StorageError
from bot.web.access import AdminAccess, bearer_token
from bot.web.api.operation import PREFIX
from bot.web.api.service import Api
from bot.web.caller import ADMINISTRATOR, CALLER, Caller
from bot.web.keys import KeyAccess, unknown
from bot.web.measurements import PATH as METRICS
from bot.web.measurements import Measurements
from bot.web.origins import Origins
from bot.web.pages.github_login import CALLBACK, GitHubLogin, login_address
from bot.web.pages.site import Pages
from bot.web.problems import ApiProblem, of_router
from bot.web.rates import RateLimits
from bot.web.sessions import SESSION, LoginSession, Sessions
from bot.web.streams import STILL_GOOD, StillGood

BODY_SECONDS = 60.0
"""For a body to arrive."""

_FORM = "application/x-www-form-urlencoded"
_UTF_8 = frozenset({"utf-8", "utf8", "us-ascii"})


async def read_body(request: web.Request, *, seconds: float = BODY_SECONDS) -> None:
    """Have the whole body here before a handler asks for it; handlers get what was read.

    Raises:
        ApiProblem: When it is too large, too slow, or no text; says which.
    """
    if not request.can_read_body:
        return
    _check_kind(request)
    try:
        async with asyncio.timeout(seconds):
            body = await request.read()  # its limit is the application's
    except web.HTTPRequestEntityTooLarge as error:
        raise ApiProblem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{error.text}") from None
    except (web.RequestPayloadError, TimeoutError):
        raise ApiProblem(
            HTTPStatus.BAD_REQUEST, "The body did not arrive as a whole. Send it again."
        ) from None
    if request.content_type == _FORM:
        _check_text(body)


def _check_kind(request: web.Request) -> None:
    if request.content_type.startswith("multipart/"):
        raise ApiProblem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Forms are sent as {_FORM}, and programs send JSON."
        )
    charset = request.charset
    if charset is not None and charset.lower() not in _UTF_8:
        raise ApiProblem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be UTF-8.")


def _check_text(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError:
        raise ApiProblem(HTTPStatus.BAD_REQUEST, "The body must be UTF-8.") from None


_SANE = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)


def request_id(given: str) -> str:
    """Return the name that a client gave, if it can be in a log and a header, or a new one."""
    return given if _SANE.fullmatch(given) else os.urandom(8).hex()


_log = structlog.get_logger(__name__)

OFF = (
    "The dashboard and the API are off, because the server can be reached from other machines and "
    "nobody would have to log in. Set FIXPOINT_ADMIN_TOKEN, or GITHUB_CLIENT_ID and "
    "GITHUB_CLIENT_SECRET, or set HOST to 127.0.0.1."
)
_FOREIGN = (
    "Without FIXPOINT_ADMIN_TOKEN, only the server's own user is answered, on the server's machine, "
    "at http://localhost, and through no proxy. Set the token."
)
_OTHER_PAGE = (
    "A page of another site sent this. Send it from the dashboard, or with the admin token."
)
_BUG = "The server failed at this because of a bug. Its log has the details under the request ID."
_NO_PAGE = "There is no page at this address."
_UNKNOWN = "Send an API key, or the admin token: Authorization: Bearer KEY."
_OPEN = frozenset({"/webhook", "/healthz", "/readyz", SCHEMA_PATH})
"""Answered to everybody, by handlers of the server itself."""

_NAME = web.RequestKey("name", str)
"""By which a request is found in the log."""

_TOLD = web.RequestKey("told", dict[str, str])
"""Headers that its answer gets, whatever it is."""

_WITHOUT_LOGIN = frozenset({"/login", "/login/github", CALLBACK})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SECURE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class WebParts:
    """What answers."""

    access: AdminAccess
    sessions: Sessions
    login: GitHubLogin | None
    keys: KeyAccess
    rates: RateLimits
    origins: Origins
    api: Api
    document: Callable[[], Mapping[str, Any]]
    pages: Pages
    measurements: Measurements


def add_routes(app: web.Application, parts: WebParts) -> None:
    """Route the dashboard and the API, and have every request pass the door."""
    app.middlewares.append(parts.measurements.count)
    app.middlewares.append(_door(parts))
    app.on_response_prepare.append(_sign)
    for operation in parts.api.operations():
        app.router.add_route(operation.method, operation.path, operation.handler)
    text = cache(lambda: json.dumps(parts.document(), indent=2))

    async def described(_: web.Request) -> web.Response:
        return web.Response(text=text(), content_type="application/json")

    app.router.add_get(f"{PREFIX}/openapi.json", described)
    app.router.add_get(METRICS, parts.measurements.handle)
    parts.pages.add_to(app)
    if not parts.access.is_open:
        _log.warning("dashboard and API are off", problem=OFF)


async def _sign(request: web.Request, response: web.StreamResponse) -> None:
    """Give every answer the headers that keep browsers and caches from doing what no page of ours needs."""
    if request.path in _OPEN:
        return
    response.headers["X-Request-ID"] = request.get(_NAME, "")
    response.headers.update(request.get(_TOLD, {}))
    for header, value in SECURE_HEADERS.items():
        response.headers.setdefault(header, value)


def _door(parts: WebParts) -> Middleware:
    @web.middleware
    async def door(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let in who may; every error is a sentence, and every answer can be found in the log."""
        request[_NAME] = request_id(request.headers.get("X-Request-ID", ""))
        request[_TOLD] = {}
        with structlog.contextvars.bound_contextvars(request_id=request[_NAME]):
            if request.path in _OPEN:
                return await handler(request)
            if parts.origins.is_preflight(request.method, request.path, request.headers):
                headers = parts.origins.permitted(request.path, request.headers)
                return web.Response(status=HTTPStatus.NO_CONTENT, headers=headers)
            try:
                if not parts.measurements.admits(request):
                    await _let_in(parts, request)
                await read_body(request)
                return await handler(request)
            except Exception as error:  # noqa: BLE001 - raised again unless it can be said
                problem = _said(request, error)
                if isinstance(error, web.HTTPException) and not _is_for_programs(request.path):
                    return parts.pages.problem(request, problem)
                return problem.response()

    return door


def _said(request: web.Request, error: Exception) -> ApiProblem:
    """Return an error as a sentence, or raise it: what leads elsewhere, and bugs behind a page."""
    if isinstance(error, ApiProblem):
        return error
    if isinstance(error, StorageError):
        return ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
    if isinstance(error, web.HTTPException):
        if error.status < HTTPStatus.BAD_REQUEST:
            raise error
        if error.status == HTTPStatus.NOT_FOUND and not _is_for_programs(request.path):
            return ApiProblem(HTTPStatus.NOT_FOUND, _NO_PAGE)
        return of_router(error)
    if not _is_for_programs(request.path):
        raise error
    _log.error("request failed", path=request.path, exc_info=error)
    return ApiProblem(HTTPStatus.INTERNAL_SERVER_ERROR, _BUG)


async def _let_in(parts: WebParts, request: web.Request) -> None:
    """Raise what keeps a request out; remember who sent it, and the session of a person."""
    access = parts.access
    if not access.is_open:
        raise ApiProblem(HTTPStatus.NOT_FOUND, OFF)
    if not access.reaches(request):
        raise ApiProblem(HTTPStatus.FORBIDDEN, _FOREIGN)
    program = await _program(parts, request)
    if program is not None:
        request[CALLER] = program
        return
    if not _is_own(request):
        raise ApiProblem(HTTPStatus.FORBIDDEN, _OTHER_PAGE)
    if request.path in _WITHOUT_LOGIN or request.path.startswith("/static/"):
        return
    session = parts.sessions.read(request) if access.asks_for_login else parts.sessions.local()
    person = await _person(parts, session)
    if session is not None and person is not None:
        request[SESSION] = session
        request[CALLER] = person
    elif _is_for_programs(request.path):
        raise unknown(_UNKNOWN)
    else:
        raise web.HTTPSeeOther(login_address(request))


async def _program(parts: WebParts, request: web.Request) -> Caller | None:
    """Return the program that shows a bearer token, and count its request; None without a token.

    Raises:
        ApiProblem: When it shows one that lets nobody in, or sends too many requests.
    """
    token = bearer_token(request)
    if token is None:
        return None
    told = request[_TOLD]
    # a page that can show a key may read what comes of it; one that relies on cookies never may
    told |= parts.origins.shown(request.path, request.headers)
    if parts.access.is_token(token):
        caller = ADMINISTRATOR
    else:
        caller = await parts.keys.caller(token)
        is_good: StillGood = partial(parts.keys.is_good, token)
        request[STILL_GOOD] = is_good
    told |= await parts.rates.count(caller.name)
    return caller


async def _person(parts: WebParts, session: LoginSession | None) -> Caller | None:
    """Return who has a session; None when nobody has it any more."""
    if session is None:
        return None
    if session.token is None:
        return ADMINISTRATOR
    if parts.login is None:
        return None
    return await parts.login.people.caller(session, session.token)


def _is_own(request: web.Request) -> bool:
    """Whether no page of somebody else's made a browser send this, as far as browsers tell.

    See https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
    """
    if request.method in {"GET", "HEAD"}:
        return True
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("Origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.host
    except ValueError:  # such as http://[::1
        return False


def _is_for_programs(path: str) -> bool:
    return path.startswith(("/api/v1/", "/health")) or path in {"/code", METRICS}
