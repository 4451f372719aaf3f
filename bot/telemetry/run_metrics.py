"""Runs: how often they end how, what takes how long, and how long people wait for what."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from bot.model.progress import (
    AttemptFinished,
    Phase,
    PhaseStarted,
    Progress,
    Reproduced,
    RunFinished,
)
from bot.telemetry.call_metrics import exemplar

_WORK = (1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 2400, 4800)


class RunMetrics:
    """What happens in runs."""

    def __init__(self, registry: CollectorRegistry) -> None:
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
        self._first_event = Histogram(
            "fixpoint_first_event_seconds",
            "From the request to the first event of its run.",
            buckets=_WORK,
            registry=registry,
        )
        self._reproduced = Histogram(
            "fixpoint_reproduction_seconds",
            "From the request to the reproduction.",
            ["cause"],
            buckets=_WORK,
            registry=registry,
        )
        self._published = Histogram(
            "fixpoint_publication_seconds",
            "From the request to the pull request, or the commit in its place.",
            buckets=_WORK,
            registry=registry,
        )
        self._failing_tests = Counter(
            "fixpoint_failing_tests",
            "Failing tests that runs saw and kept.",
            ["where"],
            registry=registry,
        )
        self.in_flight = Gauge(
            "fixpoint_runs_in_flight",
            "Runs that this server is working on.",
            registry=registry,
        )

    def of_run(self, asked: float) -> RunCounter:
        """Return what counts in one run, which was asked for at that Unix time."""
        return RunCounter(self, asked)

    def began(self, seconds: float) -> None:
        """Count the first event of a run."""
        self._first_event.observe(seconds, exemplar())

    def phase(self, name: str, seconds: float) -> None:
        """Count a phase that ended."""
        self._phases.labels(name).observe(seconds, exemplar())

    def reproduced(self, cause: str, seconds: float) -> None:
        """Count a reproduction."""
        self._reproduced.labels(cause).observe(seconds, exemplar())

    def attempt(self, proposer: str, *, accepted: bool) -> None:
        """Count an attempt."""
        self._attempts.labels(proposer, str(accepted).lower()).inc()

    def test_failed(self, where: str) -> None:
        """Count a failing test of a run: on `github`, or in a `sandbox`."""
        self._failing_tests.labels(where).inc()

    def ended(self, verdict: str, seconds: float) -> None:
        """Count a repair that ended."""
        self._ended.labels(verdict).observe(seconds, exemplar())

    def published(self, seconds: float) -> None:
        """Count a repair that people can merge."""
        self._published.observe(seconds, exemplar())


class RunCounter:
    """Counts what happens in one run; see `FirstListener`."""

    def __init__(self, metrics: RunMetrics, asked: float) -> None:
        self._metrics = metrics
        self._asked = asked
        self._since = asked
        self._phase: str | None = None
        self._began = False

    def __call__(self, event: Progress, at: float, /) -> None:
        """Count the event."""
        match event:
            case PhaseStarted(phase):
                self._enter(phase.value, at)
            case Reproduced(reproduction):
                cause = reproduction.cause.value.replace(" ", "_")
                self._metrics.reproduced(cause, max(0.0, at - self._asked))
            case AttemptFinished(attempt):
                self._metrics.attempt(attempt.proposer, accepted=attempt.accepted)
            case RunFinished(report):
                self._enter(None, at)
                self._metrics.ended(report.verdict.value.replace(" ", "_"), report.seconds)
            case _:
                pass

    def _enter(self, phase: str | None, at: float) -> None:
        if self._phase is not None:
            self._metrics.phase(self._phase.replace(" ", "_"), max(0.0, at - self._since))
        if phase == Phase.PREPARE and not self._began:
            self._began = True
            self._metrics.began(max(0.0, at - self._asked))
        self._phase, self._since = phase, at
