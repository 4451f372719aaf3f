"""How long a run on GitHub waits, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.runs.durability.outages import FIRST_WAIT
from bot.runs.live_comment import EDIT_SECONDS


@dataclass(frozen=True, slots=True)
class Timing:
    """The waits of every run of a server.

    Attributes:
        edit_seconds: Between two edits of a progress comment.
        retry_seconds: Before the second try of what an outage stopped; doubles with each.
        approval: How long a question waits for a person.
    """

    edit_seconds: float = EDIT_SECONDS
    retry_seconds: float = FIRST_WAIT
    approval: timedelta = timedelta(days=7)
