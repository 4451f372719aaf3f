"""What the checks of a published commit mean."""

from __future__ import annotations

from decimal import Decimal

import pytest

from bot.intake.followup_policy import (
    Budget,
    ChainSpending,
    Continuation,
    Leave,
    Result,
    after_publication,
    blamed,
)
from bot.model.request import FailedCheck

LINT = FailedCheck("lint")
TEST = FailedCheck("test")
BUDGET = Budget(attempts=3, cost_usd=Decimal(2))


def test_a_commit_answers_for_what_it_broke_and_for_what_it_claims() -> None:
    """What failed on its parent is not its fault, unless it was made to repair just that."""
    failed = (LINT, TEST)
    assert blamed(failed, frozenset(), frozenset()) == failed
    assert blamed(failed, frozenset({"lint", "test"}), frozenset()) == ()
    assert blamed(failed, frozenset({"lint", "test"}), frozenset({"test"})) == (TEST,)


@pytest.mark.parametrize(
    ("spent", "decision"),
    [
        (ChainSpending(1, Decimal("0.5")), Continuation((LINT,), 2, Decimal("1.5"))),
        (ChainSpending(1, None), Continuation((LINT,), 2, None)),
        (ChainSpending(3, Decimal(0)), Leave(Result.RED, (LINT,), limit=True)),
        (ChainSpending(1, Decimal(2)), Leave(Result.RED, (LINT,), limit=True)),
    ],
)
def test_work_goes_on_with_what_is_left(spent: ChainSpending, decision: object) -> None:
    """The limits of the repo config hold for a repair as a whole."""
    assert after_publication((LINT,), wanted=True, spent=spent, budget=BUDGET) == decision


def test_where_nobody_asked_for_it_nothing_goes_on() -> None:
    """The result is said all the same."""
    assert after_publication((), wanted=True, spent=ChainSpending(), budget=BUDGET) == Leave(
        Result.GREEN
    )
    found = after_publication((LINT,), wanted=False, spent=ChainSpending(), budget=BUDGET)
    assert found == Leave(Result.RED, (LINT,))
