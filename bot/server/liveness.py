"""Judge by their beats which servers are dead, with no clock but one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Seen:
    beats: int
    since: float


class Liveness:
    """What one server has seen of the others.

    One counts as dead when its beats stood still for the whole expiry *while they were watched*:
    after a time in which the watcher itself was away, or the database was, watching begins anew.
    """

    def __init__(self, expiry: float, longest_gap: float) -> None:
        """Take for dead after `expiry` seconds that have no gap longer than the other number."""
        self._expiry = expiry
        self._longest_gap = longest_gap
        self._seen: dict[str, _Seen] = {}
        self._looked = float("-inf")

    def look(self, beats: Mapping[str, int], now: float) -> tuple[str, ...]:
        """Return who is dead, given every server's number of beats at this moment."""
        if now - self._looked > self._longest_gap:
            self._seen = {}
        self._looked = now
        seen = {beat: _Seen(count, now) for beat, count in beats.items()}
        for key, before in self._seen.items():
            if key in seen and before.beats == seen[key].beats:
                seen[key] = before
        self._seen = seen
        return tuple(key for key, kept in seen.items() if now - kept.since >= self._expiry)
