"""Read how long a provider asks us to wait, from its headers or from the body of its refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_PART = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BUCKETS = ("requests", "tokens")
_EPOCH_MS = 1e11
"""A number that is larger is a moment in milliseconds, as OpenRouter sends it."""


def retry_after(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return the seconds that a provider asks us to wait, or None.

    `retry-after-ms` and `retry-after` say so themselves, the latter in seconds or as a date.
    Otherwise it is when the limit that is used up is full again: `x-ratelimit-reset-requests` and
    `-tokens` in forms like `1m2.5s` (OpenAI, Groq, Together), or `x-ratelimit-reset` as a moment
    (OpenRouter).

    Args:
        headers: Of the answer, whatever their case.
        now: UTC; None is the clock's.
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    moment = now or datetime.now(UTC)
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(given.get(name))
        if seconds is not None:
            return seconds * unit
    date = _date(given.get("retry-after"), moment)
    return _reset(given, moment) if date is None else date


def retry_delay(error: object) -> float | None:
    """Return the seconds that Gemini's and Vertex's errors ask for (`RetryInfo`), or None."""
    details = error.get("details") if isinstance(error, dict) else None
    if not isinstance(details, Sequence) or isinstance(details, str):
        return None
    waits = [
        _duration(str(detail.get("retryDelay"))) for detail in details if isinstance(detail, dict)
    ]
    return next((wait for wait in waits if wait is not None), None)


def _reset(given: Mapping[str, str], now: datetime) -> float | None:
    """Return when the last of the limits that are used up is full again."""
    waits = [
        _duration(given[f"x-ratelimit-reset-{bucket}"])
        for bucket in _BUCKETS
        if given.get(f"x-ratelimit-remaining-{bucket}") == "0"
        and f"x-ratelimit-reset-{bucket}" in given
    ]
    moment = _number(given.get("x-ratelimit-reset"))
    if moment is not None and given.get("x-ratelimit-remaining", "0") == "0":
        at = moment / 1000 if moment > _EPOCH_MS else moment
        waits.append(max(0.0, at - now.timestamp()))
    return max((wait for wait in waits if wait is not None), default=None)


def _duration(text: str) -> float | None:
    """Return the seconds of `1m2.5s`, `6ms` or `7.66`."""
    if _WHOLE.fullmatch(text):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    return _number(text)


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _date(text: str | None, now: datetime) -> float | None:
    if text is None:
        return None
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):
        return None
