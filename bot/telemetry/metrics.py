"""What the server counts and times, in the words of Prometheus: docs/observability.md has the table.

Labels have few values on purpose: no repository, run or person is one.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder

from bot.telemetry.call_metrics import CallMetrics
from bot.telemetry.health_metrics import HealthMetrics
from bot.telemetry.run_metrics import RunMetrics
from bot.telemetry.state_metrics import StateMetrics


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
