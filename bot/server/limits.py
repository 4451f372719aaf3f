"""How long runs wait and what they may cost, as the settings say."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.health.circuit import CircuitRules
from bot.health.concurrency import Concurrency, ConcurrencyRules
from bot.health.services import Services
from bot.model.fair_queue import ConcurrencyLimits
from bot.model.money.caps import Caps
from bot.runs.waiting_times import Timing
from bot.settings.environment import ServerSettings, StoreSettings
from bot.storage.database import Database
from bot.storage.run_queue import RunQueue

_MOST_PROBE_TIMES = 20
"""Between two probes of what has failed for long, in times of the first wait."""


def timing_of(settings: ServerSettings) -> Timing:
    """Return how long the settings let runs wait."""
    return Timing(
        edit_seconds=settings.fixpoint_edit_seconds,
        retry_seconds=settings.fixpoint_retry_seconds,
        approval=timedelta(days=settings.fixpoint_approval_days),
        beat_seconds=settings.fixpoint_heartbeat_seconds,
        stop_seconds=settings.fixpoint_stop_seconds,
    )


def services_of(settings: ServerSettings) -> Services:
    """Return no services yet, to be judged as the settings say."""
    rules = CircuitRules(
        window_seconds=settings.fixpoint_failing_window_seconds,
        least_calls=settings.fixpoint_failing_calls,
        error_rate=settings.fixpoint_failing_rate,
        probe_seconds=settings.fixpoint_probe_seconds,
        longest_probe_seconds=_MOST_PROBE_TIMES * settings.fixpoint_probe_seconds,
    )
    return Services(rules, escalate_seconds=settings.fixpoint_escalate_seconds)


def concurrency_of(settings: ServerSettings) -> Concurrency:
    """Return how many runs may work at once, changing as the settings say."""
    rules = ConcurrencyRules(settle_seconds=settings.fixpoint_probe_seconds)
    return Concurrency(settings.fixpoint_concurrency, rules, time.monotonic)


def queue_of(settings: ServerSettings, database: Database) -> RunQueue:
    """Return the queue, with the limits that hold on all servers."""
    limits = ConcurrencyLimits(
        settings.fixpoint_total_concurrency or sys.maxsize,
        settings.fixpoint_installation_concurrency,
        settings.fixpoint_repository_concurrency,
    )
    return RunQueue(database, limits, settings.fixpoint_queue_limit)


def caps_of(settings: StoreSettings) -> Caps:
    """Return what the settings allow all runs together."""
    return Caps(
        run_usd=settings.fixpoint_run_usd,
        thread_usd=settings.fixpoint_thread_usd,
        repository_usd=settings.fixpoint_repository_usd,
        installation_usd=settings.fixpoint_installation_usd,
        day_usd=settings.fixpoint_day_usd,
        run_tokens=settings.fixpoint_run_tokens,
        sandbox_seconds=settings.fixpoint_sandbox_seconds,
        runs_per_hour=settings.fixpoint_runs_per_hour,
    )


@dataclass(frozen=True, slots=True)
class Sweeps:
    """What is looked for without being told, and what is tidied.

    Attributes:
        missed_seconds: Between two looks for deliveries that never came.
        reconcile_seconds: Between two looks at all repositories.
        reconcile_requests: That one of these may cost.
        mirrors: Folder of the mirrors of repositories.
        mirrors_bytes: Above which the oldest of them go.
    """

    missed_seconds: float
    reconcile_seconds: float
    reconcile_requests: int
    mirrors: Path
    mirrors_bytes: int


def sweeps_of(settings: ServerSettings) -> Sweeps:
    """Return how often a server looks for what it was not told."""
    return Sweeps(
        settings.fixpoint_missed_seconds,
        settings.fixpoint_reconcile_seconds,
        settings.fixpoint_reconcile_requests,
        settings.fixpoint_data / "mirrors",
        int(settings.fixpoint_mirrors_gb * 10**9),
    )
