"""What becomes of a pull request of ours that conflicts with its base, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from bot.intake.conflict_policy import (
    ConflictFacts,
    LeaveConflict,
    PutOff,
    Redo,
    WhyLeft,
    decide_conflict,
)
from bot.intake.followup_policy import Budget, ChainSpending
from bot.model import Patch, Problem, Report, Verdict
from bot.model.request import ConflictingRepair, FixRequest, Options
from bot.reporting.conflict_repair import described
from bot.reporting.marker import progress_marker

FREE = ConflictFacts(spent=ChainSpending(1, Decimal("0.5")), budget=Budget(3, Decimal(2)))
ASKED = FixRequest(
    "acme/app", 1, 1, is_pull_request=False, actor="ada", comment_id=2,
    asked_at=datetime(2026, 1, 1, tzinfo=UTC), options=Options(attempts=5),
)  # fmt: skip
REPAIR = ConflictingRepair(ASKED, ASKED.run_id, "fix", "a" * 40, "main", "b" * 40, "c" * 40)


def test_a_fix_is_redone_with_what_is_left_of_its_budget() -> None:
    """Without money there are still its own patch, and proposers that need no model."""
    assert decide_conflict(FREE) == Redo(2, Decimal("1.5"))
    dear = replace(FREE, spent=ChainSpending(2, Decimal(3)))
    assert decide_conflict(dear) == Redo(1, Decimal(0))
    assert decide_conflict(replace(FREE, spent=ChainSpending(0, None))) == Redo(3, None)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (replace(FREE, switch=False), WhyLeft.SWITCHED_OFF),
        (replace(FREE, ours=False, others=("wes",)), WhyLeft.OTHERS),
        (replace(FREE, tried=True), WhyLeft.TRIED),
        (replace(FREE, spent=ChainSpending(3)), WhyLeft.LIMITS),
    ],
)
def test_a_conflict_is_left_alone(facts: ConflictFacts, why: WhyLeft) -> None:
    """Also where others would only have to wait; people hear of it where they may expect more."""
    left = decide_conflict(replace(facts, elsewhere=5))
    assert isinstance(left, LeaveConflict)
    assert left.why is why
    assert left.reason
    assert why.is_told is (why in {WhyLeft.OTHERS, WhyLeft.LIMITS})


def test_automatic_runs_wait_for_each_other() -> None:
    """As many as `checks.at_once` says are at work in a repository."""
    assert isinstance(decide_conflict(replace(FREE, elsewhere=1)), PutOff)
    assert isinstance(decide_conflict(replace(FREE, elsewhere=1, at_once=2)), Redo)


def redo(head: str, base: str) -> FixRequest:
    repair = replace(REPAIR, head=head, base=base)
    return replace(
        ASKED, number=2, is_pull_request=True, actor="", comment_id=None, redoes=repair,
        options=Options(attempts=1), asked_at=datetime.now(UTC),
    )  # fmt: skip


def test_there_is_one_run_for_a_head_and_a_base_and_one_comment_for_all() -> None:
    """Whenever it was asked for; a person who asks again has the options of the first run."""
    first, other = redo("a" * 40, "b" * 40), redo("a" * 40, "d" * 40)
    assert first.run_id == redo("a" * 40, "b" * 40).run_id
    assert len({first.run_id, other.run_id, redo("e" * 40, "b" * 40).run_id, ASKED.run_id}) == 4
    assert progress_marker(first) == progress_marker(other) != progress_marker(ASKED)
    retried = replace(ASKED, number=2, comment_id=9, options=Options()).again(first)
    assert (retried.redoes, retried.options.attempts) == (first.redoes, 5)
    assert retried.run_id not in {first.run_id, replace(retried, comment_id=10).run_id}


def test_a_description_says_what_was_redone_last_and_keeps_the_rest() -> None:
    """However often that is; where there is no room, it stays as it is."""
    report = Report(
        "3fa9c1d20b7e", Verdict.FIXED, "", Problem(), "b" * 40,
        patch=Patch(b"+x\n", ("a.py",), 1, 0), patch_accepted=True,
    )  # fmt: skip
    first = described(
        report, REPAIR, "https://x/1", "As it was.\n\n<!-- fixpoint:run=1 kind=x -->\n"
    )
    assert first is not None
    again = described(replace(report, run_id="9b1c0d3e7f24"), REPAIR, "https://x/2", first)
    assert again is not None
    assert again.endswith("\n\nAs it was.\n\n<!-- fixpoint:run=1 kind=x -->\n")
    assert (again.count("### Redone on `main`"), "https://x/1" in again) == (1, False)
    assert described(report, REPAIR, "https://x/1", "x" * 65_500) is None
