"""Keep webhook deliveries from the moment they are acknowledged until they are worked through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from bot.storage.claims import free, released
from bot.storage.database import Database, insert_if_new
from bot.storage.notifications import DELIVERIES, announce
from bot.storage.tables import deliveries, migrations

MAX_ATTEMPTS = 5
"""After so many failures a delivery is parked: it would fail for ever, but is not forgotten."""


class DeliveryState(StrEnum):
    """Where a delivery is."""

    RECEIVED = "received"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


_AGAIN = (
    update(deliveries)
    .where(
        deliveries.c.id == bindparam("delivery"),
        deliveries.c.state.in_((DeliveryState.FAILED, DeliveryState.WAITING)),
    )
    .values(state=DeliveryState.RECEIVED, attempts=0)
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A webhook as it came.

    Attributes:
        id: GitHub's GUID (`X-GitHub-Delivery`); a redelivery has the same one.
        event: Its name (`X-GitHub-Event`).
        payload: The body's bytes, whose signature was right.
        received_at: UTC.
        state: Whether it still has to be worked through.
        attempts: How often that failed.
        note: What came of it, or why it failed.
    """

    id: str
    event: str
    payload: bytes
    received_at: datetime
    state: DeliveryState = DeliveryState.RECEIVED
    attempts: int = 0
    note: str = ""


class DeliveryStore:
    """The table of deliveries. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, delivery_id: str, event: str, payload: bytes) -> bool:
        """Keep a delivery; return whether there is something to do. On disk when this returns.

        One that is known already brings nothing new, but one that was parked or waits gets another
        chance.
        """
        row = {
            "id": delivery_id,
            "event": event,
            "payload": payload,
            "received_at": datetime.now(UTC),
            "state": DeliveryState.RECEIVED,
            "attempts": 0,
            "note": "",
        }

        def act(connection: Connection) -> bool:
            new = (
                insert_if_new(connection, deliveries, row)
                or connection.execute(_AGAIN, {"delivery": delivery_id}).rowcount > 0
            )
            if new:
                announce(connection, DELIVERIES)
            return new

        # A server that was taken for dead may still take it: another one works on it.
        return await self._database.write(act, fenced=False)

    async def get(self, delivery_id: str) -> Delivery | None:
        """Return the delivery of that id."""
        statement = select(deliveries).where(deliveries.c.id == delivery_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _delivery(row)

    async def ids_beginning(self, words: str) -> tuple[str, ...]:
        """Return the ids of all deliveries that begin like that."""
        statement = select(deliveries.c.id).where(
            deliveries.c.id.startswith(words, autoescape=True)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(str(row.id) for row in rows)

    async def since(self) -> datetime:
        """Return when the database was made, UTC: nothing of before was told to it."""
        statement = select(func.min(migrations.c.applied_at))
        made = await self._database.read(lambda connection: connection.scalar(statement))
        return made or datetime.now(UTC)

    async def of_thread(self, thread: str, since: datetime) -> tuple[Delivery, ...]:
        """Return deliveries of comments that came since then and are of a thread, or may be of it."""
        statement = select(deliveries).where(
            deliveries.c.event == "issue_comment",
            deliveries.c.received_at >= since,
            or_(deliveries.c.thread == thread, deliveries.c.thread.is_(None)),
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_delivery(row) for row in rows)

    async def pending(self, limit: int = 100) -> tuple[Delivery, ...]:
        """Return deliveries that are not worked through yet, the oldest first."""
        statement = (
            select(deliveries)
            .where(deliveries.c.state == DeliveryState.RECEIVED)
            .order_by(deliveries.c.received_at, deliveries.c.id)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_delivery(row) for row in rows)

    async def claimable(self, server_id: str, limit: int = 100) -> tuple[Delivery, ...]:
        """Return pending deliveries that no other living server has claimed, the oldest first."""
        statement = (
            select(deliveries)
            .where(deliveries.c.state == DeliveryState.RECEIVED, free(deliveries, server_id))
            .order_by(deliveries.c.received_at, deliveries.c.id)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_delivery(row) for row in rows)

    async def claim(self, server_id: str, threads: Mapping[str, str]) -> frozenset[str]:
        """Claim deliveries for a server, and return which of them it has now.

        Left out are those that another one claimed in the meantime, and those of a thread of which
        another one has an earlier delivery: one thread's are worked on one after the other.

        Args:
            server_id: Of the server. Its claims hold while it lives.
            threads: By the id of each delivery, what must not be overtaken: the name of its thread.
        """

        def act(connection: Connection) -> frozenset[str]:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(7216455)"))
            pending = deliveries.c.state == DeliveryState.RECEIVED
            others = select(deliveries.c.thread).where(pending, ~free(deliveries, server_id))
            busy = set(connection.scalars(others))
            wanted = [entry for entry, thread in threads.items() if thread not in busy]
            there = select(deliveries.c.id).where(
                pending, free(deliveries, server_id), deliveries.c.id.in_(wanted)
            )
            mine = frozenset(connection.scalars(there))
            for item in mine:
                claimed = {"claimed_by": server_id, "thread": threads[item]}
                connection.execute(
                    update(deliveries).where(deliveries.c.id == item).values(claimed)
                )
            return mine

        return await self._database.write(act)

    async def release(self, server_id: str) -> None:
        """Let other servers have what this one claimed and did not work through."""
        statement = released(deliveries, server_id).where(
            deliveries.c.state == DeliveryState.RECEIVED
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def done(self, delivery_id: str, note: str) -> None:
        """Say that a delivery is worked through, and what came of it."""
        await self._become(delivery_id, DeliveryState.DONE, note)

    async def wait(self, delivery_id: str, note: str) -> None:
        """Say that a delivery waits for something else, and for what; see `waiting`."""
        await self._become(delivery_id, DeliveryState.WAITING, note)

    async def _become(self, delivery_id: str, state: DeliveryState, note: str) -> None:
        statement = (
            update(deliveries).where(deliveries.c.id == delivery_id).values(state=state, note=note)
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def waiting(self) -> tuple[Delivery, ...]:
        """Return deliveries that wait for something else, the oldest first."""
        statement = (
            select(deliveries)
            .where(deliveries.c.state == DeliveryState.WAITING)
            .order_by(deliveries.c.received_at, deliveries.c.id)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_delivery(row) for row in rows)

    async def failed(self, delivery_id: str, note: str) -> bool:
        """Say that working through it failed; return whether it is parked now.

        It stays pending until it failed `MAX_ATTEMPTS` times.
        """
        attempts = deliveries.c.attempts + 1
        parked = case(
            (attempts >= MAX_ATTEMPTS, DeliveryState.FAILED), else_=DeliveryState.RECEIVED
        )
        statement = (
            update(deliveries)
            .where(deliveries.c.id == delivery_id, deliveries.c.state == DeliveryState.RECEIVED)
            .values(attempts=attempts, note=note, state=parked)
            .returning(deliveries.c.state)
        )
        state = await self._database.write(lambda connection: connection.scalar(statement))
        return bool(state == DeliveryState.FAILED)

    async def prune(self, older_than: datetime) -> int:
        """Delete deliveries that were done and came before `older_than`; return how many.

        A redelivery of a deleted one would count as new: keep them longer than GitHub offers to
        redeliver. https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
        """
        statement = delete(deliveries).where(
            deliveries.c.state == DeliveryState.DONE, deliveries.c.received_at < older_than
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        id=row.id,
        event=row.event,
        payload=row.payload,
        received_at=row.received_at,
        state=DeliveryState(row.state),
        attempts=row.attempts,
        note=row.note,
    )
