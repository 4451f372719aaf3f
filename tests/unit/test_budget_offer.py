"""Whether a run whose budget is spent may go on."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from bot.model import Attempt, Limits, Patch, Problem, Proposal, Report, Verdict
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap
from bot.model.request import FixRequest
from bot.repair.loop import already_asked
from bot.runs.publishing.budget_offer import may_have_as_much_again

LIMITS = Limits(cost_usd=Decimal(2))
SPENT = Balance(Account(AccountScope.RUN, "run"), Cap(Decimal(2)), Amount(Decimal(2)))


def thread(cap: str | None) -> Balance:
    """Return a thread's account of which $3 are spent."""
    return Balance(
        Account(AccountScope.THREAD, "a/b#1"),
        Cap(None if cap is None else Decimal(cap)),
        Amount(Decimal(3)),
    )


@pytest.mark.parametrize(
    ("verdict", "shared", "limits", "offered"),
    [
        (Verdict.BUDGET_SPENT, thread("5"), LIMITS, True),
        (Verdict.BUDGET_SPENT, thread("4.99"), LIMITS, False),
        (Verdict.BUDGET_SPENT, thread(None), LIMITS, True),
        (Verdict.BUDGET_SPENT, thread("3"), Limits(cost_usd=None), True),
        (Verdict.GAVE_UP, thread("5"), LIMITS, False),
    ],
)
def test_as_much_again_must_fit(
    verdict: Verdict, shared: Balance, limits: Limits, *, offered: bool
) -> None:
    """Into what the run shares with others; a run that ended for another reason has no offer."""
    report = Report("run", verdict, ".", Problem(), "c" * 40, balances=(shared, SPENT))
    assert may_have_as_much_again(report, limits) is offered


def test_a_run_is_continued_once() -> None:
    """Whoever approves, and however often: it is the same run."""
    request = FixRequest(
        "a/b",
        1,
        2,
        is_pull_request=False,
        actor="ada",
        comment_id=3,
        asked_at=datetime(2026, 3, 1, tzinfo=UTC),
    )
    fix_request = request.continued("ada", datetime(2026, 3, 2, tzinfo=UTC))
    other = request.continued("wes", datetime(2026, 3, 3, tzinfo=UTC))
    assert fix_request.run_id == other.run_id != request.run_id
    assert fix_request.continued("ada", fix_request.asked_at).run_id != fix_request.run_id


def test_those_before_the_agent_are_not_asked_again() -> None:
    """Also when they left no attempt; a run that never came to the agent asks them."""

    def made(proposer: str) -> Attempt:
        return Attempt(1, proposer, Proposal(Patch(), "."), None, (), 1.0)

    assert already_asked(()) == ()
    assert already_asked([made("mechanical")]) == ("mechanical",)
    assert already_asked([made("agent"), made("agent")]) == (
        "memory", "flaky", "mechanical", "adapt", "search", "revert", "agent", "agent",
    )  # fmt: skip
