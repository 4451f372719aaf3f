"""Find the webhooks that did not arrive, and ask GitHub to send them again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bot.github import payloads
from bot.github.client import Connection
from bot.github.values import DeliveryAttempt


async def missed_deliveries(app: Connection, since: datetime) -> tuple[DeliveryAttempt, ...]:
    """Return events that GitHub tried to deliver since then and never could, oldest first.

    GitHub keeps deliveries for three days and does not repeat them on its own.
    """

    def reached(answers: list[payloads.Json]) -> bool:
        return bool(answers) and payloads.delivery(answers[-1]).delivered_at < since

    answers = await app.get_all("/app/hook/deliveries", enough=reached)
    deliveries = (payloads.delivery(answer) for answer in answers)
    return missed(entry for entry in deliveries if entry.delivered_at >= since)


async def redeliver(app: Connection, delivery_id: int) -> None:
    """Ask for another attempt; it comes with the same guid, so a second one does no harm."""
    await app.post(
        "/app/hook/deliveries/{delivery}/attempts", {}, repeatable=True, delivery=delivery_id
    )


def missed(deliveries: Iterable[DeliveryAttempt]) -> tuple[DeliveryAttempt, ...]:
    """Return the latest attempt of each event of which no attempt arrived, oldest first."""
    by_time = sorted(deliveries, key=lambda entry: (entry.delivered_at, entry.id))
    arrived = {entry.guid for entry in by_time if entry.arrived}
    latest = {entry.guid: entry for entry in by_time}
    return tuple(entry for guid, entry in latest.items() if guid not in arrived)
