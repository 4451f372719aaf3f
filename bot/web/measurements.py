"""`GET /metrics`: what the server counted, and how it stands at this moment."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStatus
from bot.telemetry.metrics import Metrics
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth, loop_lag

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Measurements:
    """Counts requests, and shows all that is counted."""

    def __init__(self, metrics: Metrics, lists: RunLists, health: ServiceHealth) -> None:
        self._metrics = metrics
        self._health = health
        self._lists = lists

    async def handle(self, request: web.Request) -> web.Response:
        """Return everything as text: https://prometheus.io/docs/instrumenting/exposition_formats/."""
        request[CALLER].demand(Scope.ADMIN)
        standing, oldest, lag = await asyncio.gather(
            self._lists.by_status(), self._lists.oldest_queued(), loop_lag()
        )
        for status in RunStatus:
            if status is not RunStatus.DONE:
                self._metrics.runs.labels(status.value).set(standing.get(status, 0))
        waited = 0.0 if oldest is None else (datetime.now(UTC) - oldest).total_seconds()
        self._metrics.queue_age.set(waited)
        self._metrics.lag.set(lag)
        self._metrics.health.show(self._health.services.views(), self._health.concurrency.limit)
        return web.Response(
            body=self._metrics.exposition(), headers={"Content-Type": _CONTENT_TYPE}
        )

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Count and time every request, by its route."""
        started = time.perf_counter()
        status = 500
        try:
            response = await handler(request)
            status = response.status
        except web.HTTPException as answer:
            status = answer.status
            raise
        else:
            return response
        finally:
            resource = request.match_info.route.resource
            route = resource.canonical if resource is not None else "none"
            seconds = time.perf_counter() - started
            self._metrics.answered(request.method, route, status, seconds)
