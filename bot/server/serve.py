"""Put a server together: its database, its place among the servers, its runs and its pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import aiohttp
import structlog
from aiohttp import web
from sqlalchemy import Engine

from bot import __version__
from bot.app.embedding import embedder_of
from bot.app.instrumentation import Measuring
from bot.background import in_background
from bot.config.repo_config import SCHEMA_PATH, json_schema
from bot.errors import StorageError
from bot.github.github import GitHub
from bot.github.refusals import GitHubRetries
from bot.github.unused_tokens import unused_revoked
from bot.intake.approval_answers import Approvals
from bot.intake.onboarding import Onboarding
from bot.intake.webhook import WebhookReceiver
from bot.model.quota import WritePace
from bot.redaction import Redactor, redactor_of
from bot.runs.admission import Admission
from bot.runs.display import Display
from bot.runs.durability.bodies import NOT_HERE, QueueLimits, RunBodies
from bot.runs.durability.dbos_runs import STEPS_VERSION, DurableRuns
from bot.runs.durability.dbos_steps import DurableSteps
from bot.runs.durability.gate import RunGate
from bot.runs.durability.stopping import Stopping
from bot.runs.waiting_times import Timing
from bot.runs.workflow import FixWorkflow
from bot.server.background_work import Desk, Shared, open_desk
from bot.server.dashboard import web_parts
from bot.server.fix_workflow import build_proofs, build_workflow
from bot.server.housekeeping import keep_mirrors_tidy
from bot.server.limits import caps_of, concurrency_of, queue_of, services_of, sweeps_of, timing_of
from bot.server.membership import Membership, new_id
from bot.server.roles import ServerRole
from bot.server.services import DependedOn, open_services
from bot.settings.environment import OnboardingKind, ServerSettings
from bot.storage.commits import CommitStore
from bot.storage.data_folder import make_data_folder
from bot.storage.database import Database, open_database
from bot.storage.deliveries import DeliveryStore
from bot.storage.group_commit import Fence
from bot.storage.journal import Journal
from bot.storage.ledger import Ledger
from bot.storage.run_lists import RunLists
from bot.storage.runs import RunStore
from bot.storage.server_locks import ServerLocks
from bot.storage.servers import ServerStore
from bot.storage.steps_database import steps_database
from bot.storage.stores import Stores
from bot.telemetry.github_requests import watch_requests
from bot.telemetry.metrics import Metrics
from bot.telemetry.span import Spans
from bot.telemetry.tracing import open_spans
from bot.web.application import add_routes
from bot.web.health import ServiceHealth
from bot.web.measurements import Measurements
from bot.web.rights import Rights
from bot.web.run_control import RunControl


@dataclass(frozen=True, slots=True)
class ServerDatabase:
    """The database, as one of its servers has it.

    Attributes:
        database: Its writes are on disk when they return.
        unflushed: Of its writes a power cut may cost the last.
        servers: All of them.
        membership: This one's.
        fence: What refuses to write once this one was taken for dead.
    """

    database: Database
    unflushed: Database
    servers: ServerStore
    membership: Membership
    fence: Fence


@asynccontextmanager
async def joined(
    settings: ServerSettings, role: ServerRole, timing: Timing
) -> AsyncIterator[ServerDatabase]:
    """Be one of the servers while the block lasts.

    Raises:
        UsageError: When the database can't be used.
    """
    url, stall = settings.database_url, timing.stall_seconds
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_database(url, stall_seconds=stall))
        # What a power cut costs it, it costs the steps that it belongs to as well.
        unflushed = await stack.enter_async_context(
            await open_database(url, flushed=False, stall_seconds=stall)
        )
        servers = ServerStore(database)
        membership = Membership(servers, ServerLocks.of(url, new_id()), role, timing)
        await stack.enter_async_context(membership.joined(STEPS_VERSION))
        await stack.enter_async_context(in_background(membership.keep_beating))
        fence = servers.fence(membership.id)
        for item in (database, unflushed):
            item.fenced_by(fence)
        yield ServerDatabase(database, unflushed, servers, membership, fence)


PAUSE = 0.5
"""Seconds between two looks."""

_LATE = 1.0
"""Seconds from which on the log says so."""

_log = structlog.get_logger(__name__)


async def watch_loop(late: Callable[[float], None]) -> None:
    """Look for ever, and tell by how many seconds it was late each time."""
    loop = asyncio.get_running_loop()
    while True:
        wanted = loop.time() + PAUSE
        await asyncio.sleep(PAUSE)
        seconds = max(0.0, loop.time() - wanted)
        late(seconds)
        if seconds > _LATE:
            _log.warning("event loop late", seconds=round(seconds, 3), category="performance")


@dataclass(frozen=True, slots=True)
class Server:
    """The parts of a running server that others may look at.

    Attributes:
        desk: None where deliveries are only taken, as with `depends`.
        draining: Set once the server stops: it is not ready any more.
    """

    app: web.Application
    metrics_app: web.Application
    database: Database
    deliveries: DeliveryStore
    runs: RunStore
    commits: CommitStore
    durable: DurableRuns
    admission: Admission
    approvals: Approvals
    membership: Membership
    stopping: Stopping
    desk: Desk | None
    draining: asyncio.Event
    depends: DependedOn | None

    async def drain(self, seconds: float) -> None:
        """Take nothing more up, and leave runs to others; steps have some seconds to end."""
        self.draining.set()
        if self.desk is not None:
            await self.desk.stop()
        await self.durable.hand_over(seconds)


@asynccontextmanager
async def open_server(
    settings: ServerSettings, role: ServerRole = ServerRole.SERVE
) -> AsyncIterator[Server]:
    """Build everything, take up unfinished runs, and close it all in the end.

    Raises:
        UsageError: When the database or the sandbox can't be used.
    """
    timing = timing_of(settings)
    redactor = redactor_of(settings, settings.fixpoint_redact)
    await asyncio.to_thread(make_data_folder, settings.fixpoint_data)
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(joined(settings, role, timing))
        database, unflushed, membership = place.database, place.unflushed, place.membership
        ledger = Ledger(unflushed)
        stack.push_async_callback(ledger.written)
        await ledger.close_ended_runs()
        stores = Stores.on(
            database,
            ledger,
            unflushed,
            partial(queue_of, settings),
            embedder_of(settings),
            settings.fixpoint_shared_memory,
        )
        await stack.enter_async_context(unflushed.news(stores.events.signals))
        metrics = Metrics()
        spans = await stack.enter_async_context(open_spans(settings, redactor))
        measuring = Measuring(metrics, spans)
        session = await stack.enter_async_context(
            aiohttp.ClientSession(
                trust_env=True, trace_configs=[watch_requests(metrics.calls, spans)]
            )
        )
        github = _github(settings, session, stores, redactor, measuring, membership)
        await stack.enter_async_context(unused_revoked(github))
        stopping = Stopping(membership.lease.held)
        steps_engine = stack.enter_context(
            steps_database(settings.database_url, stall_seconds=timing.stall_seconds)
        )
        journal = _journal(steps_engine, place)
        display = Display(github, stores.last_words, settings.fixpoint_public_url)
        depends, workflow, bodies = None, None, NOT_HERE
        if role.works:
            depends = await stack.enter_async_context(
                open_services(settings, metrics, measuring, membership.lease.held)
            )
            workflow, bodies = _carried(
                settings,
                github,
                stores,
                display,
                depends,
                DurableSteps(journal, stopping, first_wait=timing.retry_seconds),
                redactor,
                metrics,
                spans,
            )
        durable = DurableRuns(
            steps_engine,
            journal,
            stopping,
            executor_id=membership.id,
            limits=QueueLimits(
                settings.fixpoint_concurrency,
                settings.fixpoint_total_concurrency,
                settings.fixpoint_proof_concurrency,
            ),
            gate=None if depends is None else depends.gate,
        )
        await stack.enter_async_context(in_background(partial(watch_loop, metrics.state.late)))
        admission = Admission(stores.queue, durable)
        approvals = Approvals(stores.runs, stores.approvals, durable.go_on, admission.start)
        await durable.launch(bodies, admission.wake)
        stack.push_async_callback(durable.close)
        desk = None
        if workflow is not None and depends is not None:
            await durable.take_over(place.servers.living, leads=membership.leading.is_set())
            offered = admission.working(membership.id, lambda: _places(stopping, depends.gate))
            await stack.enter_async_context(offered)
            shared = Shared(
                timing,
                sweeps_of(settings),
                github,
                stores,
                display,
                journal,
                admission,
                membership,
                approvals,
                redactor,
                durable.prove,
                settings.fixpoint_proofs,
                _onboarding(settings, github),
            )
            desk = await stack.enter_async_context(open_desk(shared, workflow, depends.sandboxes))
            await stack.enter_async_context(
                membership.taking_over(partial(_take_over, place.servers, durable, admission, desk))
            )
        draining = asyncio.Event()
        wake = desk.dispatcher.wake if desk is not None else _nobody_here
        webhook = WebhookReceiver(
            settings.github_webhook_secret,
            stores.deliveries,
            wake,
            redactor,
            stores.pulls.has_base,
        )
        app = build_app(database, membership, draining, webhook if role.answers else None)
        control = RunControl(
            github, stores, admission.start, approvals, Rights(github), settings.github_url
        )
        if desk is None:
            await stack.enter_async_context(_answering(settings, admission))
        measurements = Measurements(
            metrics,
            RunLists(database, stores.queue),
            stores.outcomes,
            health := _health(settings, depends),
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
            stores.runs,
            stores.commits,
            durable,
            admission,
            approvals,
            membership,
            stopping,
            desk,
            draining,
            depends,
        )


@asynccontextmanager
async def _answering(settings: ServerSettings, admission: Admission) -> AsyncIterator[None]:
    """Do what is left to do where no runs are carried: let others start them, tidy up after searches."""
    await admission.resume()
    sweeps = sweeps_of(settings)
    tidy = partial(keep_mirrors_tidy, sweeps.mirrors, sweeps.mirrors_bytes)
    async with in_background(tidy):
        yield


def _health(settings: ServerSettings, depends: DependedOn | None) -> ServiceHealth:
    """Return how runs fare here; where there are none, nothing speaks against them."""
    if depends is None:
        return ServiceHealth(services_of(settings), concurrency_of(settings))
    return ServiceHealth(depends.services, depends.concurrency)


def _carried(
    settings: ServerSettings,
    github: GitHub,
    stores: Stores,
    display: Display,
    depends: DependedOn,
    steps: DurableSteps,
    redactor: Redactor,
    metrics: Metrics,
    spans: Spans,
) -> tuple[FixWorkflow, RunBodies]:
    """Return what carries runs here, and what runs and proofs do."""
    folder, timing = settings.fixpoint_data, timing_of(settings)
    workflow = build_workflow(
        github,
        stores,
        depends.sandboxes,
        depends.services,
        steps,
        folder,
        display,
        caps=caps_of(settings),
        timing=timing,
        redactor=redactor,
        metrics=metrics.runs,
        spans=spans,
    )
    proving = build_proofs(
        github,
        stores,
        depends.sandboxes,
        depends.services,
        steps,
        folder,
        timing=timing,
        redactor=redactor,
    )
    return workflow, RunBodies(
        workflow.run, workflow.go_on, workflow.end_outdated, workflow.end_withdrawn, proving.run
    )


def _github(
    settings: ServerSettings,
    session: aiohttp.ClientSession,
    stores: Stores,
    redactor: Redactor,
    measuring: Measuring,
    membership: Membership,
) -> GitHub:
    return GitHub(
        session,
        app_id=str(settings.github_app_id),
        private_key=settings.github_private_key,
        api_url=settings.github_api_url,
        web_url=settings.github_url,
        patience=GitHubRetries(first_wait=settings.fixpoint_retry_seconds / 10),
        scrub=redactor.text,
        quotas=stores.quotas,
        writes=WritePace(per_minute=settings.fixpoint_github_writes_per_minute),
        token_looked_up=measuring.looked_up("installation_tokens"),
        may_write=membership.lease.held,
    )


def _journal(steps: Engine, place: ServerDatabase) -> Journal:
    journal = Journal(steps)
    if steps.dialect.name != "sqlite":  # whose steps are in another file than servers
        journal.fenced_by(place.fence)
    return journal


def _places(stopping: Stopping, gate: RunGate) -> int:
    """Return how many runs may be at work here: none any more once the server stops."""
    return 0 if stopping.wanted else gate.limit


async def _take_over(
    servers: ServerStore,
    durable: DurableRuns,
    admission: Admission,
    desk: Desk,
    leads: bool,  # noqa: FBT001 - bound
    buried: bool,  # noqa: FBT001 - bound
) -> None:
    """Take over what servers left that are no more."""
    anew = await durable.take_over(servers.living, leads=leads)
    if anew or buried:
        await admission.resume()
        await desk.proofs.resume()
    if buried:
        desk.wake()


def _onboarding(settings: ServerSettings, github: GitHub) -> Onboarding:
    public = settings.fixpoint_public_url
    return Onboarding(
        github,
        wanted=settings.fixpoint_onboarding is OnboardingKind.PULL_REQUEST,
        with_model=bool(settings.anthropic_api_key or settings.openai_model),
        schema=f"{public.rstrip('/')}{SCHEMA_PATH}" if public else "",
    )


def _nobody_here() -> None:
    """Do nothing: the servers that work through deliveries hear of it from the database."""


def build_app(
    database: Database,
    membership: Membership,
    draining: asyncio.Event,
    webhook: WebhookReceiver | None,
) -> web.Application:
    """Return the web application: the webhook, and whether the server is well."""
    app = web.Application()

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "version": __version__})

    async def readyz(_: web.Request) -> web.Response:
        if draining.is_set():
            return web.json_response(
                {"status": "unavailable", "reason": "The server is shutting down."}, status=503
            )
        try:
            await database.read(lambda connection: connection.exec_driver_sql("SELECT 1").scalar())
        except StorageError as error:
            return web.json_response({"status": "unavailable", "reason": str(error)}, status=503)
        if membership.problem:
            return web.json_response(
                {"status": "unavailable", "reason": membership.problem}, status=503
            )
        return web.json_response({"status": "ready"})

    async def schema(_: web.Request) -> web.Response:
        # Editors that run in a page fetch it too.
        return web.json_response(json_schema(), headers={"Access-Control-Allow-Origin": "*"})

    if webhook is not None:
        app.router.add_post("/webhook", webhook.handle)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get(SCHEMA_PATH, schema)
    return app
