"""Log where a run is, for those who look after the server."""

from __future__ import annotations

import time

import structlog

from bot.model.progress import (
    AttemptFinished,
    Phase,
    PhaseStarted,
    Progress,
    RunFinished,
    ToolUsed,
    TurnFinished,
)

_log = structlog.get_logger(__name__)


class ProgressLog:
    """A listener that writes lines for what marks a run's way; its comment has the rest.

    Lines of an attempt have its number: the attempt is bound where the listener is called.
    """

    def __init__(self) -> None:
        self._phase = ""
        self._since = 0.0

    def __call__(self, event: Progress, /) -> None:
        """Write a line, or none."""
        match event:
            case PhaseStarted(Phase.EXPLAIN) if self._phase == Phase.EXPLAIN:
                pass  # a look of many
            case PhaseStarted(phase, attempt, detail):
                self._enter(phase.value)
                _bind(attempt)
                _log.info("phase started", phase=phase.value, attempt=attempt, detail=detail)
            case TurnFinished(_, turn, model, calls=calls, seconds=seconds):
                _log.info(
                    "turn finished",
                    category="agent",
                    turn=turn,
                    model=model,
                    tools=calls,
                    tokens=event.usage.tokens,
                    seconds=round(seconds, 3),
                )
            case ToolUsed(_, turn, tool, failed=failed, seconds=seconds):
                _log.debug(
                    "tool used",
                    category="agent",
                    turn=turn,
                    tool=tool,
                    failed=failed,
                    seconds=round(seconds, 3),
                )
            case AttemptFinished(attempt):
                _log.info(
                    "attempt finished",
                    attempt=attempt.n,
                    proposer=attempt.proposer,
                    accepted=attempt.accepted,
                    seconds=round(attempt.seconds, 1),
                )
                _bind(None)
            case RunFinished(report):
                self._enter("")
                _bind(None)
                _log.info(
                    "run finished",
                    verdict=report.verdict.value,
                    reason=report.reason,
                    seconds=round(report.seconds, 1),
                    tokens=report.usage.tokens,
                )
            case _:
                pass

    def _enter(self, phase: str) -> None:
        """Say how long the phase before this one took."""
        now = time.monotonic()
        if self._phase:
            _log.info(
                "phase finished",
                category="performance",
                phase=self._phase,
                seconds=round(now - self._since, 3),
            )
        self._phase, self._since = phase, now


def _bind(attempt: int | None) -> None:
    if attempt is None:
        structlog.contextvars.unbind_contextvars("attempt")
    else:
        structlog.contextvars.bind_contextvars(attempt=attempt)
