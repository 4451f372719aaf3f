"""Decide what is done about a model that declines, repeats itself or gets no further. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.model.route import ModelStrength, Rung


class StuckReason(StrEnum):
    """Why a model gets no further."""

    DECLINED = "declined"
    REPEATED = "repeated"
    STALLED = "stalled"
    CUT_OFF = "cut off"


class Intervention(StrEnum):
    """What is done about it, mildest first."""

    TIGHTER = "tighter"
    OTHER_MODEL = "other model"
    FRESH_START = "fresh start"


@dataclass(frozen=True, slots=True)
class Taken:
    """A remedy that was used, and against what."""

    trouble: StuckReason
    remedy: Intervention


def next_remedy(
    trouble: StuckReason, taken: Sequence[Taken], other: Rung | None
) -> Intervention | None:
    """Return the mildest remedy that was not used in this attempt; None: only a person can help.

    Args:
        trouble: Of the model now. One that repeats itself or whose answers are cut off was told so
            by then, so that a tighter prompt would say it once more.
        taken: Remedies of this attempt, in order.
        other: Another model that could be asked, or None.
    """
    used = {item.remedy for item in taken}
    told = trouble in {StuckReason.REPEATED, StuckReason.CUT_OFF}
    unusable = {Intervention.TIGHTER: told, Intervention.OTHER_MODEL: other is None}
    return next(
        (remedy for remedy in Intervention if remedy not in used and not unusable.get(remedy)), None
    )


def other_rung(rungs: Sequence[Rung], asked: ModelStrength) -> Rung | None:
    """Return the model to ask instead: the next larger one, else the next smaller one, if any."""
    place = next((n for n, rung in enumerate(rungs) if rung.strength is asked), None)
    if place is None or len(rungs) <= 1:
        return None
    return rungs[place + 1] if place + 1 < len(rungs) else rungs[place - 1]
