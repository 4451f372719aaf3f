"""The health of services and machine in the words of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from bot.health.events import Escalated, EscalationOver, HealthEvent, ServiceChanged
from bot.health.service import CircuitState, ServiceKind, ServiceView

_NUMBERS = {CircuitState.CLOSED: 0, CircuitState.HALF_OPEN: 1, CircuitState.OPEN: 2}
_LABELS = ("kind", "service")


class HealthMetrics:
    """Gauges that are set when they are asked for, and counters of what changed."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._state = Gauge(
            "fixpoint_service_state",
            "Circuit of a provider or sandbox: 0 closed, 1 half-open, 2 open.",
            _LABELS,
            registry=registry,
        )
        self._changes = Counter(
            "fixpoint_service_changes",
            "Times that a circuit came into a state.",
            [*_LABELS, "state"],
            registry=registry,
        )
        self._errors = Gauge(
            "fixpoint_service_error_ratio",
            "Part of the recent calls that failed.",
            _LABELS,
            registry=registry,
        )
        self._latency = Gauge(
            "fixpoint_service_latency_seconds",
            "Within this time 90 % of the recent calls were answered.",
            _LABELS,
            registry=registry,
        )
        self._dollars = Gauge(
            "fixpoint_service_recent_dollars",
            "Cost of the recent calls, where their price is known.",
            _LABELS,
            registry=registry,
        )
        self._escalated = Gauge(
            "fixpoint_escalated",
            "1 while a person has to look at the services of a kind.",
            ["kind"],
            registry=registry,
        )
        self._limit = Gauge(
            "fixpoint_concurrency_limit", "Runs that may work at once.", registry=registry
        )
        for kind in ServiceKind:
            self._escalated.labels(kind.value).set(0)

    def hear(self, event: HealthEvent) -> None:
        """Count what changed."""
        match event:
            case ServiceChanged(view):
                service = view.service
                self._changes.labels(service.kind.value, service.name, view.state.value).inc()
            case Escalated(kind=kind):
                self._escalated.labels(kind.value).set(1)
            case EscalationOver(kind=kind):
                self._escalated.labels(kind.value).set(0)
            case _:
                pass

    def show(self, views: tuple[ServiceView, ...], limit: int) -> None:
        """Set the gauges to how things stand."""
        for view in views:
            labels = view.service.kind.value, view.service.name
            self._state.labels(*labels).set(_NUMBERS[view.state])
            self._errors.labels(*labels).set(view.figures.error_rate)
            if view.figures.latency is not None:
                self._latency.labels(*labels).set(view.figures.latency)
            if view.figures.usd is not None and view.service.kind is ServiceKind.MODEL:
                self._dollars.labels(*labels).set(float(view.figures.usd))
        self._limit.set(limit)
