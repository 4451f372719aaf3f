"""A larger budget that a person may approve."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.model.limits import Limits


@dataclass(frozen=True, slots=True)
class Offer:
    """A second budget of the same size as the run's first, which a person may approve.

    Attributes:
        limits: The budget.
        role: The lowest role that may approve.
        until: When the offer ends, UTC.
    """

    limits: Limits
    role: str
    until: datetime
