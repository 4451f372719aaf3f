"""Keep webhook deliveries from the moment they are acknowledged until they are worked through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Row,
    case,
    delete,
    select,
    update,
)

from bot.storage.database import Database, insert_if_new
from bot.storage.tables import deliveries

MAX_ATTEMPTS = 5
"""After so many failures a delivery is parked: it would fail for ever, but is not forgotten."""


class DeliveryState(StrEnum):
    """Where a delivery is."""

    RECEIVED = "received"
    DONE = "done"
    FAILED = "failed"


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

        One that is known already brings nothing new, but one that was parked gets another chance.
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
        again = (
            update(deliveries)
            .where(deliveries.c.id == delivery_id, deliveries.c.state == DeliveryState.FAILED)
            .values(state=DeliveryState.RECEIVED, attempts=0)
        )
        return await self._database.write(
            lambda connection: (
                insert_if_new(connection, deliveries, row) or connection.execute(again).rowcount > 0
            )
        )

    async def get(self, delivery_id: str) -> Delivery | None:
        """Return the delivery of that id."""
        statement = select(deliveries).where(deliveries.c.id == delivery_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _delivery(row)

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

    async def done(self, delivery_id: str, note: str) -> None:
        """Say that a delivery is worked through, and what came of it."""
        statement = (
            update(deliveries)
            .where(deliveries.c.id == delivery_id)
            .values(state=DeliveryState.DONE, note=note)
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

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
