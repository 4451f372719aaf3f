"""Decide how many runs a server works on at once: half as many in trouble, one more in good times.

Additive increase and multiplicative decrease, as TCP finds out how much a network carries:
https://www.rfc-editor.org/rfc/rfc5681#section-3.1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.health.events import ConcurrencyChanged


@dataclass(frozen=True, slots=True)
class MachineSigns:
    """What tells that a server has too much to do.

    Attributes:
        sandbox_calls: Sandboxes that were opened, or lost, in the last minutes.
        sandbox_failures: How many of them failed or were lost.
        sandboxes_out: Whether no kind of sandbox works.
        lag: Seconds by which the event loop was late.
        memory_left: Part of the memory that is available, from 0 to 1.
        disk_left: Part of the disk that is available, from 0 to 1.
    """

    sandbox_calls: int = 0
    sandbox_failures: int = 0
    sandboxes_out: bool = False
    lag: float = 0.0
    memory_left: float = 1.0
    disk_left: float = 1.0


@dataclass(frozen=True, slots=True)
class ConcurrencyRules:
    """When there is trouble.

    Attributes:
        settle_seconds: Between two steps, so that each can show its effect.
        error_rate: Of sandboxes, from 0 to 1.
        least_calls: So many sandboxes have to be there before the error rate says anything.
        lag: Seconds by which the event loop may be late.
        memory_left: Part of the memory that has to be left.
        disk_left: Part of the disk that has to be left.
        in_a_row: Looks at the machine that have to show the same trouble.
    """

    settle_seconds: float = 30.0
    error_rate: float = 0.25
    least_calls: int = 3
    lag: float = 1.0
    memory_left: float = 0.06
    disk_left: float = 0.03
    in_a_row: int = 2


SANDBOXES_FAIL = "sandboxes fail"
LATE = "the server answers late"
MEMORY = "memory is short"
DISK = "the disk is nearly full"


def troubles(signs: MachineSigns, rules: ConcurrencyRules) -> tuple[str, ...]:
    """Return what is wrong, in words."""
    enough = signs.sandbox_calls >= rules.least_calls
    many = signs.sandbox_failures >= rules.error_rate * signs.sandbox_calls
    found = (
        (SANDBOXES_FAIL, signs.sandboxes_out or (enough and many)),
        (LATE, signs.lag > rules.lag),
        (MEMORY, signs.memory_left < rules.memory_left),
        (DISK, signs.disk_left < rules.disk_left),
    )
    return tuple(name for name, is_so in found if is_so)


class Concurrency:
    """How many runs at once."""

    def __init__(self, most: int, rules: ConcurrencyRules, clock: Callable[[], float]) -> None:
        self.most = most
        self.limit = most
        self.why: tuple[str, ...] = ()
        self._rules = rules
        self._clock = clock
        self._changed_at = float("-inf")
        self._seen: dict[str, int] = {}

    def look(self, signs: MachineSigns) -> ConcurrencyChanged | None:
        """Return what changes by what the machine shows, or None while all stays as it is."""
        now = troubles(signs, self._rules)
        self._seen = {name: self._seen.get(name, 0) + 1 for name in now}
        lasting = tuple(name for name, times in self._seen.items() if times >= self._rules.in_a_row)
        if self._clock() - self._changed_at < self._rules.settle_seconds:
            return None
        if lasting and self.limit > 1:
            return self._become(max(1, self.limit // 2), lasting)
        if not now and self.limit < self.most:
            return self._become(self.limit + 1, ())
        return None

    def _become(self, limit: int, why: tuple[str, ...]) -> ConcurrencyChanged:
        self.limit = limit
        self.why = why or (self.why if limit < self.most else ())
        self._changed_at = self._clock()
        return ConcurrencyChanged(limit, self.most, why)
