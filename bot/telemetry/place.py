"""Where in a run the code that is running belongs: what is measured meanwhile says so."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from bot.model.progress import (
    AttemptFinished,
    PhaseStarted,
    Progress,
    ToolUsed,
    TurnFinished,
)

ROOT = "run"
"""Key of a run's first span."""


def trace_id_of(run_id: str) -> str:
    """Return the id of a run's trace, 32 hexadecimal digits: the same on every server."""
    return hashlib.sha256(f"fixpoint trace {run_id}".encode()).hexdigest()[:32]


def span_id_of(run_id: str, key: str) -> str:
    """Return the id of a span of a run, 16 hexadecimal digits; `key` names it in its run."""
    return hashlib.sha256(f"fixpoint span {run_id} {key}".encode()).hexdigest()[:16]


def phase_key(phase: str, attempt: int | None, number: int) -> str:
    """Return the key of a phase, the `number`-th of its kind in its run."""
    return f"{phase} {attempt or 0} {number}"


def tool_key(parent: str, turn: int, position: int) -> str:
    """Return the key of a tool that a turn asked for as its `position`-th, from 1."""
    return f"{parent} tool {turn}.{position}"


@dataclass
class RunPlace:
    """Where a run is, as its events tell; a restarted run that repeats them comes to the same place.

    Attributes:
        run_id: Of the run.
        sampled: Whether its spans are sent anywhere.
        attempt: The attempt that is under way.
        worked_until: When the last step ended, as a Unix time; 0 before.
    """

    run_id: str
    sampled: bool = False
    attempt: int | None = None
    worked_until: float = 0.0
    _step: str = ""
    _phase: str = ROOT
    _turn: int = 0
    _calls: int = 0
    _used: int = 0
    _numbers: Counter[tuple[str, int | None]] = field(default_factory=Counter)

    @property
    def trace_id(self) -> str:
        """Of the run."""
        return trace_id_of(self.run_id)

    @property
    def key(self) -> str:
        """Of the span that what happens now is a part of."""
        if self._step:
            return self._step
        if self._used < self._calls:
            return tool_key(self._phase, self._turn, self._used + 1)
        return self._phase

    @contextmanager
    def doing(self, key: str) -> Iterator[None]:
        """Say that what happens in the body is a part of that span."""
        before, self._step = self._step, key
        try:
            yield
        finally:
            self._step = before

    def __call__(self, event: Progress, /) -> None:
        """Move on with the event."""
        match event:
            case PhaseStarted(phase, attempt):
                self._numbers[phase, attempt] += 1
                self._phase = phase_key(phase, attempt, self._numbers[phase, attempt])
                self.attempt = attempt
                self._calls = self._used = 0
            case TurnFinished(_, turn, calls=calls):
                self._turn, self._calls, self._used = turn, calls, 0
            case ToolUsed():
                self._used += 1
            case AttemptFinished():
                self._phase, self.attempt = ROOT, None
                self._calls = self._used = 0
            case _:
                pass


_HERE: ContextVar[RunPlace | None] = ContextVar("run place", default=None)


def here() -> RunPlace | None:
    """Return where the running code belongs; None outside of runs."""
    return _HERE.get()


@contextmanager
def in_run(run_id: str, *, sampled: bool) -> Iterator[RunPlace]:
    """Say of the body, and of the tasks that it starts, that they belong to a run."""
    place = RunPlace(run_id, sampled)
    token = _HERE.set(place)
    try:
        yield place
    finally:
        _HERE.reset(token)
