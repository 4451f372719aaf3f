"""The agent's plan and notes: what it wants to keep when older turns are folded away."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.model.plan import PlanStep, StepState
from bot.model.untrusted import clip

MOST_STEPS = 20
MOST_NOTES = 30
_MOST_CHARACTERS = 1_000
"""Of one step or note: what is longer belongs into a file."""


@dataclass(frozen=True, slots=True)
class TakeNotes:
    """Replace the plan, if there is one here, and keep a note, if there is one."""

    plan: tuple[PlanStep, ...] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class WorkingNotes:
    """What the agent keeps during one attempt: a plan, and what it found out, oldest first."""

    plan: tuple[PlanStep, ...] = ()
    notes: tuple[str, ...] = ()

    def with_taken(self, taken: TakeNotes) -> WorkingNotes:
        """Return these with a new plan or one more note; the oldest notes go when there are many."""
        plan = self.plan if taken.plan is None else tuple(map(_bounded, taken.plan[:MOST_STEPS]))
        notes = self.notes
        if taken.note:
            notes = (*notes, clip(taken.note, _MOST_CHARACTERS))[-MOST_NOTES:]
        return WorkingNotes(plan, notes)

    @property
    def text(self) -> str:
        """All of it, as the agent reads it; empty when there is nothing."""
        marks = {StepState.TODO: " ", StepState.DOING: "~", StepState.DONE: "x"}
        steps = [
            f"[{marks[step.state]}] {step.text}" + (f" (check: {step.check})" if step.check else "")
            for step in self.plan
        ]
        return "\n".join([*steps, *filter(None, [self.findings])])

    @property
    def findings(self) -> str:
        """The notes alone: a plan is of no use to the next attempt, which starts anew."""
        return "\n".join(f"- {note}" for note in self.notes)


def _bounded(step: PlanStep) -> PlanStep:
    return replace(
        step, text=clip(step.text, _MOST_CHARACTERS), check=clip(step.check, _MOST_CHARACTERS)
    )
