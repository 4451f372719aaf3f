"""Log where a run is, for those who look after the server."""

from __future__ import annotations

import structlog

from bot.model.progress import AttemptFinished, PhaseStarted, Progress, RunFinished

_log = structlog.get_logger(__name__)


def log_progress(event: Progress, /) -> None:
    """Write a line for the events that mark a run's way; the others are for its comment."""
    match event:
        case PhaseStarted(phase, attempt, detail):
            _log.info("phase started", phase=phase.value, attempt=attempt, detail=detail)
        case AttemptFinished(attempt):
            _log.info(
                "attempt finished",
                attempt=attempt.n,
                proposer=attempt.proposer,
                accepted=attempt.accepted,
                seconds=round(attempt.seconds, 1),
            )
        case RunFinished(report):
            _log.info(
                "run finished",
                verdict=report.verdict.value,
                reason=report.reason,
                seconds=round(report.seconds, 1),
                tokens=report.usage.tokens,
            )
        case _:
            pass
