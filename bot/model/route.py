"""How a model is asked in an attempt, and why so."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class ModelStrength(StrEnum):
    """Which of the configured models is asked, small to large."""

    SMALL = "small"
    DEFAULT = "default"
    STRONGER = "stronger"


class Approach(StrEnum):
    """Where a model is told to begin, so that attempts side by side differ; see `prompts/`."""

    OPEN = "open"
    CAUSE = "cause"
    CALLERS = "callers"
    EXAMPLES = "examples"


@dataclass(frozen=True, slots=True)
class Rung:
    """One configured model.

    Attributes:
        strength: By which it is asked for.
        model: Its name.
        first_call_usd: The most that a first call can cost; None where no price is known.
        takes_temperature: Whether its provider lets one choose how varied its answers are.
    """

    strength: ModelStrength
    model: str
    first_call_usd: Decimal | None = None
    takes_temperature: bool = False


@dataclass(frozen=True, slots=True)
class RungRecord:
    """What became of a rung's attempts in earlier runs of a repository.

    Attributes:
        strength: Of the rung.
        tried: Attempts.
        accepted: Of them, those whose patch was verified.
        merged: Of these, those that people merged and kept.
        undone: Of the accepted ones, those that people closed without merging, or reverted.
    """

    strength: ModelStrength
    tried: int
    accepted: int
    merged: int = 0
    undone: int = 0


@dataclass(frozen=True, slots=True)
class Route:
    """How an attempt asks a model.

    Attributes:
        strength: Which of the configured models.
        model: An exact model in its place, or None.
        temperature: Of its answers; None leaves the provider's.
        approach: Where it is told to begin.
        reason: Why this one, as a part of a sentence; "" where there was nothing to choose.
        batch: Which attempts were made side by side with it: their common number, from 1; 0 for an
            attempt that was made alone.
    """

    strength: ModelStrength = ModelStrength.DEFAULT
    model: str | None = None
    temperature: float | None = None
    approach: Approach = Approach.OPEN
    reason: str = ""
    batch: int = 0
