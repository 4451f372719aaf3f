"""What each verdict is called wherever people read it."""

from __future__ import annotations

from typing import assert_never

from bot.model import Verdict
from bot.reporting.example import example


@example(Verdict.FIXED)
@example(Verdict.SUGGESTED)
@example(Verdict.IMPROVED)
@example(Verdict.FLAKY)
@example(Verdict.RED_ON_BASE)
@example(Verdict.NOT_REPRODUCED)
@example(Verdict.INFRASTRUCTURE)
@example(Verdict.GAVE_UP)
@example(Verdict.BUDGET_SPENT)
@example(Verdict.STOPPED)
@example(Verdict.REFUSED)
@example(Verdict.EXPLAINED)
def headline(verdict: Verdict) -> str:  # noqa: C901, PLR0911, PLR0912 - one case per verdict
    """Return how a run ended, as a title without a period."""
    match verdict:
        case Verdict.FIXED:
            return "Fixed"
        case Verdict.SUGGESTED:
            return "Not fixed, but a patch is suggested"
        case Verdict.IMPROVED:
            return "Not fixed, but improved"
        case Verdict.FLAKY:
            return "Not fixed: the failure is flaky"
        case Verdict.RED_ON_BASE:
            return "Not fixed: the base branch has the same failure"
        case Verdict.NOT_REPRODUCED:
            return "Not fixed: could not reproduce the failure"
        case Verdict.INFRASTRUCTURE:
            return "Not fixed: could not run the tests"
        case Verdict.GAVE_UP:
            return "Not fixed: found no patch that passes"
        case Verdict.BUDGET_SPENT:
            return "Not fixed: the budget is used up"
        case Verdict.STOPPED:
            return "Stopped on request"
        case Verdict.REFUSED:
            return "Not started"
        case Verdict.EXPLAINED:
            return "Explained, as asked"
        case _:
            assert_never(verdict)
