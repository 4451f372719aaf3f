"""Which disasters come when: the same seed gives the same ones."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Kind(StrEnum):
    """What can happen to a company of servers."""

    KILL = "kill -9"
    STALL = "SIGSTOP beyond the heartbeat"
    STOP = "SIGTERM, and a new start"
    DATABASE_RESTART = "PostgreSQL restarted"
    DATABASE_CRASH = "PostgreSQL killed"
    READ_ONLY = "PostgreSQL read-only for a while"


@dataclass(frozen=True, slots=True)
class Disaster:
    """One disaster.

    Attributes:
        kind: What happens.
        after: Seconds since the one before.
        server: Whom it strikes, where it is one of the servers.
        seconds: How long it lasts, where it lasts.
    """

    kind: Kind
    after: float
    server: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How close together disasters are, and how long they last.

    Attributes:
        least: Seconds between two of them, at least.
        most: At most.
        expiry: Seconds after which a server that does not beat is taken for dead.
    """

    least: float
    most: float
    expiry: float


SPREAD: dict[Kind, int] = {
    Kind.KILL: 20,
    Kind.STALL: 4,
    Kind.STOP: 4,
    Kind.DATABASE_RESTART: 1,
    Kind.DATABASE_CRASH: 1,
    Kind.READ_ONLY: 1,
}
"""How often each kind comes, beside the others."""


def plan(seed: int, kills: int, servers: int, pace: Pace, kinds: Sequence[Kind]) -> list[Disaster]:
    """Return disasters that have so many kills among them.

    Args:
        seed: Of everything that is left to chance.
        kills: How many of them are `kill -9`; the last one is.
        servers: How many there are to strike.
        pace: Of the disasters.
        kinds: Which others there are.
    """
    found = list[Disaster]()
    for disaster in disasters(seed, servers, pace, kinds):
        if not kills:
            break
        found.append(disaster)
        kills -= disaster.kind is Kind.KILL
    return found


def for_seconds(endless: Iterator[Disaster], seconds: float) -> Iterator[Disaster]:
    """Return the disasters for as long as that, whatever time each of them takes."""
    until = time.monotonic() + seconds
    return itertools.takewhile(lambda _: time.monotonic() < until, endless)


def disasters(seed: int, servers: int, pace: Pace, kinds: Sequence[Kind]) -> Iterator[Disaster]:
    """Return disasters without end."""
    chance = Random(seed)
    among = [kind for kind in SPREAD if kind is Kind.KILL or kind in kinds]
    weights = [SPREAD[kind] for kind in among]
    while True:
        [kind] = chance.choices(among, weights)
        after = chance.uniform(pace.least, pace.most)
        server, seconds = chance.randrange(servers), pace.expiry * chance.uniform(1.2, 2.0)
        yield Disaster(kind, after, server, seconds)
