"""What GitHub grants one installation of the App, and who has to wait for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

_SAME_WINDOW = 60.0
"""Two resets of the primary limit that are closer than these seconds are the same one."""

_EVEN_CREATIONS = 400 / 60
"""In an hour, for each request that may change something in a minute."""

_CREATIONS_AT_ONCE = 100

_AFTER_RESET = 1.0
"""GitHub names a reset in whole seconds."""


class Urgency(Enum):
    """What a request is for. The value is the share of the primary limit that it leaves to others.

    Under pressure, edits of progress go first and publications last.
    """

    PROGRESS = 0.2
    ORDINARY = 0.05
    PUBLICATION = 0.0


@dataclass(frozen=True, slots=True)
class Quota:
    """What is known of an installation's limits.

    Times are seconds from now, so that it does not matter whose clock is right.

    Attributes:
        allowed: Requests in each window of the primary limit; 0 while it is not known.
        remaining: Of them, until the reset.
        resets_in: Seconds until `remaining` is `allowed` again.
        paused_for: Seconds for which a secondary limit forbids every request.
    """

    allowed: int = 0
    remaining: int = 0
    resets_in: float = 0.0
    paused_for: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether the primary limit is known: a window that has ended says nothing."""
        return self.allowed > 0 and self.resets_in > 0

    def aged(self, seconds: float) -> Quota:
        """Return it as it stands that much later."""
        return replace(
            self,
            resets_in=max(0.0, self.resets_in - seconds),
            paused_for=max(0.0, self.paused_for - seconds),
        )

    def with_news(self, other: Quota) -> Quota:
        """Return what is known with what another answer or server says."""
        paused = max(self.paused_for, other.paused_for)
        return replace(_newer(self, other), paused_for=paused)

    def wait(self, urgency: Urgency) -> float:
        """Return for how many seconds a request has to wait."""
        if self.paused_for > 0:
            return self.paused_for
        if self.is_known and self.remaining <= math.ceil(self.allowed * urgency.value):
            return self.resets_in + _AFTER_RESET
        return 0.0


def _newer(one: Quota, other: Quota) -> Quota:
    """Return the primary limit as the later window has it; within one window, requests only go."""
    if not (one.is_known and other.is_known):
        return other if other.is_known else one
    if abs(one.resets_in - other.resets_in) < _SAME_WINDOW:
        return min(one, other, key=lambda quota: quota.remaining)
    return max(one, other, key=lambda quota: quota.resets_in)


@dataclass(frozen=True, slots=True)
class WritePace:
    """How often requests may create or change something for one installation.

    GitHub allows about 80 a minute and asks for a second between two; of those that create content,
    it allows about 500 an hour:
    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api

    Attributes:
        per_minute: In the long run.
        burst: At once, after a rest; with 60 a minute, the busiest minute has 69.
    """

    per_minute: float = 60.0
    burst: int = 10

    @property
    def grace(self) -> float:
        """By how many seconds a request may come after its turn; later, it takes another.

        Those that come late go together with those whose turn it is, ten of them at most, so that
        the busiest minute has 79.
        """
        return self.burst * 60.0 / self.per_minute

    def slot(self, due: float, now: float) -> tuple[float, float]:
        """Return when the next request may go, and the `due` of the one after it.

        Args:
            due: When the last one would have gone at an even pace; 0 before the first.
            now: In seconds, on the same clock.
        """
        return _slot(due, now, 60.0 / self.per_minute, self.burst)

    def creation_slot(self, due: float, now: float) -> tuple[float, float]:
        """Return the same for a request that creates content, by the limit of an hour.

        With 60 a minute, the busiest hour has 500: 100 at once, and 400 at an even pace.
        """
        return _slot(due, now, 3600.0 / (_EVEN_CREATIONS * self.per_minute), _CREATIONS_AT_ONCE)


def _slot(due: float, now: float, interval: float, burst: int) -> tuple[float, float]:
    start = max(now, due - (burst - 1) * interval)
    return start, max(due, now) + interval
