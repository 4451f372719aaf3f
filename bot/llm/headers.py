"""Read how long a provider asks us to wait."""

from __future__ import annotations

from collections.abc import Mapping


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` ask for, or None.

    The date form of `retry-after` is not read: no model provider is known to send it.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None
