"""Read what a request of the API brings, and write what it gets."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.web.api.models import StartedPart
from bot.web.api.operation import PREFIX
from bot.web.api.parameters import OFFSET, Parameter, Whole
from bot.web.problems import ApiProblem

MOST_BODY = 256 * 1024
LONGEST_IDEMPOTENCY_KEY = 200
_LAST_EVENT = 10**9
AFTER = Parameter("after", "Number of the last event that is known.", Whole(0, _LAST_EVENT, 0))

M = TypeVar("M", bound=BaseModel)


async def given(request: web.Request, kind: type[M]) -> M:
    """Return the body of a request.

    Raises:
        ApiProblem: When it is not JSON of that kind; the text names what is wrong.
    """
    body = await request.read()
    if len(body) > MOST_BODY:
        raise ApiProblem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body has more than {MOST_BODY:,} bytes."
        )
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        told = [f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg']}." for item in found]
        raise ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, " ".join(told)) from None


def idempotency_key(request: web.Request) -> str:
    """Return the key under which a request may be repeated, or "".

    See https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
    """
    key = request.headers.get("Idempotency-Key", "").strip('"')
    if len(key) > LONGEST_IDEMPOTENCY_KEY or not (key.isascii() and key.isprintable()):
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"The Idempotency-Key may have at most {LONGEST_IDEMPOTENCY_KEY} characters, "
            "all of them ASCII.",
        )
    return key


def last_event(request: web.Request) -> int:
    """Return the number of the last event that a client knows."""
    after = AFTER.of(request)
    header = request.headers.get("Last-Event-ID", "")
    if header.isascii() and header.isdigit() and len(header) < len(str(_LAST_EVENT)):
        return int(header)
    return after


def answer(part: BaseModel, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    """Return a value as JSON."""
    text = json.dumps(part.model_dump(mode="json"), ensure_ascii=False)
    # texts of strangers may have half characters, which UTF-8 has no place for
    body = text.encode("utf-8", "replace")
    return web.Response(body=body, status=status, content_type="application/json")


def started(run_id: str) -> web.Response:
    """Return a run that was started."""
    url = f"{PREFIX}/runs/{run_id}"
    response = answer(StartedPart(id=run_id, url=url, events=f"{url}/events"), HTTPStatus.ACCEPTED)
    response.headers["Location"] = url
    return response


def next_page(request: web.Request, shown: int, total: int) -> str | None:
    """Return the path of the page behind one of `shown` entries of `total`; None for the last."""
    end = OFFSET.of(request) + shown
    if not shown or end >= total:
        return None
    return str(request.rel_url.update_query(offset=str(end)))


def link(response: web.Response, request: web.Request, shown: int, total: int, limit: int) -> None:
    """Add the addresses of other pages: https://www.rfc-editor.org/rfc/rfc8288."""
    offset = OFFSET.of(request)
    pages = {"first": 0}
    if offset > 0:
        pages["prev"] = max(0, offset - limit)
    if shown and offset + shown < total:
        pages["next"] = offset + shown
    links = [
        f'<{request.rel_url.update_query(offset=str(begin))}>; rel="{name}"'
        for name, begin in pages.items()
    ]
    response.headers["Link"] = ", ".join(links)
