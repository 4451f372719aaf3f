"""How well the server is, as a score that tells what lowers it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.errors import StorageError
from bot.health.concurrency import Concurrency
from bot.health.service import ServiceKind, ServiceView
from bot.health.services import Services
from bot.model import Verdict
from bot.reporting.reasons import service_health
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists

_SLOW_DATABASE = 0.5
_SLOW_LOOP = 0.25
_LONG_QUEUE_SECONDS = 1800.0
_FEW_RUNS = 5
_LOOKED_BACK = timedelta(days=1)
_MOST_BROKEN = 0.5
_ONE_OUT = 10
_ALL_OUT = 40
_KINDS = {ServiceKind.MODEL: "models", ServiceKind.SANDBOX: "sandboxes"}


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing that was looked at.

    Attributes:
        name: Of it.
        ok: Whether it is as it should be.
        detail: What was seen, in a sentence.
        weight: How many points of 100 it costs when it is not.
    """

    name: str
    ok: bool
    detail: str
    weight: int


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """All that was looked at."""

    checks: tuple[HealthCheck, ...]

    @property
    def score(self) -> int:
        """From 0 to 100; 100 when everything is as it should be."""
        return max(0, 100 - sum(check.weight for check in self.checks if not check.ok))


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """What runs depend on, and how many of them may work at once."""

    services: Services
    concurrency: Concurrency

    def checks(self) -> tuple[HealthCheck, ...]:
        """Look at the services, by kind, and at the concurrency."""
        return (
            *(self._of_kind(kind) for kind in ServiceKind if self.services.views(kind)),
            self._runs_at_once(),
        )

    def _of_kind(self, kind: ServiceKind) -> HealthCheck:
        views = self.services.views(kind)
        bad = [view for view in views if not view.works or view.slow]
        instead = self.services.in_place(kind)
        said = " ".join(service_health.standing(view, instead) for view in bad)
        weight = _ONE_OUT if instead is not None else _ALL_OUT
        return HealthCheck(_KINDS[kind], not bad, said or "All work.", weight)

    def runs_at_once(self) -> str:
        """Say how many runs this server works on at once, and why on no more."""
        at_once = self.concurrency
        return service_health.runs_at_once(at_once.limit, at_once.most, at_once.why)

    def holds_back(self) -> tuple[str, ...]:
        """Say of each kind of service why runs wait that need it, if none of it works."""
        none_works = (
            (kind, self.services.views(kind))
            for kind in ServiceKind
            if self.services.in_place(kind) is None
        )
        return tuple(
            service_health.standing(view, None)
            for _, views in none_works
            for view in views
            if not view.works
        )

    def _runs_at_once(self) -> HealthCheck:
        is_all = self.concurrency.limit == self.concurrency.most
        return HealthCheck("concurrency", is_all, self.runs_at_once(), 10)

    def described(self, now: datetime) -> dict[str, Any]:
        """Return both as JSON values."""
        return {
            "services": [
                _described(view, self.services.in_place(view.service.kind), now)
                for view in self.services.views()
            ],
            "concurrency": {
                "limit": self.concurrency.limit,
                "most": self.concurrency.most,
                "why": list(self.concurrency.why),
            },
            "escalated": [
                service_health.escalated(escalated) for escalated in self.services.escalated
            ],
        }


def _described(view: ServiceView, instead: str | None, now: datetime) -> dict[str, Any]:
    figures, is_model = view.figures, view.service.kind is ServiceKind.MODEL
    return {
        "kind": view.service.kind.value,
        "name": view.service.name,
        "state": view.state.value,
        "slow": view.slow,
        "since": (now - timedelta(seconds=view.since)).isoformat(timespec="seconds"),
        "calls": figures.calls,
        "failed": figures.failed,
        "error_rate": round(figures.error_rate, 3),
        "latency_seconds": None if figures.latency is None else round(figures.latency, 3),
        "usual_latency_seconds": None if figures.usual is None else round(figures.usual, 3),
        "cost_usd": str(figures.usd) if is_model and figures.usd is not None else None,
        "reason": "" if view.failure is None else view.failure.reason,
        "doing": service_health.doing(view, instead),
    }


async def look(lists: RunLists, figures: RunFigures, services: ServiceHealth) -> ServerHealth:
    """Look at the database, the event loop, the queue, the services, and how runs ended."""
    started = time.perf_counter()
    try:
        oldest = await lists.oldest_queued()
        ended = await figures.verdicts(_LOOKED_BACK)
    except StorageError as error:
        return ServerHealth((HealthCheck("database", ok=False, detail=str(error), weight=100),))
    took = time.perf_counter() - started
    waited = (datetime.now(UTC) - oldest).total_seconds() if oldest else 0.0
    lag = await loop_lag()
    runs, broken = sum(ended.values()), ended.get(Verdict.INFRASTRUCTURE, 0)
    too_many = runs >= _FEW_RUNS and broken / runs > _MOST_BROKEN
    return ServerHealth(
        (
            HealthCheck(
                "database", took < _SLOW_DATABASE, f"It answered in {took * 1000:.0f} ms.", 30
            ),
            HealthCheck("event loop", lag < _SLOW_LOOP, f"It was late by {lag * 1000:.0f} ms.", 20),
            HealthCheck(
                "queue",
                waited < _LONG_QUEUE_SECONDS,
                f"The oldest run in it has waited {waited:.0f} s." if oldest else "It is empty.",
                20,
            ),
            HealthCheck(
                "runs",
                not too_many,
                _how_ended(runs, broken),
                30,
            ),
            *services.checks(),
        )
    )


def _how_ended(runs: int, broken: int) -> str:
    if not runs:
        return "No run ended in the last 24 hours."
    return f"{broken} of the {runs} runs of the last 24 hours ended for reasons of infrastructure."


async def loop_lag() -> float:
    """Return by how many seconds the event loop is late."""
    wanted = 0.01
    started = time.perf_counter()
    await asyncio.sleep(wanted)
    return max(0.0, time.perf_counter() - started - wanted)
