"""Somebody who is told of runs: an HTTP server that keeps what it gets, and answers as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer


@dataclass(frozen=True, slots=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """What came, and what is answered: the n-th status for the n-th request, then 204."""

    statuses: Sequence[int] = ()
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.received.append(Received(request.path, dict(request.headers), body))
        self.news.set()
        n = len(self.received)
        status = self.statuses[n - 1] if n <= len(self.statuses) else 204
        return web.Response(status=status, headers=self.answer_headers)

    async def until(self, requests: int) -> None:
        """Wait until so many came."""
        async with asyncio.timeout(600):
            while len(self.received) < requests:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def open_receiver(
    statuses: Sequence[int] = (), answer_headers: Mapping[str, str] | None = None
) -> AsyncIterator[Receiver]:
    """Serve on a free port."""
    receiver = Receiver(statuses, answer_headers or {})
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receiver.handle)
    async with TestServer(app) as server:
        receiver.url = str(server.make_url("/hook"))
        yield receiver
