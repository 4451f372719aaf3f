"""What came of the candidates of a request, and when enough of them were tried."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Sequence

from .fork import Child

Result = Dict[str, Any]

_OVERTIME = 10.0
"""Seconds after the end of its time that candidates under way may take; then they begin anew later."""

_TELLING = 1.0
"""Seconds between two lines of progress."""


class Board:
    """Results by the candidate's number.

    Once one is plausible, only so many behind it are tried: which ones, that depends on their
    order and not on how fast this machine is.
    """

    def __init__(self, request: dict[str, Any], tell: Callable[[str], None]) -> None:
        self._request = request
        self._order = {item[0]: place for place, item in enumerate(request["candidates"])}
        self._wanted: list[str] = [*request["errors"], *request["failing"]]
        self._tell = tell
        self.begin()

    def begin(self) -> None:
        """Forget everything; the time begins anew."""
        self._results: dict[int, Result] = {}
        self._last = len(self._order)
        self._started = self._told = time.monotonic()
        self.deadline = self._started + float(self._request["seconds"])

    @property
    def results(self) -> dict[str, Result]:
        """By the candidate's number: its status, and the failing tests that it mends."""
        return {str(n): result for n, result in self._results.items() if self.wants(n)}

    @property
    def late(self) -> bool:
        """Whether no other candidate is to be tried."""
        return time.monotonic() > self.deadline

    @property
    def overdue(self) -> bool:
        """Whether what is under way is not worth waiting for any more."""
        return time.monotonic() > self.deadline + _OVERTIME

    def wants(self, number: int) -> bool:
        """Whether a candidate is still to be tried, so far behind a plausible one."""
        return self._order[number] <= self._last

    def note(self, number: int, status: str) -> None:
        """Note a candidate that no test was needed for."""
        self._note(number, {"status": status, "mended": []})

    def take(self, number: int, told: Sequence[Any], child: Child) -> None:
        """Note how a candidate did: tests and whether they passed, `[]` at the end if all did."""
        pairs = [pair for pair in told if pair]
        passed = [name for name, ok in pairs if ok]
        failed = [name for name, ok in pairs if not ok]
        mended = [name for name in self._wanted if name in passed]
        if len(pairs) < len(told):
            self._note(number, {"status": "plausible", "mended": mended})
        elif failed:
            broken = [name for name in failed if name not in self._wanted]
            self._note(number, {"status": "failed", "mended": mended, "broken": broken})
        else:
            self._note(number, {"status": "slow" if child.killed else "died", "mended": mended})

    def _note(self, number: int, result: Result) -> None:
        self._results[number] = result
        now = time.monotonic()
        if result["status"] == "plausible":
            self._last = min(self._last, self._order[number] + self._request["more"])
        if now - self._told > _TELLING:
            self._told = now
            self._tell(self._progress(now - self._started))

    def _progress(self, seconds: float) -> str:
        best = max(len(result["mended"]) for result in self._results.values())
        plausible = sum(result["status"] == "plausible" for result in self._results.values())
        return (
            f"{len(self._results)} candidates tried, {len(self._results) / seconds:.0f} a second; "
            f"{plausible} plausible; the best mends {best} of {len(self._wanted)}"
        )
