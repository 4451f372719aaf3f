"""Look after the server's health while it runs: fewer runs in trouble, and a person told in time."""

from __future__ import annotations

import asyncio

import structlog

from bot.background import again_and_again
from bot.health.concurrency import Concurrency
from bot.health.events import (
    ConcurrencyChanged,
    Escalated,
    EscalationOver,
    HealthEvent,
    ServiceChanged,
)
from bot.health.services import Services
from bot.reporting.reasons import service_health
from bot.runs.durability.gate import RunGate
from bot.server.machine import Machine
from bot.telemetry.health_metrics import HealthMetrics
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
