"""Which model an attempt asks, decided from values alone."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from bot.model import Attempt, Cause, Failure, Observation, Patch, Proposal, Reproduction
from bot.model.attempt import Verification
from bot.model.route import ModelStrength, Route, Rung, RungRecord
from bot.repair.attempts.routing.difficulty import (
    Circumstances,
    Signal,
    signals_of,
)
from bot.repair.attempts.routing.model_choice import (
    Past,
    Went,
    next_rung,
    past_of,
)

SMALL, DEFAULT, STRONGER = ModelStrength
RUNGS = (
    Rung(SMALL, "small-1", Decimal("0.01")),
    Rung(DEFAULT, "middle-1", Decimal("0.10")),
    Rung(STRONGER, "large-1", Decimal("0.30")),
)


def chosen(
    *past: Past,
    rungs: Sequence[Rung] = RUNGS,
    signals: tuple[Signal, ...] = (),
    records: Sequence[RungRecord] = (),
    left: str | None = None,
) -> Route:
    return next_rung(rungs, signals, records, past, None if left is None else Decimal(left))


def reproduction(*failing: Failure, **more: object) -> Reproduction:
    seen = Observation("make check", 1, failing)
    return Reproduction(Cause.REAL, seen, **more)  # type: ignore[arg-type] # fields by name


@pytest.mark.parametrize(
    ("signals", "strength"),
    [
        ((), DEFAULT),
        ((Signal.TOOL_ERRORS,), SMALL),
        ((Signal.SUSPICIOUS_LINES, Signal.PARTIAL_PATCH), SMALL),
        ((Signal.TOOL_ERRORS, Signal.MANY_FILES), DEFAULT),
        ((Signal.MANY_FAILURES, Signal.MANY_FILES), DEFAULT),
        ((Signal.MANY_FAILURES, Signal.MANY_FILES, Signal.NO_TEST), STRONGER),
    ],
)
def test_a_run_begins_where_the_failure_looks_to_be(
    signals: tuple[Signal, ...], strength: ModelStrength
) -> None:
    """Easy ones with the small model, hard ones with the stronger one, the rest between."""
    assert chosen(signals=signals).strength is strength


def test_what_is_known_before_the_first_call_is_read() -> None:
    """A linter's errors look easy, many large files hard."""
    errors = [Failure(f"a{n}.py:3: F401", f"a{n}.py") for n in range(6)]
    assert signals_of(Circumstances(reproduction(*errors), file_bytes=200_000)) == (
        Signal.TOOL_ERRORS,
        Signal.MANY_FAILURES,
        Signal.MANY_FILES,
        Signal.LARGE_FILES,
    )
    written = reproduction(Failure("t1", "test_a.py"), test_patch=Patch(b"x", ("test_a.py",)))
    assert signals_of(Circumstances(written, clues=True, improved=True)) == (
        Signal.SUSPICIOUS_LINES,
        Signal.PARTIAL_PATCH,
        Signal.NO_TEST,
    )


def test_attempts_lead_up_the_ladder() -> None:
    """One without a patch is enough, patches in vain are two, and progress stays."""
    nothing, in_vain, better = (Past(DEFAULT, went) for went in Went)
    assert chosen(nothing).strength is STRONGER
    assert chosen(in_vain).strength is DEFAULT
    assert chosen(in_vain, in_vain).strength is STRONGER
    assert chosen(in_vain, better).strength is DEFAULT
    assert chosen(in_vain, better, in_vain).strength is DEFAULT
    assert chosen(Past(SMALL, Went.NOTHING)).strength is DEFAULT
    top = chosen(Past(STRONGER, Went.NOTHING))
    assert top.strength is STRONGER
    assert top.reason == "no larger model is configured"


def test_a_rung_that_is_not_covered_is_skipped() -> None:
    """The largest one below that fits is asked, and the report says why."""
    route = chosen(Past(DEFAULT, Went.NOTHING), left="0.20")
    assert route.strength is DEFAULT
    assert route.reason == (
        "a call of large-1 could cost $0.3000, and $0.2000 of the budget is left"
    )
    assert chosen(left="0.05").strength is SMALL
    assert chosen(left="0.001").strength is DEFAULT, "the budget itself says that it is used up"


def test_a_repository_teaches_where_to_begin() -> None:
    """A rung that rarely succeeded is passed over, one below that mostly did is enough."""
    assert chosen(records=[RungRecord(DEFAULT, 6, 0)]).strength is STRONGER
    assert chosen(records=[RungRecord(DEFAULT, 3, 0)]).strength is DEFAULT, "three say nothing"
    assert chosen(records=[RungRecord(SMALL, 7, 6)]).strength is SMALL
    assert chosen(records=[RungRecord(SMALL, 7, 4)]).strength is DEFAULT
    easy = chosen(signals=(Signal.TOOL_ERRORS,), records=[RungRecord(SMALL, 6, 0)])
    assert easy.strength is DEFAULT
    assert "0 of the last 6 attempts with small-1" in easy.reason


def test_people_know_more_than_tests() -> None:
    """What they close or revert is a failure of its model, and what they merge counts twice."""
    undone = chosen(records=[RungRecord(DEFAULT, 6, 6, undone=5)])
    assert undone.strength is STRONGER
    assert undone.reason == (
        "6 of the last 6 attempts with middle-1 in this repository were accepted "
        "(5 closed or reverted)"
    )
    assert chosen(records=[RungRecord(SMALL, 7, 5)]).strength is DEFAULT
    merged = chosen(records=[RungRecord(SMALL, 7, 5, merged=5)])
    assert merged.strength is SMALL
    assert merged.reason.endswith(
        "5 of its last 7 attempts in this repository were accepted (5 merged)"
    )
    assert chosen(records=[RungRecord(SMALL, 7, 7, merged=3, undone=4)]).strength is DEFAULT


def test_one_model_leaves_nothing_to_choose() -> None:
    """Then nobody is told anything either; strengths that are missing have their neighbour."""
    assert chosen(rungs=RUNGS[1:2]) == chosen(rungs=()) == Route()
    two = RUNGS[1:]
    assert chosen(rungs=two, signals=(Signal.TOOL_ERRORS,)).strength is DEFAULT


def test_attempts_are_read_by_what_they_left() -> None:
    """No patch, one in vain, one that mends some and breaks nothing; others asked no model."""
    patch = Patch(b"x", ("a.py",))

    def attempt(proposal: Proposal, *failing: str, route: Route | None = Route()) -> Attempt:  # noqa: B008 - frozen
        seen = Observation("make check", 1, tuple(map(Failure, failing)))
        return Attempt(1, "agent", proposal, Verification(seen), (), 1.0, route=route)

    attempts = [
        attempt(Proposal(Patch(), "")),
        attempt(Proposal(patch, ""), "a", "b"),
        attempt(Proposal(patch, ""), "a"),
        attempt(Proposal(patch, ""), "a", route=None),
    ]
    assert [past.went for past in past_of(attempts, frozenset("ab"))] == list(Went)
