"""This process among the servers of its database: it beats, and buries those that do not."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from bot import __version__
from bot.errors import FixpointError, StorageError
from bot.runs.waiting_times import Timing
from bot.server.roles import ServerRole
from bot.storage.server_locks import ServerLocks
from bot.storage.servers import Beat, ServerRow, ServerStore


def _since_boot() -> float:
    """Return seconds that also pass while the machine sleeps; no clock's setting changes them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """Granted anew with every beat. What it is asked before must be done at once.

    A server that was stalled asks the moment it goes on, finds that too much time has passed, and
    waits here until the database says whether it is still one of the servers. If it is not, it
    waits for ever: whoever ends the server cancels it.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = _since_boot) -> None:
        """Let each grant last so many seconds, from when the database was asked for it."""
        self.now = clock
        self._seconds = seconds
        self._until = float("-inf")
        self._granted = asyncio.Event()

    def grant(self, asked: float) -> None:
        """Extend the lease: the database said yes to what it was asked at that time."""
        self._until = asked + self._seconds
        if self.now() < self._until:
            self._granted.set()

    async def held(self) -> None:
        """Return as soon as the server may act."""
        while self.now() >= self._until:
            self._granted.clear()
            await self._granted.wait()


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


LEASE_SHARE = 0.75
"""Of the expiry: what was begun on the last moment of a lease is over before anybody else begins,
and clocks may run unevenly."""

_LONGEST_GAP = 2.5
"""Beats of one's own that may be between two looks at others."""

_log = structlog.get_logger(__name__)


After = Callable[[bool, bool], Awaitable[None]]
"""Takes over what dead servers left; told whether this server leads, and whether it buried one."""


class Membership:
    """One process among the servers.

    Attributes:
        id: Of this process; no other one ever has it.
        lease: Asked before whatever can be seen or costs money.
        lost: Set when another server took this one for dead. It has to begin anew then.
        leading: Set while the sweeps are this server's duty.
        problem: Why the last beat failed, or "". Each is a write, so this tells of a database that
            only reads, too.
    """

    def __init__(
        self, servers: ServerStore, locks: ServerLocks, role: ServerRole, timing: Timing
    ) -> None:
        self.id = locks.own
        self.lease = Lease(LEASE_SHARE * timing.expiry_seconds)
        self.lost = asyncio.Event()
        self.leading = asyncio.Event()
        self.problem = ""
        self._servers = servers
        self._locks = locks
        self._role = role
        self._every = timing.beat_seconds
        self._after: After | None = None
        self._looking = asyncio.Lock()
        self._liveness = Liveness(timing.expiry_seconds, _LONGEST_GAP * timing.beat_seconds)

    @asynccontextmanager
    async def joined(self, steps: str) -> AsyncIterator[None]:
        """Be one of the servers while the block lasts; `steps` is the version of its stored steps.

        Raises:
            StorageError: When the database fails.
        """
        self._locks.hold()
        try:
            row = ServerRow(self.id, self._role, socket.gethostname(), __version__, steps)
            await self._servers.join(row)
            await self.look_around()
            yield
        finally:
            self.leading.clear()
            with contextlib.suppress(StorageError):  # then the others find out by its beats
                await self._servers.leave(self.id)
            self._locks.release()

    @asynccontextmanager
    async def taking_over(self, after: After) -> AsyncIterator[None]:
        """Call `after` whenever this server has looked around, while the block lasts."""
        self._after = after
        try:
            yield
        finally:
            async with self._looking:
                self._after = None

    async def keep_beating(self) -> None:
        """Beat, look around and take over, until another server took this one for dead."""
        while not self.lost.is_set():
            await asyncio.sleep(self._every)
            try:
                buried = await self.look_around()
                async with self._looking:
                    if self._after is not None and not self.lost.is_set():
                        await self._after(self.leading.is_set(), buried)
            except FixpointError as error:
                _log.warning("heartbeat failed", problem=str(error))
            except Exception:  # noqa: BLE001 - a server without a heart is taken for dead
                _log.exception("heartbeat failed")

    async def look_around(self) -> bool:
        """Beat once, and bury who is dead; return whether anybody was.

        Raises:
            StorageError: When the database fails.
        """
        asked = self.lease.now()
        try:
            beat = await self._servers.beat(self.id, works=self._role.works)
        except StorageError as error:
            self.problem = str(error)
            raise
        self.problem = ""
        if beat is None:
            _log.error("taken for dead by another server", server=self.id)
            self.leading.clear()
            self.lost.set()
            return False
        self.lease.grant(asked)
        if beat.leads:
            self.leading.set()
        else:
            self.leading.clear()
        return await self._bury(beat) if self._role.works else False

    async def _bury(self, beat: Beat) -> bool:
        others = {item: count for item, count in beat.beats.items() if item != self.id}
        silent = self._liveness.look(others, self.lease.now())
        ended = self._locks.ended(others)
        buried = False
        for dead in sorted({*silent, *ended}):
            if await self._servers.bury(dead, others[dead]):
                _log.warning("server taken for dead", server=dead, ended=dead in ended)
                self._locks.clear(dead)
                buried = True
        return buried


def new_id() -> str:
    """Return the id of a process that begins."""
    return secrets.token_hex(8)
