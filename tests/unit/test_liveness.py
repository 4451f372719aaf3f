"""Who is dead is judged by beats and one's own clock; who may act, by a lease."""

from __future__ import annotations

import asyncio

import pytest

from bot.server.membership import Lease, Liveness

EXPIRY, GAP = 20.0, 12.5


def test_who_beats_lives() -> None:
    """However long one looks."""
    liveness = Liveness(EXPIRY, GAP)
    for n in range(20):
        assert liveness.look({"a": n}, now=5.0 * n) == ()


def test_who_stands_still_for_the_whole_expiry_is_dead() -> None:
    """Not a moment earlier; others are not dragged along."""
    liveness = Liveness(EXPIRY, GAP)
    found = {now: liveness.look({"still": 7, "beating": int(now)}, now) for now in range(0, 26, 5)}
    assert found == {0: (), 5: (), 10: (), 15: (), 20: ("still",), 25: ("still",)}


def test_a_watcher_that_was_away_watches_anew() -> None:
    """It may have been stalled itself, or the database was away, for everybody."""
    liveness = Liveness(EXPIRY, GAP)
    assert liveness.look({"a": 1}, now=0.0) == ()
    assert liveness.look({"a": 1}, now=600.0) == ()
    assert [liveness.look({"a": 1}, now=600.0 + n) for n in (10, 19, 20)] == [(), (), ("a",)]


def test_a_beat_begins_the_time_anew() -> None:
    """A server that was slow once is not dead the sooner for it."""
    liveness = Liveness(EXPIRY, GAP)
    beats = [1, 1, 1, 2, 2, 2, 2, 2]
    found = [liveness.look({"a": count}, now=5.0 * n) for n, count in enumerate(beats)]
    assert found == [(), (), (), (), (), (), (), ("a",)]


class Clock:
    """Shows what a test says."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_lease_ends_by_itself_and_is_waited_for() -> None:
    """Counted from when the database was asked: an answer that came late grants nothing."""
    clock = Clock()
    lease = Lease(15.0, clock)
    asking = asyncio.create_task(lease.held())
    await asyncio.sleep(0)
    assert not asking.done()  # before the first grant nobody acts
    lease.grant(clock.now)
    await asking
    clock.now += 14.9
    await lease.held()
    clock.now += 0.1
    asking = asyncio.create_task(lease.held())
    await asyncio.sleep(0)
    assert not asking.done()
    lease.grant(clock.now - 15.0)
    await asyncio.sleep(0)
    assert not asking.done()
    lease.grant(clock.now)
    await asking


async def test_a_lost_lease_is_waited_for_until_somebody_ends_that() -> None:
    """Nothing that a server does after it was taken for dead gets past it."""
    lease = Lease(15.0, Clock())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await lease.held()
