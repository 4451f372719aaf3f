"""How the server stands at the moment when it is asked."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Gauge, Histogram, Info

from bot import __version__
from bot.model.memory import Became

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
