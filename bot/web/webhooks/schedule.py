"""Decide when a message that did not arrive is sent again."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

_WAITS = (1, 60, 360, 1440, 3600, 7200, 10_080, 14_400, 17_280)
"""In units of the first wait: with 5 seconds 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h,
as Standard Webhooks proposes; three days and three hours in all."""

MOST_TRIES = len(_WAITS) + 1

_MOST_ASKED_FOR = timedelta(hours=24)


def again_after(
    tries: int, first_wait: float, jitter: float, asked_for: timedelta | None
) -> timedelta | None:
    """Return how long to wait; None gives the message up.

    Args:
        tries: How often it was sent.
        first_wait: Seconds.
        jitter: From 0 to 1; spreads what failed at the same time.
        asked_for: What the receiver said; at least that long is waited, up to a day.
    """
    if tries >= MOST_TRIES:
        return None
    wait = timedelta(seconds=_WAITS[tries - 1] * first_wait * (1 + 0.2 * jitter))
    if asked_for is None:
        return wait
    return max(wait, min(asked_for, _MOST_ASKED_FOR))


def retry_after(header: str, now: datetime) -> timedelta | None:
    """Return what a `Retry-After` says: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text[:9]), 10**8))
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(timedelta(0), moment - now)
