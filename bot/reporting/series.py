"""Several things as the part of a sentence that names them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example(["`a.py`"])
@example(["`a.py`", "`b.py`", "`c.py`"])
@example(["`a.py`", "`b.py`", "`c.py`"], most=1)
def series(items: Sequence[str], *, most: int | None = None) -> str:
    """Return the items joined by commas and "and"; those beyond `most` are only counted."""
    named = [*items]
    if most is not None and len(named) > most:
        named[most:] = [f"{len(named) - most} more"]
    *others, last = named
    return f"{', '.join(others)} and {last}" if others else last
