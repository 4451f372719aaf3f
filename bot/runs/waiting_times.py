"""How long a run on GitHub waits, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.runs.durability.outages import FIRST_WAIT
from bot.runs.live_comment import EDIT_SECONDS

LEAST_STALL = 5.0
"""Of a machine that is only slow: it pauses for seconds between two statements."""

BEATS_MISSED = 4
"""A server that missed so many is dead."""

PARKING_SHARE = 0.6
"""Of the time in which a server has to end: the rest is for what has to be interrupted."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The waits of every run of a server.

    Attributes:
        edit_seconds: Between two edits of a progress comment.
        retry_seconds: Before the second try of what an outage stopped; doubles with each.
        approval: How long a question waits for a person.
        beat_seconds: Between two beats of a server, which say that it lives.
        stop_seconds: In which a server that was asked to stop has ended.
        look_seconds: Until a server looks for work that nobody told it of.
    """

    edit_seconds: float = EDIT_SECONDS
    retry_seconds: float = FIRST_WAIT
    approval: timedelta = timedelta(days=7)
    beat_seconds: float = 5.0
    stop_seconds: float = 25.0
    look_seconds: float = 2.0

    @property
    def expiry_seconds(self) -> float:
        """How long a server may be silent before another one takes it for dead."""
        return BEATS_MISSED * self.beat_seconds

    @property
    def stall_seconds(self) -> float:
        """How long a stalled server may hold locks of the database against the others."""
        return max(self.expiry_seconds / 2, LEAST_STALL)

    @property
    def park_seconds(self) -> float:
        """How long runs may take to reach the end of a step when their server has to stop."""
        return PARKING_SHARE * self.stop_seconds
