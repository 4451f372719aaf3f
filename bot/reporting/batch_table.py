"""Show attempts that were made side by side: how they differed, and which patch was taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.model import Attempt
from bot.model.route import Approach, Route
from bot.reporting.example import example
from bot.reporting.markdown import code, escape, table
from bot.reporting.outcome import outcome

_HEADER = (
    "#",
    "Model",
    "Temperature",
    "Began with",
    "Like most where patches differ",
    "Others' tests passed",
    "Result",
)


def batch_table(attempts: Sequence[Attempt]) -> str:
    """Return a table of the attempts that were made side by side; "" where there are none."""
    rows = [_row(one, one.route) for one in attempts if one.route is not None and one.route.batch]
    return f"Made side by side:\n\n{table(_HEADER, rows)}" if rows else ""


@example(Approach.OPEN)
@example(Approach.CAUSE)
@example(Approach.CALLERS)
@example(Approach.EXAMPLES)
def began_with(approach: Approach) -> str:
    """Where a model was told to begin."""
    match approach:
        case Approach.OPEN:
            return "its own choice"
        case Approach.CAUSE:
            return "the first wrong value"
        case Approach.CALLERS:
            return "the callers"
        case Approach.EXAMPLES:
            return "similar code that works"
        case _:
            assert_never(approach)


def _row(attempt: Attempt, route: Route) -> tuple[str, ...]:
    standing, model = attempt.standing, attempt.proposal.model
    agreed = (
        f"{standing.agreed} of {standing.inputs} inputs" if standing and standing.inputs else ""
    )
    crossed = f"{standing.passed} of {standing.tests}" if standing and standing.tests else ""
    return (
        str(attempt.n),
        code(model) if model else "",
        "" if route.temperature is None else f"{route.temperature:g}",
        began_with(route.approach),
        agreed,
        crossed,
        escape(_result(attempt)),
    )


def _result(attempt: Attempt) -> str:
    if attempt.accepted:
        why = attempt.standing.why if attempt.standing is not None else ""
        return f"taken: {why}" if why else "taken"
    return outcome(attempt)
