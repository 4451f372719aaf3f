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
