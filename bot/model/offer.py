"""A larger budget that a person may approve."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.model.limits import Limits


@dataclass(frozen=True, slots=True)
class Offer:
    """As much again as a run had, for which a person's approval is enough.

    Attributes:
        limits: What there is to spend.
        role: The least role that may approve.
        until: When the offer ends, UTC.
    """

    limits: Limits
    role: str
    until: datetime
