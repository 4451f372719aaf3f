"""Count the requests that a look at GitHub may take."""

from __future__ import annotations


class RequestBudget:
    """So many requests are left."""

    def __init__(self, requests: int) -> None:
        self._left = requests

    def spend(self, requests: int = 1) -> None:
        """Take note of requests."""
        self._left -= requests

    @property
    def used_up(self) -> bool:
        """Whether none is left."""
        return self._left <= 0
