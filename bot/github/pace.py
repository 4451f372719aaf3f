"""Keep the requests for one installation within what GitHub grants it, however many servers ask."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Protocol

import structlog

from bot.errors import GitHubError, StorageError
from bot.model.quota import Quota, Urgency, WritePace

QUERY = "QUERY"
"""What a POST is called that only reads, as a query of GraphQL does: it needs no turn to write."""

READS = frozenset({"GET", "HEAD", QUERY})
CREATES = frozenset({"POST"})
"""What creates content; edits and deletions do not count for that limit."""
_NEWS_SECONDS = 3.0
"""How old another server's news of an installation may be."""
_PROGRESS_SECONDS = 10.0
"""For how long an edit of progress waits; the next one replaces it."""

_log = structlog.get_logger(__name__)


class Postponed(GitHubError):
    """The request was not sent, so that GitHub's limits hold; it may be later."""


class QuotaBook(Protocol):
    """Where servers note what they know of an installation's limits, and take turns to write.

    Methods raise `StorageError` when the book can't be read.
    """

    async def exchange(self, installation: int, known: Quota) -> Quota:
        """Note what this server knows; return what all know."""
        ...

    async def reserve(
        self, installation: int, pace: WritePace, longest: float, *, creates: bool = False
    ) -> float | None:
        """Take the next turn to write, or to create content; return the seconds until then.

        None, and no turn is taken, where that would be more than `longest` seconds.
        """
        ...


class OwnBook:
    """The book of a server that has its installations to itself, in memory."""

    def __init__(self) -> None:
        self._due: dict[int, float] = {}
        self._creation_due: dict[int, float] = {}

    async def exchange(self, installation: int, known: Quota) -> Quota:  # noqa: ARG002 - there is nobody else
        """Return what was given."""
        return known

    async def reserve(
        self, installation: int, pace: WritePace, longest: float, *, creates: bool = False
    ) -> float | None:
        """Take the next turn to write, or to create content."""
        now = time.monotonic()
        start, due = pace.slot(self._due.get(installation, 0.0), now)
        created, next_due = pace.creation_slot(self._creation_due.get(installation, 0.0), now)
        start = max(start, created) if creates else start
        if start - now > longest:
            return None
        self._due[installation] = due
        if creates:
            self._creation_due[installation] = next_due
        return start - now


class Pace:
    """Before each request of one installation: wait, go, or put it off."""

    def __init__(
        self, installation: int, book: QuotaBook, writes: WritePace, longest: float
    ) -> None:
        """Say whose requests these are.

        Args:
            installation: Of the App.
            book: Shared by all servers.
            writes: How often something may be created or changed.
            longest: Seconds that a request waits before it fails.
        """
        self._installation = installation
        self._book = book
        self._writes = writes
        self._longest = longest
        self._known = Quota()
        self._known_at = time.monotonic()
        self._exchanged_at = float("-inf")

    async def before(self, method: str, path: str, urgency: Urgency) -> None:
        """Return when the request may be sent.

        Raises:
            Postponed: When that takes too long for what it is for.
        """
        longest = _PROGRESS_SECONDS if urgency is Urgency.PROGRESS else self._longest
        longest = min(longest, self._longest)
        until = time.monotonic() + longest
        await self._wait_for_quota(method, path, urgency, until)
        missed = method not in READS
        while missed:
            seconds = await self._reserve(until - time.monotonic(), creates=method in CREATES)
            if seconds is None:
                raise Postponed(
                    f"Too many requests wait to write to GitHub for this installation to send "
                    f"{method} {path} within {longest:.0f} seconds. Try again later."
                )
            turn = time.monotonic() + seconds
            await asyncio.sleep(seconds)
            await self._wait_for_quota(method, path, urgency, until)
            # Without another turn, all that waited for a pause to end would be sent at once.
            missed = time.monotonic() - turn > self._writes.grace

    def saw(self, headers: Mapping[str, str]) -> None:
        """Take note of an answer's headers."""
        seen = quota_of(headers, datetime.now(UTC))
        if seen is not None:
            self._learn(seen)

    async def refused(self, seconds: float) -> None:
        """Take note that GitHub wants to hear nothing for so long, and let all servers know."""
        self._learn(Quota(paused_for=seconds))
        _log.warning(
            "GitHub's rate limit reached", installation=self._installation, seconds=round(seconds)
        )
        await self._exchange()

    async def _wait_for_quota(self, method: str, path: str, urgency: Urgency, until: float) -> None:
        while (seconds := (await self._quota()).wait(urgency)) > 0:
            if time.monotonic() + seconds > until:
                raise Postponed(
                    f"GitHub's rate limit blocks {method} {path} for another {seconds:.0f} "
                    "seconds. Try again then."
                )
            # not all at the same moment, when a pause ends
            await asyncio.sleep(seconds * random.uniform(1.0, 1.1))  # noqa: S311 - no secret

    async def _reserve(self, longest: float, *, creates: bool) -> float | None:
        book, whose = self._book, self._installation
        try:
            return await book.reserve(whose, self._writes, longest, creates=creates)
        except StorageError as error:
            _log.warning("turn to write not taken", problem=str(error))
            return min(longest, 60.0 / self._writes.per_minute)

    async def _quota(self) -> Quota:
        if time.monotonic() - self._exchanged_at >= _NEWS_SECONDS:
            await self._exchange()
        return self._now()

    async def _exchange(self) -> None:
        self._exchanged_at = time.monotonic()
        try:
            self._learn(await self._book.exchange(self._installation, self._now()))
        except StorageError as error:
            _log.warning("quota not shared between servers", problem=str(error))

    def _now(self) -> Quota:
        return self._known.aged(time.monotonic() - self._known_at)

    def _learn(self, news: Quota) -> None:
        self._known, self._known_at = self._now().with_news(news), time.monotonic()


def quota_of(headers: Mapping[str, str], now: datetime) -> Quota | None:
    """Return the primary limit as an answer tells it; None where it doesn't.

    The answer's own `Date` says how far the reset is, because our clock may be wrong.
    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    if headers.get("X-RateLimit-Resource", "core") != "core":
        return None
    try:
        allowed = int(headers["X-RateLimit-Limit"])
        remaining = int(headers["X-RateLimit-Remaining"])
        reset = float(headers["X-RateLimit-Reset"])
    except (KeyError, ValueError):
        return None
    with contextlib.suppress(KeyError, ValueError):
        now = parsedate_to_datetime(headers["Date"])
    return Quota(allowed, remaining, max(0.0, reset - now.timestamp()))
