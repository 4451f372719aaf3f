"""`fixpoint serve`: the webhook server, its database, its dispatcher and its durable runs."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import aiohttp
import structlog
from aiohttp import web

from bot import __version__
from bot.app.measuring import Measuring
from bot.background import in_background
from bot.errors import StorageError
from bot.github.github import GitHub
from bot.github.refusals import GitHubRetries
from bot.github.unused_tokens import unused_revoked
from bot.intake.approvals import Approvals
from bot.intake.check_dispatch import CheckEvents
from bot.intake.comment_dispatch import CommentEvents
from bot.intake.dispatch import Dispatcher
from bot.intake.missed import MissedDeliveries
from bot.intake.settling import Settler
from bot.intake.superseded_commits import LeftHeads
from bot.intake.webhook import Webhook
from bot.model.quota import WritePace
from bot.redaction import Redactor, redactor_of
from bot.runs.durability.dbos_steps import DurableRuns, DurableSteps
from bot.runs.workflow import FixWorkflow
from bot.server.dashboard import web_parts
from bot.server.housekeeping import Housekeeping, keep_mirrors_tidy, keep_sandboxes_tidy
from bot.server.limits import caps_of, timing_of
from bot.server.loop_lag import watch_loop
from bot.server.metrics_port import metrics_port
from bot.server.open_files import raise_limit
from bot.server.services import DependedOn, open_services
from bot.settings.environment import ServerSettings, load_server_settings, settings_warnings
from bot.storage.commits import CommitStore
from bot.storage.data_folder import make_data_folder
from bot.storage.database import Database, open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.journal import Journal
from bot.storage.ledger import Ledger
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStore
from bot.storage.steps_database import steps_database
from bot.storage.stores import Stores
from bot.telemetry.github_requests import watch_requests
from bot.telemetry.logs import configure_logs
from bot.telemetry.metrics import Metrics
from bot.telemetry.sentry import configure_sentry
from bot.telemetry.tracing import open_spans
from bot.web.application import add_routes
from bot.web.health import ServiceHealth
from bot.web.measurements import Measurements
from bot.web.rights import Rights
from bot.web.run_control import RunControl
from bot.web.webhooks.sending import WebhookSender

LOOK_AGAIN = 4
"""How many times `FIXPOINT_RETRY_SECONDS` checks that still run are left alone at first."""

SHUTDOWN_SECONDS = 5.0
"""For requests that are under way when the server stops."""

IDLE_SECONDS = 75.0
"""For the head of a request to arrive, from the first one of a connection on.

Else whoever begins thousands and sends no more keeps them all open. Longer than proxies keep idle
connections to a server: https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive_timeout
"""


@dataclass(frozen=True, slots=True)
class Server:
    """The parts of a running server that others may look at."""

    app: web.Application
    metrics_app: web.Application
    database: Database
    deliveries: DeliveryStore
    runs: RunStore
    commits: CommitStore
    dispatcher: Dispatcher
    settler: Settler
    durable: DurableRuns
    approvals: Approvals
    depends: DependedOn


@asynccontextmanager
async def open_server(settings: ServerSettings) -> AsyncIterator[Server]:
    """Build everything, take up unfinished runs, and close it all in the end.

    Raises:
        UsageError: When the database or the sandbox can't be used.
    """
    folder, timing = settings.fixpoint_data, timing_of(settings)
    redactor = redactor_of(settings, settings.fixpoint_redact)
    await asyncio.to_thread(make_data_folder, folder)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_database(settings.database_url))
        # What a power cut costs it, it costs the steps that it belongs to as well.
        unflushed = await stack.enter_async_context(
            await open_database(settings.database_url, flushed=False)
        )
        ledger = Ledger(unflushed)
        stack.push_async_callback(ledger.written)
        await ledger.close_ended_runs()
        stores = Stores.on(database, ledger, unflushed)
        await stack.enter_async_context(unflushed.news(stores.events.signals))
        runs = stores.runs
        metrics = Metrics()
        spans = await stack.enter_async_context(open_spans(settings, redactor))
        measuring = Measuring(metrics, spans)
        session = await stack.enter_async_context(
            aiohttp.ClientSession(
                trust_env=True, trace_configs=[watch_requests(metrics.calls, spans)]
            )
        )
        github = GitHub(
            session,
            app_id=str(settings.github_app_id),
            private_key=settings.github_private_key,
            api_url=settings.github_api_url,
            web_url=settings.github_url,
            patience=GitHubRetries(first_wait=timing.retry_seconds / 10),
            scrub=redactor.text,
            quotas=stores.quotas,
            writes=WritePace(per_minute=settings.fixpoint_github_writes_per_minute),
            token_looked_up=measuring.looked_up("installation_tokens"),
        )
        await stack.enter_async_context(unused_revoked(github))
        depends = await stack.enter_async_context(open_services(settings, metrics, measuring))
        await stack.enter_async_context(in_background(partial(watch_loop, metrics.state.late)))
        steps_engine = stack.enter_context(steps_database(settings.database_url))
        journal = Journal(steps_engine)
        workflow = FixWorkflow(
            github,
            stores,
            depends.sandboxes,
            depends.services,
            DurableSteps(journal, first_wait=timing.retry_seconds),
            folder,
            caps=caps_of(settings),
            timing=timing,
            redactor=redactor,
            metrics=metrics,
            spans=spans,
        )
        durable = DurableRuns(
            steps_engine,
            journal,
            executor_id=settings.fixpoint_server_name,
            concurrency=settings.fixpoint_concurrency,
            gate=depends.gate,
        )
        await durable.launch(workflow.run, workflow.go_on, workflow.end_outdated)
        stack.push_async_callback(durable.close)
        waiting = Approvals(runs, stores.approvals, durable.go_on, durable.start)
        await stack.enter_async_context(in_background(waiting.keep_looking))
        left = LeftHeads(github, runs, waiting)
        settler = await stack.enter_async_context(
            Settler(
                github,
                stores,
                durable.start,
                left,
                first_wait=LOOK_AGAIN * timing.retry_seconds,
            )
        )
        checks = CheckEvents(github, stores, waiting, left, settler.wake)
        dispatcher = await stack.enter_async_context(
            Dispatcher(
                stores.deliveries,
                runs,
                durable.start,
                CommentEvents(github, stores, durable.start, waiting, workflow.view_of, checks),
                checks,
                first_wait=timing.retry_seconds,
            )
        )
        missed = MissedDeliveries(github, stores.deliveries, every=settings.fixpoint_missed_seconds)
        housekeeping = Housekeeping(stores, journal)
        webhooks = WebhookSender(stores, first_wait=timing.retry_seconds)
        most = int(settings.fixpoint_mirrors_gb * 10**9)
        await stack.enter_async_context(
            in_background(
                missed.keep_looking,
                webhooks.keep_sending,
                housekeeping.keep_tidy,
                partial(keep_mirrors_tidy, folder / "mirrors", most),
                partial(keep_sandboxes_tidy, depends.sandboxes),
            )
        )
        app = build_app(settings, database, stores.deliveries, dispatcher.wake, redactor)
        control = RunControl(
            github, stores, durable.start, waiting, Rights(github), settings.github_url
        )
        await control.start_what_was_asked()
        health = ServiceHealth(depends.services, depends.concurrency)
        measurements = Measurements(
            metrics,
            RunLists(database),
            health,
            {"runs": database, "events": unflushed},
            settings.fixpoint_metrics_token,
        )
        add_routes(
            app,
            web_parts(settings, github, session, control, stores, database, measurements, health),
        )
        yield Server(
            app,
            measurements.alone(),
            database,
            stores.deliveries,
            runs,
            stores.commits,
            dispatcher,
            settler,
            durable,
            waiting,
            depends,
        )


def build_app(
    settings: ServerSettings,
    database: Database,
    deliveries: DeliveryStore,
    wake: Callable[[], None],
    redactor: Redactor,
) -> web.Application:
    """Return the web application: the webhook, and whether the server is well."""
    app = web.Application()
    webhook = Webhook(settings.github_webhook_secret, deliveries, wake, redactor)

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "version": __version__})

    async def readyz(_: web.Request) -> web.Response:
        try:
            await database.read(lambda connection: connection.exec_driver_sql("SELECT 1").scalar())
        except StorageError as error:
            return web.json_response({"status": "unavailable", "reason": str(error)}, status=503)
        return web.json_response({"status": "ready"})

    app.router.add_post("/webhook", webhook.handle)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    return app


def run_server() -> None:
    """Serve until a signal ends it.

    Raises:
        UsageError: When the settings, the database or the sandbox can't be used.
    """
    settings = load_server_settings(os.environ)
    configure_logs(settings)
    configure_sentry(settings)
    raise_limit()
    for warning in settings_warnings(os.environ):
        structlog.get_logger().warning("setting without effect", problem=warning)
    asyncio.run(_serve(settings))


async def _serve(settings: ServerSettings) -> None:
    ended = _ended_by_signal()
    async with open_server(settings) as server:
        runner = runner_of(server.app)
        await runner.setup()
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        port = runner.addresses[0][1]  # the one that was free, when the setting is 0
        structlog.get_logger().info("listening", host=settings.host, port=port)
        try:
            async with metrics_port(settings, server.metrics_app):
                await ended.wait()
        finally:
            await runner.cleanup()


def runner_of(app: web.Application, *, idle_seconds: float = IDLE_SECONDS) -> web.AppRunner:
    """Return what serves the application to whoever connects."""
    return web.AppRunner(
        app,
        shutdown_timeout=SHUTDOWN_SECONDS,
        access_log=None,
        auto_decompress=False,
        keepalive_timeout=idle_seconds,
    )


def _ended_by_signal() -> asyncio.Event:
    """Return what a signal sets from now on."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    return ended
