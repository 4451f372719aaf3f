"""Whether tests that were written first tell a right fix from a wrong one."""

from __future__ import annotations

from bot.model.mutation import MutantResults, Survivor
from bot.reporting.example import example
from bot.reporting.reasons.mutants import described, short

_SURVIVOR = Survivor("src/a.py", 3, "has `<` instead of `<=`")


@example(MutantResults(3))
@example(MutantResults(2, (_SURVIVOR,)))
@example(MutantResults(0, (_SURVIVOR,)))
def caught(results: MutantResults) -> str:
    """The new tests ran with wrong fixes, made from the accepted one."""
    said = f"Wrong fixes: {results.caught} of {results.total} caught by the new tests."
    left = described(results.survivors)
    return f"{said} They also pass when {left}." if left else said


@example("total = 0")
def part_left_out(text: str) -> str:
    """What a wrong fix does: a part of the change is as it was before."""
    return f"leaves out the part of the fix at `{short(text)}`"


@example(3, "src/a.py:3")
def accepts_all(wrong: int, place: str) -> str:
    """The tests, strengthened once, still accept every wrong fix."""
    return (
        f"The new tests also pass with all {wrong} wrong fixes that were made from this patch, at "
        f"`{place}`, so they hardly show that it is right."
    )


@example(3)
def to_be_strengthened(wrong: int) -> str:
    """The tests accept every wrong fix, and are written once more."""
    return (
        f"The new tests also pass with all {wrong} wrong fixes that were made from the accepted one; "
        "the agent has one round to strengthen them."
    )


@example()
def strengthened() -> str:
    """They were written once more, and are better now."""
    return "The new tests accepted every wrong fix at first, and were strengthened."


@example("The model wrote no test.")
def not_strengthened(reason: str) -> str:
    """What was written once more is no better, or worse."""
    return f"The new tests could not be strengthened: {reason}"


@example()
def no_better() -> str:
    """Why: they accept the wrong fixes as before."""
    return "They still accept every wrong fix."


@example()
def fix_fails() -> str:
    """Why: the accepted fix does not pass them."""
    return "The accepted fix fails the strengthened tests."
