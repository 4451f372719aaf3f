"""Estimate how long a run waits, from how long others took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class QueuePosition:
    """Where a run is in the queue.

    Attributes:
        place: From 1: the next.
        seconds: Until it is let through, about; None while no run has ended yet.
    """

    place: int
    seconds: float | None


def position(place: int, at_once: int, durations: Sequence[float]) -> QueuePosition:
    """Return a position: runs end one after the other, `at_once` of them in the time that one takes.

    Args:
        place: From 1.
        at_once: How many are at work at once.
        durations: Of the latest runs, in seconds.
    """
    if not durations or at_once < 1:
        return QueuePosition(place, None)
    return QueuePosition(place, place * fmean(durations) / at_once)
