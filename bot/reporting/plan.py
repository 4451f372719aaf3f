"""Show a model's plan: its steps, how each is checked, and how far they are."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.plan import PlanStep, StepState
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import details
from bot.reporting.prose import line

_CHARACTERS = 160
"""Of a step, and of its check."""

_EXAMPLE = (
    PlanStep("Find the cause", "`grep` names the line", StepState.DONE),
    PlanStep("Mend it", "the failing test passes", StepState.DOING),
    PlanStep("Look at the callers", "", StepState.TODO),
)


@example(1, _EXAMPLE)
def folded(n: int, plan: Sequence[PlanStep]) -> str:
    """Return the plan of an attempt, folded up; "" where it has none."""
    done = sum(step.state is StepState.DONE for step in plan)
    title = f"Plan of attempt {n}: {done} of {count(len(plan), 'step')} done"
    return details(title, "\n".join(map(_step, plan))) if plan else ""


def _step(step: PlanStep) -> str:
    mark = "x" if step.state is StepState.DONE else " "
    doing = " (in progress)" if step.state is StepState.DOING else ""
    check = f". Check: {line(step.check, limit=_CHARACTERS)}" if step.check else ""
    return f"- [{mark}] {line(step.text, limit=_CHARACTERS)}{doing}{check}"
