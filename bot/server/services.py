"""What the runs of a server depend on: models and sandboxes, watched while they are used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog

from bot.app import open_server_tools
from bot.app.instrumentation import Measuring
from bot.app.leased_model import FencedModel
from bot.app.provider_outage import WaitingModel
from bot.app.sandbox_pool import SandboxPool
from bot.background import again_and_again, in_background
from bot.health.concurrency import Concurrency
from bot.health.events import (
    ConcurrencyChanged,
    Escalated,
    EscalationOver,
    HealthEvent,
    ServiceChanged,
)
from bot.health.services import Services
from bot.llm.base import Model
from bot.reporting.reasons import service_health
from bot.runs.durability.gate import RunGate
from bot.server.limits import concurrency_of, services_of
from bot.server.machine import Machine
from bot.settings.environment import ServerSettings
from bot.telemetry.health_metrics import HealthMetrics
from bot.telemetry.metrics import Metrics
from bot.web.health import loop_lag

EVERY_SECONDS = 5.0

_log = structlog.get_logger(__name__)


class HealthWatch:
    """Looks at services and machine again and again, and acts on what it sees."""

    def __init__(
        self,
        services: Services,
        concurrency: Concurrency,
        gate: RunGate,
        machine: Machine,
        metrics: HealthMetrics,
    ) -> None:
        self._services = services
        self._concurrency = concurrency
        self._gate = gate
        self._machine = machine
        self._metrics = metrics

    async def keep_looking(self, every: float = EVERY_SECONDS) -> None:
        """Look for ever."""
        await again_and_again(self.look, pause=every, failed="health not looked at")

    async def look(self) -> None:
        """Look once."""
        self._services.look()
        lag = await loop_lag()
        signs = await asyncio.to_thread(self._machine.signs, self._services, lag)
        change = self._concurrency.look(signs)
        if change is not None:
            self._gate.limit_to(change.limit)
            self._services.tell(change)

    def hear(self, event: HealthEvent) -> None:
        """Log and count what changed; what a person has to look at is an error."""
        self._metrics.hear(event)
        text = service_health.headline(event)
        match event:
            case ServiceChanged(view):
                _log.warning(
                    "service changed",
                    kind=view.service.kind.value,
                    service=view.service.name,
                    state=view.state.value,
                    slow=view.slow,
                    problem=text,
                )
            case Escalated(kind, names):
                _log.error("services need a person", kind=kind.value, services=names, problem=text)
            case EscalationOver(kind, names):
                _log.warning("services work again", kind=kind.value, services=names)
            case ConcurrencyChanged(limit, most):
                _log.warning("concurrency changed", limit=limit, most=most, problem=text)


@dataclass(frozen=True, slots=True)
class DependedOn:
    """What runs depend on.

    Attributes:
        services: Whether it works.
        sandboxes: The kinds of sandbox, with what runs work with in each.
        concurrency: How many runs may work at once.
        gate: Lets no more through.
    """

    services: Services
    sandboxes: SandboxPool
    concurrency: Concurrency
    gate: RunGate


@asynccontextmanager
async def open_services(
    settings: ServerSettings,
    metrics: Metrics,
    measuring: Measuring,
    may_call: Callable[[], Awaitable[None]],
) -> AsyncIterator[DependedOn]:
    """Open models and sandboxes, and look after them while the block lasts.

    Each try of a model call awaits `may_call` first.

    Raises:
        UsageError: When no sandbox can be used.
    """
    services, concurrency = services_of(settings), concurrency_of(settings)
    gate = RunGate(settings.fixpoint_concurrency)
    machine = Machine(settings.fixpoint_data)
    watch = HealthWatch(services, concurrency, gate, machine, metrics.health)
    async with AsyncExitStack() as stack:
        stack.enter_context(services.heard(watch.hear))
        sandboxes = await stack.enter_async_context(
            open_server_tools(
                settings,
                sandboxes=settings.fixpoint_data / "sandboxes",
                kinds=settings.fixpoint_sandbox,
                services=services,
                most_wait=settings.fixpoint_outage_seconds,
                watched=partial(_watched, settings, services, measuring, may_call),
                measuring=measuring,
            )
        )
        every = min(EVERY_SECONDS, settings.fixpoint_probe_seconds)
        looking = partial(watch.keep_looking, every), partial(sandboxes.keep_probing, every)
        await stack.enter_async_context(in_background(*looking))
        yield DependedOn(services, sandboxes, concurrency, gate)


def _watched(
    settings: ServerSettings,
    services: Services,
    measuring: Measuring,
    may_call: Callable[[], Awaitable[None]],
    model: Model,
) -> Model:
    """Return the model with its calls counted, and waiting while no provider works."""
    measured = FencedModel(measuring.model(model), may_call)
    return WaitingModel(measured, services, most_seconds=settings.fixpoint_outage_seconds)
