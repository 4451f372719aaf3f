"""The section `memory` of the repo config: what is remembered of earlier runs, and for how long."""

from __future__ import annotations

from pydantic import Field, StrictBool, StrictInt

from bot.config.section import ConfigSection
from bot.model.memory import MemoryLimits

_LIMITS = MemoryLimits()


class MemorySection(ConfigSection):
    """What is remembered of earlier runs in this repository."""

    enabled: StrictBool = Field(
        default=True, description="Whether runs remember what was tried, and use it."
    )
    days: StrictInt = Field(
        _LIMITS.days,
        ge=1,
        le=3650,
        description="Days until an attempt is forgotten, counted from its run or its merge.",
    )
    entries: StrictInt = Field(
        _LIMITS.entries, ge=1, le=2000, description="Maximum number of attempts remembered."
    )
    lessons: StrictBool = Field(
        default=True, description="Whether review comments may be proposed as lessons."
    )
    share: StrictBool = Field(
        default=True,
        description="Whether this repository takes part where the operator lets repositories share "
        "their memory.",
    )
    shown: StrictInt = Field(
        _LIMITS.shown,
        ge=0,
        le=10,
        description="Maximum number of similar attempts in the model's first prompt.",
    )

    @property
    def limits(self) -> MemoryLimits:
        """The section in the words of a run."""
        return MemoryLimits(days=self.days, entries=self.entries, shown=self.shown)
