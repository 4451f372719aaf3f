"""What the server counts and times, in the words of Prometheus: docs/observability.md has the table.

Labels have few values on purpose: no repository, run or person is one.
"""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.exposition import choose_encoder

from bot import __version__
from bot.model.memory import Became
from bot.telemetry.call_metrics import CallMetrics
from bot.telemetry.health_metrics import HealthMetrics
from bot.telemetry.run_metrics import RunMetrics

_LATE = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)


class StateMetrics:
    """Queue, event loop, database."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.runs = Gauge(
            "fixpoint_runs", "Runs that have not ended.", ["status"], registry=registry
        )
        self.queue_age = Gauge(
            "fixpoint_queue_oldest_seconds", "Age of the oldest queued run.", registry=registry
        )
        self._fixes = Gauge(
            "fixpoint_fixes",
            "Fixes published in the last 30 days: verified (not decided yet), merged, closed "
            "(without that), reverted.",
            ["outcome"],
            registry=registry,
        )
        self._lag = Histogram(
            "fixpoint_event_loop_lag_seconds",
            "How late the event loop was, looked at twice a second.",
            buckets=_LATE,
            registry=registry,
        )
        self._connections = Gauge(
            "fixpoint_database_connections",
            "Connections of the pool.",
            ["pool", "state"],
            registry=registry,
        )
        self._writes = Gauge(
            "fixpoint_database_writes_waiting",
            "Writes that wait for the next transaction.",
            ["pool"],
            registry=registry,
        )
        version = Info("fixpoint_build", "The version that is running.", registry=registry)
        version.info({"version": __version__})

    def fixes(self, counts: Mapping[Became, int]) -> None:
        """Note what became of the fixes that were published."""
        for item in (Became.VERIFIED, Became.MERGED, Became.CLOSED, Became.REVERTED):
            self._fixes.labels(item.value).set(counts.get(item, 0))

    def late(self, seconds: float) -> None:
        """Note by how much the event loop was late."""
        self._lag.observe(seconds)

    def pool(self, name: str, *, in_use: int, idle: int, writes_waiting: int) -> None:
        """Note how a pool of connections stands."""
        self._connections.labels(name, "in_use").set(in_use)
        self._connections.labels(name, "idle").set(idle)
        self._writes.labels(name).set(writes_waiting)


class Metrics:
    """Everything that is counted in one server, in a registry of its own.

    Attributes:
        registry: Where it is collected.
        calls: Of requests, models, sandboxes and caches.
        runs: What happens in runs.
        state: How the server stands.
        health: Of the services that runs need.
    """

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.calls = CallMetrics(registry)
        self.runs = RunMetrics(registry)
        self.state = StateMetrics(registry)
        self.health = HealthMetrics(registry)
        ProcessCollector(registry=registry)

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return all of it in the form that an Accept header asks for, and its content type.

        OpenMetrics has exemplars, the older text format has none:
        https://prometheus.io/docs/instrumenting/exposition_formats/
        """
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type
