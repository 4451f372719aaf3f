"""Keep what happens in runs, in order, and let many follow it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Row, delete, func, insert, select, text, update

from bot.model.events import EventType, KeptEvent, RunEvent
from bot.storage.database import Database
from bot.storage.notifications import Signals, announce
from bot.storage.tables import events, runs
from bot.storage.webhook_messages import tell_webhooks

PAGE = 500
"""Events that are read at once."""

_LOOK_SECONDS = 5.0
"""How long a follower trusts that it would have been woken."""

_TIMES = frozenset({"seconds"})
"""Keys that differ when the same is told again."""


@dataclass(slots=True)
class Keys:
    """Name events so that one which is told again, after a restart, is known.

    The same thing may happen several times: the key says which of them it is.
    """

    _counts: dict[str, int] = field(default_factory=dict)

    def of(self, event: RunEvent) -> str:
        """Return the key of the next event; output is never told again, and has one of its own."""
        if event.type is EventType.OUTPUT:
            return uuid4().hex
        data = {name: value for name, value in event.data.items() if name not in _TIMES}
        written = json.dumps([event.type, data], sort_keys=True)
        digest = hashlib.sha256(written.encode()).hexdigest()[:32]
        self._counts[digest] = self._counts.get(digest, 0) + 1
        return f"{digest}-{self._counts[digest]}"


@dataclass(frozen=True, slots=True)
class KeyedEvent:
    """An event and the key that tells it from all others of its run.

    Attributes:
        key: Of the event.
        event: What happened.
        at: When, as a Unix time; None is now.
    """

    key: str
    event: RunEvent
    at: float | None = None


class EventStore:
    """The table of events. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database, signals: Signals | None = None) -> None:
        self._database = database
        self.signals = Signals() if signals is None else signals

    async def append(self, run_id: str, named: Sequence[KeyedEvent]) -> frozenset[str]:
        """Keep events behind the earlier ones of the run; return the keys of those that are new.

        Those whose key is there already are left out.
        """
        new = await self._database.write(
            lambda connection: append_events(connection, run_id, named)
        )
        self.signals.wake(run_id)
        return new

    def may_be_followed(self, run_id: str) -> bool:
        """Whether somebody may follow a run at this moment; with other servers, always."""
        return self._database.is_shared or self.signals.is_heard(run_id)

    async def after(self, run_id: str, number: int = 0, most: int = PAGE) -> tuple[KeptEvent, ...]:
        """Return the events of a run behind the one of that number, in order."""
        statement = (
            select(events)
            .where(events.c.run_id == run_id, events.c.number > number)
            .order_by(events.c.number)
            .limit(most)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_kept, rows))

    async def without_output(self, run_id: str, most: int = 10_000) -> tuple[KeptEvent, ...]:
        """Return the events of a run that are not output, in order."""
        statement = (
            select(events)
            .where(events.c.run_id == run_id, events.c.type != EventType.OUTPUT)
            .order_by(events.c.number)
            .limit(most)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_kept, rows))

    async def last_output(self, run_id: str, most: int = 40) -> tuple[KeptEvent, ...]:
        """Return the last pieces of output of a run, in order."""
        statement = (
            select(events)
            .where(events.c.run_id == run_id, events.c.type == EventType.OUTPUT)
            .order_by(events.c.number.desc())
            .limit(most)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_kept, reversed(rows)))

    async def follow(
        self, run_id: str, number: int = 0, *, pulse: float = 15.0
    ) -> AsyncGenerator[tuple[KeptEvent, ...]]:
        """Yield the events of a run behind that number, then those to come, until it is over.

        Args:
            run_id: Of the run.
            number: Of the last event that is known.
            pulse: Seconds after which nothing is yielded as an empty tuple.
        """
        with self.signals.heard(run_id) as news:
            quiet = 0.0
            while True:
                news.clear()
                found = await self.after(run_id, number)
                if found:
                    quiet = 0.0
                    number = found[-1].number
                    yield found
                    if any(map(_ends, found)):
                        return
                    continue
                wait = min(_LOOK_SECONDS, pulse)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await news.wait()
                        continue
                quiet += wait
                if quiet >= pulse:
                    quiet = 0.0
                    yield ()

    async def prune(self, older_than: datetime) -> int:
        """Delete what happened before then in runs that are over; return how many events.

        Those of a run that waits for a person stay: its numbers go on, and its trace is read
        from them.
        """
        active = select(runs.c.id).where(runs.c.status != "done")
        statement = delete(events).where(events.c.at < older_than, events.c.run_id.not_in(active))
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)


def append_events(
    connection: Connection, run_id: str, named: Iterable[KeyedEvent]
) -> frozenset[str]:
    """Keep events in a transaction; see `EventStore.append`."""
    if connection.dialect.name == "postgresql":
        # two servers would give the same number; on SQLite the transaction itself keeps others out
        connection.execute(
            text("SELECT pg_advisory_xact_lock(7216454, hashtext(:run))"), {"run": run_id}
        )
    wanted = {item.key: item for item in named}
    there = select(events.c.key).where(events.c.run_id == run_id, events.c.key.in_(wanted))
    for key in connection.scalars(there).all():
        del wanted[key]
    if not wanted:
        return frozenset()
    last = select(func.max(events.c.number)).where(events.c.run_id == run_id)
    first = (connection.scalar(last) or 0) + 1
    now = datetime.now(UTC)
    rows = [
        {
            "run_id": run_id,
            "number": number,
            "type": item.event.type.value,
            "key": key,
            "at": now if item.at is None else datetime.fromtimestamp(item.at, UTC),
            "data": json.dumps(dict(item.event.data), ensure_ascii=False),
        }
        for number, (key, item) in enumerate(wanted.items(), start=first)
    ]
    connection.execute(insert(events), rows)
    phases = [item.event for item in wanted.values() if item.event.type is EventType.PHASE]
    if phases:
        here = update(runs).where(runs.c.id == run_id)
        connection.execute(here.values(phase=str(phases[-1].data["phase"])))
    for number, item in enumerate(wanted.values(), start=first):
        if item.event.type is EventType.STATUS:
            tell_webhooks(connection, run_id, number, item.event.data, now)
    announce(connection, run_id)
    return frozenset(wanted)


def status_event(changes: Mapping[str, Any]) -> KeyedEvent:
    """Return the event of a run's new status.

    Args:
        changes: Of the row of the run: its status, and perhaps verdict and reason.
    """
    verdict = changes.get("verdict")
    data = {
        "status": str(changes["status"]),
        "verdict": None if verdict is None else str(verdict).replace(" ", "_"),
        "reason": changes.get("reason", ""),
    }
    moment = datetime.now(UTC).isoformat()
    return KeyedEvent(f"status {data['status']} {moment}", RunEvent(EventType.STATUS, data))


def _ends(event: KeptEvent) -> bool:
    return event.type is EventType.STATUS and event.data.get("status") == "done"


def _kept(row: Row[Any]) -> KeptEvent:
    return KeptEvent(row.run_id, row.number, row.at, EventType(row.type), json.loads(row.data))
