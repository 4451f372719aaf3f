"""Run a server until a signal ends it: what it has begun is handed over to others."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from bot.errors import FixpointError
from bot.registration.pages import AppSetup, StoredSettings
from bot.registration.setup_server import serve_set_up
from bot.server.limits import timing_of
from bot.server.roles import ServerRole
from bot.server.serve import Server, open_server
from bot.server.smee import deliveries_from
from bot.settings.environment import (
    APP_VARIABLES,
    ServerSettings,
    StoreSettings,
    load_server_settings,
    load_store_settings,
    settings_warnings,
)
from bot.settings.environment_file import environment_files
from bot.telemetry.logs import configure_logs
from bot.telemetry.sentry import configure_sentry

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


ENOUGH = 65_536
"""Beyond what all runs together need; programs that close every possible descriptor before they
start take seconds for a billion, which some container engines allow."""


def raise_limit() -> int:
    """Raise the soft limit of open files to the hard one, or to enough, and return what it is.

    The usual soft limit is 1024, for programs that use `select`:
    https://0pointer.net/blog/file-descriptor-limits.html
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


SHUTDOWN_SECONDS = 5.0
"""For requests that are under way when the server stops."""

AGAIN_SECONDS = 1.0
"""Until a server that was taken for dead tries again to begin anew."""

IDLE_SECONDS = 75.0
"""For the head of a request to arrive, from the first one of a connection on.

Else whoever begins thousands and sends no more keeps them all open. Longer than proxies keep idle
connections to a server: https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive_timeout
"""

_log = structlog.get_logger(__name__)


def run_server(role: ServerRole) -> None:
    """Serve until a signal ends it; a second one does not wait for what is under way.

    Raises:
        UsageError: When the settings, the database or the sandbox can't be used.
    """
    if role.answers and not any(os.environ.get(name) for name in APP_VARIABLES):
        kept = asyncio.run(_set_up(load_store_settings(os.environ)))
        if kept is None:
            return
        os.environ.update(kept.app.settings)
    settings = load_server_settings(os.environ)
    configure_logs(settings)
    configure_sentry(settings)
    raise_limit()
    for warning in settings_warnings(os.environ):
        _log.warning("setting without effect", problem=warning)
    asyncio.run(_serve(settings, role))


async def _set_up(settings: StoreSettings) -> StoredSettings | None:
    """Have somebody create the App; None when a signal came first.

    Who has one and misspelt its settings is told so first.
    """
    for warning in settings_warnings(os.environ):
        print(warning, file=sys.stderr, flush=True)  # noqa: T201 - there are no logs yet
    public = settings.fixpoint_public_url or ""
    set_up = AppSetup(environment_files(os.environ), public)
    stop = _Signals().stop
    return await serve_set_up(set_up, settings.host, settings.port, stop, origin=public)


class _Signals:
    """What the process was asked for."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.at_once = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._heard)

    def _heard(self) -> None:
        if self.stop.is_set():
            self.at_once.set()
        self.stop.set()


async def _serve(settings: ServerSettings, role: ServerRole) -> None:
    signals = _Signals()
    await _live(settings, role, signals)
    while not signals.stop.is_set():
        try:
            await _live(settings, role, signals)
        except FixpointError as error:  # it served a moment ago: the database is away
            _log.error("could not begin anew", problem=str(error))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(signals.stop.wait(), AGAIN_SECONDS)
    _log.info("stopped")


async def _live(settings: ServerSettings, role: ServerRole, signals: _Signals) -> None:
    """Serve until a signal ends it, or until another server took this one for dead.

    Raises:
        UsageError: When the settings, the database or the sandbox can't be used.
        StorageError: When the database went away while the server began.
    """
    async with (
        open_server(settings, role) as server,
        _listening(server, settings, role),
        metrics_port(settings, server.metrics_app),
    ):
        lost = server.membership.lost
        await _first_of(signals.stop, lost)
        if not lost.is_set():
            _log.info("stopping", runs=len(server.stopping.tasks))
            seconds = timing_of(settings).park_seconds
            await _unless(signals.at_once, server.drain(seconds))


@asynccontextmanager
async def _listening(
    server: Server, settings: ServerSettings, role: ServerRole
) -> AsyncIterator[None]:
    """Take requests while the block lasts."""
    port = settings.port if role.answers else settings.fixpoint_worker_port
    if port is None:
        _log.info("working", server=server.membership.id)
        yield
        return
    runner = runner_of(server.app)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, port).start()
        bound = runner.addresses[0][1]  # the one that was free, when the setting is 0
        _log.info("listening", host=settings.host, port=bound, server=server.membership.id)
        channel = settings.fixpoint_smee_url if role.answers else None
        async with deliveries_from(channel, f"http://{_local(settings.host)}:{bound}/webhook"):
            yield
    finally:
        await runner.cleanup()


def _local(host: str) -> str:
    """Return the address under which this process reaches itself."""
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared


def runner_of(app: web.Application, *, idle_seconds: float = IDLE_SECONDS) -> web.AppRunner:
    """Return what serves the application to whoever connects."""
    return web.AppRunner(
        app,
        shutdown_timeout=SHUTDOWN_SECONDS,
        access_log=None,
        auto_decompress=False,
        keepalive_timeout=idle_seconds,
    )


async def _first_of(*events: asyncio.Event) -> None:
    """Return once one of them is set."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


async def _unless(event: asyncio.Event, work: Coroutine[None, None, None]) -> None:
    """Do the work, and give it up once the event is set."""
    doing, waiting = asyncio.ensure_future(work), asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait((doing, waiting), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            doing.result()
    finally:
        for task in (doing, waiting):
            task.cancel()
        await asyncio.gather(doing, return_exceptions=True)
