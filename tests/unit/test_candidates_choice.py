"""How attempts side by side differ, what they may spend, and which patch is taken: from values alone."""

from __future__ import annotations

from decimal import Decimal

import pytest

from bot.errors import BudgetExhausted
from bot.model import (
    Attempt,
    GuardFinding,
    Limits,
    MutantResults,
    Observation,
    Patch,
    Proposal,
    Severity,
    Survivor,
    Usage,
    Verification,
)
from bot.model.money.accounts import Amount
from bot.model.money.budget import own_balance
from bot.model.money.reservations import OwnReservations
from bot.model.route import Approach, ModelStrength, Route, Rung
from bot.repair.attempts.candidates.parallel_attempts import Share
from bot.repair.attempts.candidates.patch_choice import (
    Crossed,
    agreements,
    believed,
    chosen,
)
from bot.repair.attempts.candidates.plan import (
    share_of,
    side_by_side,
)
from bot.repair.verification.perturbed_inputs import Record
from bot.reporting.outcome import outcome

_, DEFAULT, STRONGER = ModelStrength
RUNGS = (Rung(DEFAULT, "middle-1", Decimal("0.10"), takes_temperature=True),)
TWO = (*RUNGS, Rung(STRONGER, "large-1", Decimal("0.30")))
CHECKED = GuardFinding("tests-read", Severity.NEEDS_PERSON, "Look at it.")


def routes(
    rungs: tuple[Rung, ...] = TWO, wanted: int = 3, left: str | None = None, attempts: int = 9
) -> tuple[Route, ...]:
    return side_by_side(
        Route(DEFAULT, reason="it is easy"),
        rungs,
        wanted,
        attempts_left=attempts,
        left=None if left is None else Decimal(left),
        batch=2,
    )


def attempt(
    n: int,
    *,
    size: int = 1,
    data: bytes = b"",
    survivors: int | None = None,
    findings: tuple[GuardFinding, ...] = (),
    code: int = 0,
) -> Attempt:
    patch = Patch(data or b"patch %d" % n, ("a.py",), size, 0)
    mutants = None
    if survivors is not None:
        mutants = MutantResults(
            2, tuple(Survivor("a.py", 1, str(number)) for number in range(survivors))
        )
    verification = Verification(Observation("pytest", code), findings=findings, mutants=mutants)
    return Attempt(n, "agent", Proposal(patch, ""), verification, (), 1.0)


def test_attempts_differ_by_model_then_by_where_they_begin() -> None:
    """The first is as it would be alone; temperatures are for those whose provider has them."""
    assert routes() == (
        Route(DEFAULT, reason="it is easy", batch=2),
        Route(STRONGER, batch=2),
        Route(DEFAULT, approach=Approach.CAUSE, temperature=0.7, batch=2),
    )
    alone = routes(RUNGS, wanted=4)
    assert [route.approach for route in alone] == list(Approach)
    assert {route.strength for route in alone} == {DEFAULT}
    assert [route.temperature for route in routes((), wanted=2)] == [None, None]


def test_there_are_as_many_as_the_budget_covers() -> None:
    """Each share has to cover a first call of its model, and each attempt counts."""
    assert [route.strength for route in routes(left="0.90")] == [DEFAULT, STRONGER, DEFAULT]
    assert [route.strength for route in routes(left="0.60")] == [DEFAULT] * 3
    assert len(routes(left="0.25")) == 2
    assert routes(left="0.15") == (Route(DEFAULT, reason="it is easy"),)
    assert len(routes(attempts=2)) == 2
    assert len(routes(attempts=1)) == len(routes(wanted=1)) == 1


async def test_no_attempt_spends_the_share_of_another() -> None:
    """What is left is divided; a call that doesn't fit into a share takes a smaller form, or none."""
    spent = Usage(input=100, cost_usd=Decimal("0.40"))
    limits = share_of(Limits(cost_usd=Decimal("1.00"), tokens=1_000), spent, 3)
    assert (limits.cost_usd, limits.tokens) == (Decimal("0.60"), 400)
    share, own = Share(OwnReservations()), own_balance(limits, spent)
    large, small = Amount(Decimal("0.30"), 10), Amount(Decimal("0.15"), 10)
    assert await share.reserve("call", [large, small], own) == 1
    with pytest.raises(BudgetExhausted):
        await share.reserve("next", [large], own)
    assert share.abandon() == Usage(input=10, cost_usd=Decimal("0.15"), calls=1)
    assert share.abandon() == Usage(), "once"
    assert share_of(Limits(cost_usd=None), spent, 3).cost_usd is None


def test_a_patch_is_believed_when_something_besides_the_tests_speaks_for_it() -> None:
    """They notice every fault in its lines, or another attempt left the same patch."""
    assert believed(attempt(1, survivors=0), [])
    assert not believed(attempt(1, survivors=1), [])
    assert not believed(attempt(1), [])
    assert not believed(attempt(1, survivors=0, findings=(CHECKED,)), [])
    assert not believed(attempt(1, survivors=0, code=1), [])
    assert believed(attempt(1, data=b"same"), [attempt(2, data=b"same")])
    assert not believed(attempt(1, data=b"same"), [attempt(2, data=b"same", code=1)])


def test_the_best_of_the_patches_that_pass_is_taken() -> None:
    """Each reason goes before the next, and the others say why they were not."""
    first, small, large = attempt(1, size=2), attempt(2, size=1), attempt(3, size=9)

    def taken(*passing: Attempt, **more: object) -> tuple[int, str]:
        agreed, crossed = more.get("agreed", {}), more.get("crossed", {})
        ranked = chosen(passing, agreed, crossed)  # type: ignore[arg-type] # by name
        [best] = [item for item in ranked if item.accepted]
        assert best.standing is not None
        return best.n, best.standing.why

    assert taken(first, small, large) == (2, "smallest patch")
    assert taken(first, attempt(2, size=2)) == (1, "first of equals")
    noticed = attempt(4, size=9, survivors=0), attempt(5, survivors=2)
    assert taken(*noticed) == (4, "the tests cover its lines better")
    checked = attempt(4, findings=(CHECKED,))
    assert taken(checked, large) == (3, "it leaves less for a person to check")
    agreed = {1: (4, 1), 2: (4, 1), 3: (4, 4)}
    assert taken(first, small, large, agreed=agreed)[0] == 3
    crossed = {1: Crossed(2, 2), 2: Crossed(2, 1), 3: Crossed(2, 1)}
    assert taken(first, small, large, agreed=agreed, crossed=crossed)[0] == 1
    passed_over = chosen([first, small], {}, {})[0]
    assert not passed_over.accepted
    assert outcome(passed_over) == "passes, but attempt 2 was preferred: smallest patch"


def test_patches_are_compared_on_inputs_that_tell_them_apart() -> None:
    """Only those that all of them were run on, by tests that show the same each time."""

    def told(*answers: str) -> tuple[Record, ...]:
        own = Record("0", "own", ("x",))
        near = [Record("0", f"in {n}", (answer,)) for n, answer in enumerate(answers)]
        return (own, own, *near)

    unsteady = (Record("0", "own", ("x",)), Record("0", "own", ("y",)), Record("0", "in 0", ("z",)))
    behaviour = {
        1: {"t": told("a", "b", "c"), "u": unsteady},
        2: {"t": told("a", "b", "d"), "u": told("q")},
        3: {"t": told("a", "e", "d"), "u": told("r")},
    }
    assert agreements(behaviour) == {1: (2, 1), 2: (2, 2), 3: (2, 1)}
    assert agreements({1: {}, 2: {"t": told("a")}}) == {1: (0, 0), 2: (0, 0)}
    assert agreements({}) == {}
