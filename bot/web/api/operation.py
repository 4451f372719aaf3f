"""What an operation of the API is: how it is routed, and how it is described."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from bot.web.api.parameters import Parameter
from bot.web.caller import Scope

PREFIX = "/api/v1"

ID: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{12}$"}
"""Schema of what names runs and sessions."""

ORDINAL: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 1000}
"""Schema of what counts from 1."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that the API does.

    Attributes:
        method: Of HTTP.
        path: With the names of its variables in braces.
        handler: Answers; its name is the operation's.
        scope: What the caller needs; None for nothing but to be let in.
        summary: What it does, in a sentence.
        takes: The JSON that it takes, or None.
        gives: The JSON that it gives, or a content type.
        status: When all went well.
        query: Its parameters.
        problems: With what else it answers, besides what every operation may.
        streams: Whether it gives server-sent events when asked for them.
        repeatable: Whether it takes an `Idempotency-Key`.
        paged: Whether its answer has `Link` headers.
        creates: Whether its answer says where what it made is, if it takes a body.
    """

    method: str
    path: str
    handler: Handler
    scope: Scope | None
    summary: str
    takes: type[BaseModel] | None
    gives: type[BaseModel] | str
    status: HTTPStatus = HTTPStatus.OK
    query: tuple[Parameter[Any], ...] = ()
    problems: tuple[HTTPStatus, ...] = ()
    streams: bool = False
    repeatable: bool = False
    paged: bool = False
    creates: bool = True

    @property
    def name(self) -> str:
        """Its name in the description."""
        return self.handler.__name__

    def variables(self) -> dict[str, dict[str, Any]]:
        """Return the schemas of the variables in its path."""
        known = {"id": ID, "n": ORDINAL}
        return {name: schema for name, schema in known.items() if f"{{{name}}}" in self.path}
