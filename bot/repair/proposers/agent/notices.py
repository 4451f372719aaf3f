"""What the loop itself says to the model: one function per sentence."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from bot.model import Limits, Usage
from bot.model.untrusted import clip

_LAST_TURNS = 5
_MOSTLY_SPENT = Decimal("0.8")
_ENDING_CHARACTERS = 80
_CUT_WORDS = 40
"""Characters of the note that `clip` leaves in the middle."""


def repeated(times: int) -> str:
    """Say that the same action brings the same result."""
    return (
        f"You have done this {times} times with the same result, and nothing changed in between. "
        "Doing it again will not help: step back, question what you believe about the cause, "
        "and do something different."
    )


def tighter(trouble: str) -> str:
    """Narrow the task for a model that declined, or whose edits don't change what commands show."""
    if trouble == "declined":
        return (
            "You declined the last step. The task is narrow: change this repository's source so "
            "that its failing command passes. Leave out what you object to, say so in your "
            "summary, and do the rest."
        )
    return (
        "What you run has ended in the same way several times, whatever you edited. Stop "
        "editing. Say in one sentence what you believe the cause is, and check that by one command "
        "that would show you wrong, before the next edit."
    )


def taken_over(reason: str) -> str:
    """Tell a model that another one worked on this before."""
    return (
        f"Another model worked on this until here and got no further. ({reason}) Check its "
        "conclusions before you rely on them."
    )


def fresh_start(reason: str) -> str:
    """Tell a model to begin again."""
    return (
        f"That conversation got no further. ({reason}) The work tree still has the edits made in "
        "it. Begin again from the failure, keep only what you can confirm, and do something else "
        "than before."
    )


def cut_off(max_tokens: int) -> str:
    """Say that the answer was cut, and with it whatever tool call it had begun."""
    return (
        f"Your answer was cut off at {max_tokens:,} tokens; an incomplete tool call is "
        "lost. Continue from there in smaller pieces: one edit at a time, large files in parts."
    )


def empty() -> str:
    """Say that an answer had neither words nor a call."""
    return "Your last answer was empty. Go on with the work; or, if it is done, answer with your summary."


def as_before(turns: int) -> str:
    """Stand for lines that are above, in the result of the same call."""
    return f"(… the same result as {_ago(turns)}: it is above …)"


def as_before_but_for(turns: int) -> str:
    """Begin the differences between a result and that of the same call, which is above."""
    return f"(the same result as {_ago(turns)}, which is above, but for these lines:)"


def _ago(turns: int) -> str:
    return "one turn ago" if turns == 1 else f"{turns} turns ago"


def output_dropped(output: str) -> str:
    """Say that old output was dropped; how it ended stays."""
    note = f"({len(output):,} characters of older output dropped; run it again if you need it)"
    ending = output.rstrip().rpartition("\n")[2]
    if ending.startswith("(") and len(ending) <= _ENDING_CHARACTERS:
        return f"{note}\n{ending}"
    return note


def cut_to_fit(output: str, most: int) -> str:
    """Cut output to what a small context window has room for, and say so in it."""
    told = "(cut to fit into your context window: look at smaller parts)"
    return f"{told}\n{clip(output, max(0, most - len(told) - _CUT_WORDS))}"


def turn_too_large() -> str:
    """Say that what the model did last is gone with its results."""
    return (
        "Your last turn was too large for your context window, so its results are not shown. Do "
        "less in one turn: look at smaller parts, and write large files in several."
    )


def folded(turns: int, listed: Sequence[str], kept: str) -> str:
    """Say what happened in the turns that are no longer shown.

    Args:
        turns: How many.
        listed: A line for each of the newest of them, oldest first.
        kept: The plan and the notes of the agent, or "".
    """
    first = f"{turns} earlier turns of yours were folded away to save space"
    lines = [
        f"{first}; the last {len(listed)}:" if len(listed) < turns else f"{first}:",
        *(f"- {turn}" for turn in listed),
    ]
    if kept:
        lines += ["", "Your plan and notes:", kept]
    return "\n".join(lines)


def running_out(
    limits: Limits, spent: Usage, *, turns_left: int, now: float, deadline: float
) -> str:
    """Say that the end is near, and what to do before it; empty while there is enough.

    Args:
        limits: Of the run.
        spent: By the run so far.
        turns_left: Of this attempt.
        now: `time.time()` of the last turn.
        deadline: When the run's time is up, on the same clock.
    """
    if turns_left <= _LAST_TURNS:
        scarce = "1 turn is left" if turns_left == 1 else f"{turns_left} turns are left"
    elif _is_mostly_spent(limits, spent):
        scarce = "Most of the budget is spent"
    elif deadline - now < limits.seconds * float(1 - _MOSTLY_SPENT):
        scarce = f"{max(0, deadline - now):.0f} seconds are left"
    else:
        return ""
    return (
        f"{scarce}. Get the work into its best state now: finish the edit, run the failing "
        "command, remove leftovers, and end with your summary."
    )


def _is_mostly_spent(limits: Limits, spent: Usage) -> bool:
    if limits.tokens is not None and spent.tokens >= limits.tokens * _MOSTLY_SPENT:
        return True
    if limits.cost_usd is None or spent.cost_usd is None:
        return False
    return spent.cost_usd >= limits.cost_usd * _MOSTLY_SPENT
