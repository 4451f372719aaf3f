"""Keep who is told of runs over HTTP."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.storage.database import Database
from bot.storage.tables import webhook_messages, webhooks

SECRET_PREFIX = "whsec_"  # noqa: S105 - what every one begins with
_SECRET_BYTES = 32


class MessageState(StrEnum):
    """What became of a message."""

    WAITING = "waiting"
    SENT = "sent"
    DEAD = "dead"


class WebhookType(StrEnum):
    """What a message is about: a run got another status."""

    QUEUED = "run.queued"
    STARTED = "run.started"
    WAITING = "run.waiting"
    RESUMED = "run.resumed"
    FINISHED = "run.finished"


class WebhookFormat(StrEnum):
    """What a message looks like."""

    STANDARD = "standard"
    """JSON with the run, signed as Standard Webhooks say."""

    SLACK = "slack"
    TEAMS = "teams"


@dataclass(frozen=True, slots=True)
class Webhook:
    """Somebody who is told.

    Attributes:
        id: 12 hex digits.
        url: Gets a POST for each message.
        secret: Signs them: `whsec_` and base64.
        types: That it is told of.
        local: Whether it may be on this machine or in a private network.
        created_at: UTC.
        gone_at: UTC, when it said that it is gone for good; None before that.
        format: Of its messages.
    """

    id: str
    url: str
    secret: SecretStr
    types: frozenset[WebhookType]
    local: bool
    created_at: datetime
    gone_at: datetime | None
    format: WebhookFormat = WebhookFormat.STANDARD


class WebhookStore:
    """The tables of webhooks. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        url: str,
        types: Iterable[WebhookType],
        *,
        local: bool,
        format: WebhookFormat = WebhookFormat.STANDARD,  # noqa: A002 - what the option is called
    ) -> Webhook:
        """Have an address told of what happens from now on."""
        secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
        webhook = Webhook(
            secrets.token_hex(6),
            url,
            SecretStr(secret),
            frozenset(types),
            local,
            datetime.now(UTC),
            None,
            format,
        )
        row = {
            "id": webhook.id,
            "url": url,
            "secret": secret,
            "types": json.dumps(sorted(webhook.types)),
            "local": local,
            "format": format.value,
            "created_at": webhook.created_at,
        }
        await self._database.write(
            lambda connection: connection.execute(insert(webhooks).values(row)).rowcount
        )
        return webhook

    async def list(self) -> tuple[Webhook, ...]:
        """Return all webhooks, the oldest first."""
        statement = select(webhooks).order_by(webhooks.c.created_at, webhooks.c.id)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(webhook_of, rows))

    async def remove(self, webhook_id: str) -> bool:
        """Forget a webhook and what it still had to be told; return whether there was one."""

        def act(connection: Connection) -> bool:
            connection.execute(
                delete(webhook_messages).where(webhook_messages.c.webhook_id == webhook_id)
            )
            return bool(
                connection.execute(delete(webhooks).where(webhooks.c.id == webhook_id)).rowcount
            )

        return await self._database.write(act)

    async def gone(self, webhook_id: str) -> None:
        """Note that a webhook wants no more messages."""
        statement = (
            update(webhooks).where(webhooks.c.id == webhook_id).values(gone_at=datetime.now(UTC))
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def webhook_of(row: Row[Any]) -> Webhook:
    """Return the webhook of a row."""
    return Webhook(
        row.id,
        row.url,
        SecretStr(row.secret),
        frozenset(map(WebhookType, json.loads(row.types))),
        row.local,
        row.created_at,
        row.gone_at,
        WebhookFormat(row.format or WebhookFormat.STANDARD),
    )
