"""Colour patches without importing what that takes: it is there where the work is done."""

from __future__ import annotations

from collections.abc import Sequence

NEEDED = "bot.web.highlighting"
"""Takes half a second to import: a server never does, and the process apart does so once."""


def coloured(patches: Sequence[str]) -> tuple[str, ...]:
    """Return each patch as HTML; see `highlighted`."""
    from bot.web.highlighting import highlighted

    return highlighted(patches)
