"""Text of strangers as one printable line."""

from __future__ import annotations

from bot.model.untrusted import strip_hidden


def printable(text: str, limit: int = 400) -> str:
    """Return the text as one line that can't move a cursor or hide anything, cut to `limit`."""
    folded = " ".join(strip_hidden(text).split())
    return folded if len(folded) <= limit else f"{folded[: limit - 1].rstrip()}…"
