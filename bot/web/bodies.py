"""Read the bodies of requests before anything is done with them: in time, whole, and as text."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from aiohttp import web

from bot.web.problems import ApiProblem

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
