"""Requests, models, sandboxes and caches: how often they are asked, how it ends, how long it takes."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from bot.errors import ProviderError
from bot.model import Usage
from bot.telemetry.place import here

_QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_CALLS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_COMMANDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800)


def exemplar() -> dict[str, str] | None:
    """Return what leads from a measurement to the trace of its run; None where there is none."""
    place = here()
    return {"trace_id": place.trace_id} if place is not None and place.sampled else None


class CallMetrics:
    """What is called, here and elsewhere."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._http = Histogram(
            "fixpoint_http_request_seconds",
            "Answering requests; streams are counted when they end.",
            ["method", "route", "status"],
            buckets=_QUICK,
            registry=registry,
        )
        self._github = Histogram(
            "fixpoint_github_request_seconds",
            "Requests to GitHub's API, each try of its own.",
            ["method", "status"],
            buckets=_CALLS,
            registry=registry,
        )
        self._quota = Gauge(
            "fixpoint_github_rate_limit_remaining",
            "Requests left of GitHub's rate limit, as the last answer said.",
            ["resource"],
            registry=registry,
        )
        self._model = Histogram(
            "fixpoint_model_call_seconds",
            "Calls of models, retries included.",
            ["model", "outcome"],
            buckets=_CALLS,
            registry=registry,
        )
        self._tokens = Counter(
            "fixpoint_model_tokens",
            "Tokens of model calls.",
            ["model", "kind"],
            registry=registry,
        )
        self._dollars = Counter(
            "fixpoint_model_dollars",
            "Cost of model calls whose price is known.",
            ["model"],
            registry=registry,
        )
        self._sandbox = Histogram(
            "fixpoint_sandbox_call_seconds",
            "Calls of sandboxes; `run` is a command.",
            ["kind", "operation", "outcome"],
            buckets=_COMMANDS,
            registry=registry,
        )
        self._cache = Counter(
            "fixpoint_cache_requests",
            "What was looked for in a cache.",
            ["cache", "outcome"],
            registry=registry,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request to this server."""
        self._http.labels(method, route, str(status)).observe(seconds)

    def asked_github(self, method: str, status: int | None, seconds: float) -> None:
        """Count a request to GitHub; its status is None where nobody answered."""
        told = "none" if status is None else str(status)
        self._github.labels(method, told).observe(seconds, exemplar())

    def quota_left(self, resource: str, requests: int) -> None:
        """Note what GitHub said of its rate limit."""
        self._quota.labels(resource).set(requests)

    def called(self, model: str, usage: Usage, seconds: float) -> None:
        """Count a model's answer."""
        self._model.labels(model, "answered").observe(seconds, exemplar())
        for kind, count in (
            ("input", usage.input),
            ("output", usage.output),
            ("cache_read", usage.cache_read),
            ("cache_write", usage.cache_write),
        ):
            self._tokens.labels(model, kind).inc(count)
        if usage.cost_usd is not None:
            self._dollars.labels(model).inc(float(usage.cost_usd))

    def not_called(self, model: str, error: ProviderError, seconds: float) -> None:
        """Count a call that nobody answered."""
        self._model.labels(model, type(error).__name__).observe(seconds, exemplar())

    def used_sandbox(self, kind: str, operation: str, outcome: str, seconds: float) -> None:
        """Count a call of a sandbox."""
        self._sandbox.labels(kind, operation, outcome).observe(seconds, exemplar())

    def looked_up(self, cache: str, *, found: bool) -> None:
        """Count a look into a cache."""
        self._cache.labels(cache, "hit" if found else "miss").inc()
