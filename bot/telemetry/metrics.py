"""What the server counts and times, in the words of Prometheus: docs/observability.md has the table.

Labels have few values on purpose: no repository, run or person is one.
"""

from __future__ import annotations

import time
from types import SimpleNamespace

import aiohttp
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.errors import ProviderError
from bot.model import Usage
from bot.model.progress import (
    AttemptFinished,
    PhaseStarted,
    Progress,
    Reproduced,
    RunFinished,
)
from bot.telemetry.health_metrics import HealthMetrics

_QUICK = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_CALLS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_WORK = (1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 2400, 4800)


class Metrics:
    """Everything that is counted in one server, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
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
        self._attempts = Counter(
            "fixpoint_attempts",
            "Attempts that ended.",
            ["proposer", "accepted"],
            registry=registry,
        )
        self._ended = Histogram(
            "fixpoint_run_seconds",
            "Repairs that ended, by verdict.",
            ["verdict"],
            buckets=_WORK,
            registry=registry,
        )
        self._phases = Histogram(
            "fixpoint_phase_seconds",
            "Phases of repairs.",
            ["phase"],
            buckets=_WORK,
            registry=registry,
        )
        self._reproduced = Histogram(
            "fixpoint_reproduction_seconds",
            "From the beginning of a repair to its reproduction.",
            ["cause"],
            buckets=_WORK,
            registry=registry,
        )
        self._commands = Counter(
            "fixpoint_sandbox_command_seconds",
            "Wall time of commands in sandboxes.",
            registry=registry,
        )
        self.runs = Gauge(
            "fixpoint_runs", "Runs that have not ended.", ["status"], registry=registry
        )
        self.queue_age = Gauge(
            "fixpoint_queue_oldest_seconds", "Age of the oldest queued run.", registry=registry
        )
        self.lag = Gauge(
            "fixpoint_event_loop_lag_seconds", "How late the event loop was.", registry=registry
        )
        self.health = HealthMetrics(registry)

    def exposition(self) -> bytes:
        """Return all of it as text."""
        return generate_latest(self.registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request to this server."""
        self._http.labels(method, route, str(status)).observe(seconds)

    def github_trace(self) -> aiohttp.TraceConfig:
        """Return what an HTTP session needs so that its requests are counted."""

        async def begin(
            _: aiohttp.ClientSession,
            context: SimpleNamespace,
            __: aiohttp.TraceRequestStartParams,
        ) -> None:
            context.started = time.perf_counter()

        async def end(
            _: aiohttp.ClientSession,
            context: SimpleNamespace,
            params: aiohttp.TraceRequestEndParams,
        ) -> None:
            seconds = time.perf_counter() - context.started
            self._github.labels(params.method, str(params.response.status)).observe(seconds)
            headers = params.response.headers
            left = headers.get("X-RateLimit-Remaining", "")
            if left.isdigit():
                resource = headers.get("X-RateLimit-Resource", "core")[:32]
                self._quota.labels(resource).set(int(left))

        async def fail(
            _: aiohttp.ClientSession,
            context: SimpleNamespace,
            params: aiohttp.TraceRequestExceptionParams,
        ) -> None:
            seconds = time.perf_counter() - context.started
            self._github.labels(params.method, "none").observe(seconds)

        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(begin)
        trace.on_request_end.append(end)
        trace.on_request_exception.append(fail)
        return trace

    def called(self, model: str, usage: Usage, seconds: float) -> None:
        """Count a model's answer."""
        self._model.labels(model, "answered").observe(seconds)
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
        self._model.labels(model, type(error).__name__).observe(seconds)

    def of_run(self) -> RunMetrics:
        """Return a listener for one run."""
        return RunMetrics(self)

    def phase(self, name: str, seconds: float) -> None:
        """Count a phase that ended."""
        self._phases.labels(name).observe(seconds)

    def reproduced(self, cause: str, seconds: float) -> None:
        """Count a reproduction."""
        self._reproduced.labels(cause).observe(seconds)

    def attempt(self, proposer: str, *, accepted: bool) -> None:
        """Count an attempt."""
        self._attempts.labels(proposer, str(accepted).lower()).inc()

    def ended(self, verdict: str, seconds: float, command_seconds: float) -> None:
        """Count a repair that ended."""
        self._ended.labels(verdict).observe(seconds)
        self._commands.inc(command_seconds)


class RunMetrics:
    """A listener that counts what happens in one run."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._began = self._since = time.monotonic()
        self._phase: str | None = None

    def __call__(self, event: Progress, /) -> None:
        """Count the event."""
        match event:
            case PhaseStarted(phase):
                self._enter(phase.value)
            case Reproduced(reproduction):
                cause = reproduction.cause.value.replace(" ", "_")
                self._metrics.reproduced(cause, time.monotonic() - self._began)
            case AttemptFinished(attempt):
                self._metrics.attempt(attempt.proposer, accepted=attempt.accepted)
            case RunFinished(report):
                self._enter(None)
                verdict = report.verdict.value.replace(" ", "_")
                self._metrics.ended(verdict, report.seconds, report.command_seconds)
            case _:
                pass

    def _enter(self, phase: str | None) -> None:
        now = time.monotonic()
        if self._phase is not None:
            self._metrics.phase(self._phase.replace(" ", "_"), now - self._since)
        self._phase, self._since = phase, now
