"""The plan that a model makes of its work: steps, and how each is checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StepState(StrEnum):
    """How far a step of the plan is."""

    TODO = "todo"
    DOING = "doing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step of the plan, and how the model will know that it is done; both untrusted."""

    text: str
    check: str
    state: StepState
