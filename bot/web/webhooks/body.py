"""What a message says."""

from __future__ import annotations

import json

from bot.model.events import KeptEvent
from bot.storage.runs import RunRecord
from bot.storage.webhook_messages import Message
from bot.web.api.models import run_part


def message_body(message: Message, event: KeptEvent | None, run: RunRecord) -> bytes:
    """Return a message as JSON: its type, when it happened, and the run as the API shows it.

    Args:
        message: What to tell.
        event: That it is about; None when events of that age are deleted.
        run: As it is now. Its status is the event's: it may have gone on since.
    """
    data = run_part(run).model_dump(mode="json")
    if event is not None:
        data |= {key: event.data[key] for key in ("status", "verdict", "reason")}
    body = {
        "type": message.type,
        "timestamp": message.created_at.isoformat(),
        "data": {**data, "event": message.number},
    }
    # texts of strangers may have half characters, which UTF-8 has no place for
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
