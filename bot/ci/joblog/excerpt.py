"""Cut what a failing step printed down to a budget, around its first real error."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import Failure
from bot.reporting.reasons import job_target

BUDGET = 12_000
"""Characters of an excerpt."""

_BEFORE = 0.25
"""Share of the budget for what stands before the first error."""


def excerpt(output: str, failing: Sequence[Failure], *, budget: int = BUDGET) -> str:
    """Return at most about `budget` characters that contain the first real error.

    Args:
        output: Of the step, plain.
        failing: What was read from it, the first one being the first real error.
        budget: In characters.
    """
    text = output.strip("\n")
    if len(text) <= budget:
        return text
    place = _place(text, failing)
    start = max(0, min(place - int(budget * _BEFORE), len(text) - budget))
    start = text.rfind("\n", 0, start) + 1
    end = start + budget
    cut = text.rfind("\n", place, end)
    end = cut if cut > place and end < len(text) else min(end, len(text))
    head = f"{job_target.characters_left_out(start)}\n" if start else ""
    left = len(text) - end
    tail = f"\n{job_target.characters_left_out(left)}" if left else ""
    return f"{head}{text[start:end]}{tail}"


def _place(text: str, failing: Sequence[Failure]) -> int:
    """Return where the first real error stands; the end when it can't be found."""
    for failure in failing:
        wanted = (_first_line(failure.detail), failure.message, failure.test.rpartition("::")[2])
        for words in wanted:
            at = text.find(words) if words.strip() else -1
            if at >= 0:
                return at
    return len(text)


def _first_line(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    return lines[0] if lines else ""
