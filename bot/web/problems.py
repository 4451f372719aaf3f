"""Errors of the API: RFC 9457 problem details, each with a sentence that says what to do."""

from __future__ import annotations

import json
from http import HTTPStatus

from aiohttp import web

CONTENT_TYPE = "application/problem+json"


class ApiProblem(Exception):
    """Why a request can't be answered.

    Attributes:
        status: Of HTTP.
        detail: One sentence.
        headers: More of the answer.
    """

    def __init__(
        self, status: HTTPStatus, detail: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}

    def response(self) -> web.Response:
        """Return it as an answer."""
        body = {"title": self.status.phrase, "status": int(self.status), "detail": self.detail}
        return web.Response(
            text=json.dumps(body),
            status=self.status,
            content_type=CONTENT_TYPE,
            headers=self.headers,
        )


def of_router(answer: web.HTTPException) -> ApiProblem:
    """Return as a problem what the router, or aiohttp itself, answers a request with."""
    status = HTTPStatus(answer.status)
    match status:
        case HTTPStatus.NOT_FOUND:
            detail = "There is nothing at this path. /api/docs lists what there is."
        case HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = answer.headers.get("Allow", "")
            detail = f"This path takes {allowed} only."
        case _:
            detail = f"{answer.reason}."
    kept = {"Allow": answer.headers["Allow"]} if "Allow" in answer.headers else {}
    return ApiProblem(status, detail, kept)
