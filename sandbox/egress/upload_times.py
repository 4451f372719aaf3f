"""Tell what was uploaded before a moment from what came later. No IO."""

from __future__ import annotations

from datetime import UTC, datetime


class UploadTimes:
    """Decides about each upload of one page, and notes whether the page tells when it was.

    Args:
        before: What was uploaded at this moment or later is left out.
    """

    def __init__(self, before: datetime) -> None:
        self._before = before
        self.missing = False
        """Whether an upload had no time; it is kept."""

    def keeps(self, text: object) -> bool:
        """Whether an upload stays, by its time in ISO 8601."""
        uploaded = _moment(text)
        if uploaded is None:
            self.missing = True
            return True
        return uploaded < self._before


def _moment(text: object) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
