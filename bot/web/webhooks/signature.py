"""Sign what is sent to webhooks, by the scheme of Standard Webhooks.

See https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime

from pydantic import SecretStr

from bot.storage.webhooks import SECRET_PREFIX


def signed_headers(secret: SecretStr, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers by which a receiver knows a message, its age, and that it is ours.

    Args:
        secret: `whsec_` and base64 of the key.
        message_id: The same for each time that the message is sent.
        at: When it is sent this time.
        body: Exactly as it is sent.
    """
    key = base64.b64decode(secret.get_secret_value().removeprefix(SECRET_PREFIX))
    timestamp = str(int(at.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }
