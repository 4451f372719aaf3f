"""`GET /metrics`: what the server counted, and how it stands at this moment."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import SecretStr

from bot.storage.database import Database
from bot.storage.outcomes import OutcomeStore
from bot.storage.run_lists import FIGURE_DAYS, RunLists
from bot.storage.runs import RunStatus
from bot.telemetry.metrics import Metrics
from bot.web.access import bearer_token
from bot.web.caller import CALLER, Scope
from bot.web.health import ServiceHealth

PATH = "/metrics"

_SLOW_SECONDS = 2.0
"""From which on the log tells of an answer that is no stream."""

_log = structlog.get_logger(__name__)


class Measurements:
    """Counts requests, and shows all that is counted."""

    def __init__(
        self,
        metrics: Metrics,
        lists: RunLists,
        outcomes: OutcomeStore,
        health: ServiceHealth,
        pools: Mapping[str, Database],
        token: SecretStr | None,
    ) -> None:
        """Say what to show, and to whom besides the administrator.

        Args:
            metrics: Of the server.
            lists: Of runs.
            outcomes: Of what they published.
            health: Of the services that runs need.
            pools: Of connections, by name.
            token: Reads metrics and nothing else.
        """
        self._metrics = metrics
        self._health = health
        self._lists = lists
        self._outcomes = outcomes
        self._pools = pools
        self._token = None if token is None else token.get_secret_value().encode()

    def admits(self, request: web.Request) -> bool:
        """Whether a request asks for metrics, and shows the token for them."""
        given = bearer_token(request)
        if request.path != PATH or given is None or self._token is None:
            return False
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token)

    async def handle(self, request: web.Request) -> web.Response:
        """Return everything as text to whoever may see it."""
        if not self.admits(request):
            request[CALLER].demand(Scope.ADMIN)
        return await self._all(request)

    def alone(self) -> web.Application:
        """Return an application for a port of its own, which has nothing but metrics."""
        app = web.Application()

        async def show(request: web.Request) -> web.Response:
            if self._token is None or self.admits(request):
                return await self._all(request)
            raise web.HTTPUnauthorized(
                text="Send FIXPOINT_METRICS_TOKEN: Authorization: Bearer TOKEN.\n",
                headers={"WWW-Authenticate": "Bearer"},
            )

        app.router.add_get(PATH, show)
        return app

    async def _all(self, request: web.Request) -> web.Response:
        standing, oldest, fixes = await asyncio.gather(
            self._lists.by_status(),
            self._lists.oldest_queued(),
            self._outcomes.counts(timedelta(days=FIGURE_DAYS)),
        )
        state = self._metrics.state
        for status in RunStatus:
            if status is not RunStatus.DONE:
                state.runs.labels(status.value).set(standing.get(status, 0))
        waited = 0.0 if oldest is None else (datetime.now(UTC) - oldest).total_seconds()
        state.queue_age.set(waited)
        state.fixes(fixes)
        for name, database in self._pools.items():
            pool = database.pool
            state.pool(name, in_use=pool.in_use, idle=pool.idle, writes_waiting=pool.writes_waiting)
        self._metrics.health.show(self._health.services.views(), self._health.concurrency.limit)
        body, content_type = self._metrics.exposition(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    @web.middleware
    async def count(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Count and time every request, by its route."""
        started = time.perf_counter()
        status, response = 500, None
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
            self._metrics.calls.answered(request.method, route, status, seconds)
            if seconds > _SLOW_SECONDS and isinstance(response, web.Response):
                _log.warning(
                    "slow request",
                    category="performance",
                    method=request.method,
                    route=route,
                    seconds=round(seconds, 3),
                )
