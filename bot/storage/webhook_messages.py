"""Keep what webhooks have to be told until it has arrived, or is given up.

A message is kept in the transaction of the event that it is about, so that it exists if and only
if the event does, whatever ends before it is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from bot.model.events import EventType
from bot.storage.database import Database
from bot.storage.tables import events, webhook_messages, webhooks
from bot.storage.webhooks import MessageState, Webhook, WebhookType, webhook_of

_CALLED = {
    "queued": WebhookType.QUEUED,
    "waiting": WebhookType.WAITING,
    "done": WebhookType.FINISHED,
}


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """Something that a webhook has to be told.

    Attributes:
        webhook_id: Of whom.
        run_id: What it is about.
        number: Of the event in its run.
        type: What happened.
        tries: How often it was sent, this time included.
        created_at: UTC.
    """

    webhook_id: str
    run_id: str
    number: int
    type: WebhookType
    tries: int
    created_at: datetime

    @property
    def id(self) -> str:
        """What names the message, however often it is sent."""
        return f"msg_{self.run_id}_{self.number}"


@dataclass(frozen=True, slots=True)
class WebhookHealth:
    """How a webhook does: messages by state, and what was wrong with the last that failed."""

    counts: dict[MessageState, int]
    problem: str


class MessageStore:
    """The table of messages. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standing(self, webhook_id: str) -> WebhookHealth:
        """Return how a webhook does."""
        counted = (
            select(webhook_messages.c.state, func.count())
            .where(webhook_messages.c.webhook_id == webhook_id)
            .group_by(webhook_messages.c.state)
        )
        last = (
            select(webhook_messages.c.note)
            .where(webhook_messages.c.webhook_id == webhook_id, webhook_messages.c.note != "")
            .order_by(webhook_messages.c.due_at.desc())
            .limit(1)
        )

        def act(connection: Connection) -> WebhookHealth:
            counts = {MessageState(state): count for state, count in connection.execute(counted)}
            return WebhookHealth(counts, connection.scalar(last) or "")

        return await self._database.read(act)

    async def due(self, now: datetime) -> frozenset[str]:
        """Return the webhooks that have to be told something now."""
        statement = select(webhook_messages.c.webhook_id).where(*_due(now)).distinct()
        rows = await self._database.read(lambda connection: connection.scalars(statement).all())
        return frozenset(rows)

    async def next_due(self) -> datetime | None:
        """Return when the next message is due; None when none waits."""
        statement = select(func.min(webhook_messages.c.due_at)).where(
            webhook_messages.c.state == MessageState.WAITING
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        moment: datetime | None = rows[0][0]
        return moment

    async def claim(
        self, webhook_id: str, lease: timedelta
    ) -> tuple[Webhook, WebhookMessage] | None:
        """Take the oldest message of a webhook that is due; None when there is none.

        Nobody else gets it until `lease` is over.
        """
        now = datetime.now(UTC)
        oldest = (
            select(webhook_messages)
            .where(*_due(now), webhook_messages.c.webhook_id == webhook_id)
            .order_by(webhook_messages.c.created_at, webhook_messages.c.number)
            .limit(1)
        )

        def act(connection: Connection) -> tuple[Webhook, WebhookMessage] | None:
            row = connection.execute(oldest).first()
            to = connection.execute(select(webhooks).where(webhooks.c.id == webhook_id)).first()
            if row is None or to is None:
                return None
            message = _message(row)
            taken = (
                update(webhook_messages)
                .where(*_is(message), webhook_messages.c.due_at == row.due_at)
                .values(due_at=now + lease, tries=webhook_messages.c.tries + 1)
            )
            if connection.execute(taken).rowcount != 1:  # another server was faster
                return None
            return webhook_of(to), message

        return await self._database.write(act)

    async def sent(self, message: WebhookMessage) -> None:
        """Note that a message arrived."""
        await self._set(message, state=MessageState.SENT, note="")

    async def failed(
        self, message: WebhookMessage, problem: str, again_at: datetime | None
    ) -> None:
        """Note that a message did not arrive, and when it is tried again; None gives it up."""
        if again_at is None:
            await self._set(message, state=MessageState.DEAD, note=problem)
        else:
            await self._set(message, due_at=again_at, note=problem)

    async def give_up(self, webhook_id: str, problem: str) -> None:
        """Send nothing more of what a webhook still had to be told."""
        statement = (
            update(webhook_messages)
            .where(
                webhook_messages.c.webhook_id == webhook_id,
                webhook_messages.c.state == MessageState.WAITING,
            )
            .values(state=MessageState.DEAD, note=problem)
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def prune(self, older_than: datetime) -> int:
        """Delete messages kept before then, but for those that still wait; return how many."""
        statement = delete(webhook_messages).where(
            webhook_messages.c.created_at < older_than,
            webhook_messages.c.state != MessageState.WAITING,
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _set(self, message: WebhookMessage, **values: Any) -> None:
        statement = update(webhook_messages).where(*_is(message)).values(values)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def tell_webhooks(
    connection: Connection, run_id: str, number: int, data: Mapping[str, Any], at: datetime
) -> None:
    """Keep what webhooks have to be told of a status, in the transaction that keeps its event.

    Args:
        connection: Inside of it.
        run_id: Of the run.
        number: Of the event.
        data: Of the event.
        at: When it is kept, UTC.
    """
    told = connection.execute(
        select(webhooks.c.id, webhooks.c.types).where(webhooks.c.gone_at.is_(None))
    ).all()
    if not told:
        return
    kind = _type_of(connection, run_id, data)
    rows = [
        {
            "webhook_id": webhook_id,
            "run_id": run_id,
            "number": number,
            "type": kind,
            "state": MessageState.WAITING,
            "tries": 0,
            "created_at": at,
            "due_at": at,
            "note": "",
        }
        for webhook_id, types in told
        if kind in json.loads(types)
    ]
    if rows:
        connection.execute(insert(webhook_messages), rows)


def _type_of(connection: Connection, run_id: str, data: Mapping[str, Any]) -> WebhookType:
    if data["status"] != "running":
        return _CALLED[data["status"]]
    # unescaped quotes: no text inside of the data can look like this
    waited = select(events.c.number).where(
        events.c.run_id == run_id,
        events.c.type == EventType.STATUS,
        events.c.data.contains('"status": "waiting"'),
    )
    return WebhookType.STARTED if connection.scalar(waited) is None else WebhookType.RESUMED


def _due(now: datetime) -> tuple[Any, ...]:
    return (
        webhook_messages.c.state == MessageState.WAITING,
        webhook_messages.c.due_at <= now,
    )


def _is(message: WebhookMessage) -> tuple[Any, ...]:
    return (
        webhook_messages.c.webhook_id == message.webhook_id,
        webhook_messages.c.run_id == message.run_id,
        webhook_messages.c.number == message.number,
    )


def _message(row: Row[Any]) -> WebhookMessage:
    return WebhookMessage(
        row.webhook_id,
        row.run_id,
        row.number,
        WebhookType(row.type),
        row.tries + 1,
        row.created_at,
    )
