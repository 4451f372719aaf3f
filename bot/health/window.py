"""The calls of a service in the last minutes: how many failed, how long they took, what they cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

_MOST_KEPT = 2_000
_USUAL_KEPT = 200
_USUAL_LEAST = 20
"""Calls before the window without which nobody knows what is usual."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a service.

    Attributes:
        at: When it ended, in seconds of the clock.
        seconds: How long it took.
        failed: Whether the service failed; a call that we got wrong is none.
        usd: What it cost; None if nobody knows.
    """

    at: float
    seconds: float
    failed: bool = False
    usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """What a window shows.

    Attributes:
        calls: The last calls, by which the service is judged.
        failed: Those of them that failed.
        seconds: Since the first of them.
        latency: Seconds within which 90 % of the calls were answered; None without any.
        usual: The same of the calls before the window; None while there are too few.
        usd: Cost of all calls in the window; None when that of any is unknown.
    """

    calls: int = 0
    failed: int = 0
    seconds: float = 0.0
    latency: float | None = None
    usual: float | None = None
    usd: Decimal | None = Decimal(0)

    @property
    def error_rate(self) -> float:
        """From 0 to 1."""
        return self.failed / self.calls if self.calls else 0.0


class RollingWindow:
    """The calls of the last `seconds`; the last `most` of them decide."""

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._most = most
        self._calls: deque[Call] = deque(maxlen=_MOST_KEPT)
        self._usual: deque[float] = deque(maxlen=_USUAL_KEPT)
        self._judged_from = float("-inf")

    def add(self, call: Call) -> None:
        """Take note of a call."""
        self._calls.append(call)

    def judge_from(self, now: float) -> None:
        """Judge the service by what comes after this moment alone; costs still count."""
        self._judged_from = now

    def figures(self, now: float) -> Figures:
        """Return what the window shows at this moment."""
        self._expire(now)
        judged = [call for call in self._calls if call.at > self._judged_from][-self._most :]
        answered = [call.seconds for call in judged if not call.failed]
        return Figures(
            calls=len(judged),
            failed=sum(call.failed for call in judged),
            seconds=now - judged[0].at if judged else 0.0,
            latency=_p90(answered) if answered else None,
            usual=_p90(self._usual) if len(self._usual) >= _USUAL_LEAST else None,
            usd=self._cost(),
        )

    def _cost(self) -> Decimal | None:
        total = Decimal(0)
        for call in self._calls:
            if call.usd is None:
                return None
            total += call.usd
        return total

    def _expire(self, now: float) -> None:
        while self._calls and self._calls[0].at < now - self._seconds:
            old = self._calls.popleft()
            if not old.failed:
                self._usual.append(old.seconds)


def _p90(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * 9 // 10)]
