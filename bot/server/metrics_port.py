"""Serve metrics on a port of their own, which nobody but Prometheus has to reach."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from bot.settings.environment import ServerSettings

_CLOSING_SECONDS = 1.0


@asynccontextmanager
async def metrics_port(settings: ServerSettings, app: web.Application) -> AsyncIterator[None]:
    """Serve metrics on a port of their own while the block lasts, where one is set."""
    if settings.fixpoint_metrics_port is None:
        yield
        return
    runner = web.AppRunner(app, shutdown_timeout=_CLOSING_SECONDS, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.fixpoint_metrics_port).start()
        port = runner.addresses[0][1]
        structlog.get_logger().info("listening for metrics", host=settings.host, port=port)
        yield
    finally:
        await runner.cleanup()
