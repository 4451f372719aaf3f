"""What the runs of a server depend on: models and sandboxes, watched while they are used."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from bot.app import open_server_tools
from bot.app.fenced_model import FencedModel
from bot.app.measuring import Measuring
from bot.app.sandbox_pool import SandboxPool
from bot.app.waiting import WaitingModel
from bot.background import in_background
from bot.health.concurrency import Concurrency
from bot.health.services import Services
from bot.llm.base import Model
from bot.runs.durability.gate import RunGate
from bot.server.health_watch import EVERY_SECONDS, HealthWatch
from bot.server.limits import concurrency_of, services_of
from bot.server.machine import Machine
from bot.settings.environment import ServerSettings
from bot.telemetry.metrics import Metrics


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
