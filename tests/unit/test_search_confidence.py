"""How sure a search is that its patch is right: weights, doubts, and the test that would decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.search.calibrate import fitted, load
from bot.model import MutantResults, Survivor, Witnesses
from bot.repair.proposers.search.choose import Choice, Difference
from bot.repair.proposers.search.confidence import LOOSE, WEIGHTS, probability
from bot.repair.proposers.search.doubting import Values, deciding, doubts_of, values_of
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change
from bot.reporting.reasons import assurance as reasons

SURE = Witnesses(
    mutants=10,
    caught=10,
    rivals=0,
    share=1.0,
    passing=6,
    failing=2,
    weight=0.9,
    rank=4,
    lines=20,
    inputs=8,
    answers=6,
)
SURVIVOR = Survivor("a.py", 3, "has `<` instead of `<=`")


def test_the_weights_are_those_of_the_table() -> None:
    """What is published is what the data says: new rows ask for a new fit."""
    assert dict(WEIGHTS) == pytest.approx(fitted(load()), abs=0.02)


@pytest.mark.parametrize(
    "worse",
    [
        replace(SURE, caught=2),
        replace(SURE, rivals=9, share=0.2),
        replace(SURE, rank=4_000),
        replace(SURE, failing=1),
        replace(SURE, inputs=2, answers=2),
        replace(SURE, caught=0, passing=0),
    ],
)
def test_what_speaks_against_a_patch_makes_it_less_likely(worse: Witnesses) -> None:
    """Mutants that nothing notices, other patches that pass, many that did not, few tests.

    As likely, where the data don't show it.
    """
    assert 0 < probability(worse) <= probability(SURE) < 1


@pytest.mark.parametrize(
    ("seen", "most"),
    [
        (replace(SURE, inputs=1, answers=1, compared=100, shifted=100), LOOSE),
        (replace(SURE, inputs=40, answers=1, compared=100, shifted=60), LOOSE),
        (replace(SURE, inputs=1, answers=4, compared=100, shifted=60), LOOSE),
        (replace(SURE, inputs=1, answers=4, compared=100, shifted=50), 1.0),
        (replace(SURE, inputs=2, answers=2, compared=100), LOOSE),
        (replace(SURE, inputs=0, answers=0, compared=50), LOOSE),
        (replace(SURE, inputs=0, answers=0), 1.0),
        (replace(SURE, inputs=9, answers=9, compared=100, shifted=100), 1.0),
        (replace(SURE, inputs=1, answers=1), LOOSE),
    ],
    ids=[
        "one value",
        "one answer",
        "one of parts",
        "parts, half stays",
        "two values",
        "no input",
        "nothing known",
        "many values",
        "one input",
    ],
)
def test_a_patch_needs_values(seen: Witnesses, most: float) -> None:
    """However many tests pass with it: one value is held by as many formulas as one likes."""
    assert 0 < probability(seen) <= most
    assert (probability(seen) > LOOSE) is (most > LOOSE)
    doubts = list(doubts_of(seen, MutantResults(10)))
    assert bool(doubts) is (most == LOOSE)


@pytest.mark.parametrize(
    ("mine", "reach", "values"),
    [
        (["1", "2", "3", "4"], [True, True], Values(2, 2, 3, 2)),
        (["0", "1", "raises A", "4"], [True, False], Values(1, 1, 3, 0)),
        (["7", "7", "7", None], [True, True], Values(2, 1, 2, 2)),
        (["[1, 2.5]", "{'a': 1}", "1", None], [True, True], Values(2, 3, 2, 2)),
    ],
)
def test_values_are_counted(mine: list[str | None], reach: list[bool], values: Values) -> None:
    """Those that reach the change; and of what was answered before, what is answered otherwise."""
    before = ["0", "1", "raises A", "4"]
    compared = {"behaviour": {"3": mine, "original": before}, "reach": {"3": reach}}
    assert values_of(3, compared) == values
    assert values_of(4, compared) == Values()


def test_doubts_are_told() -> None:
    """Each of them is one sentence; a patch that tests constrain has none."""
    assert list(doubts_of(SURE, MutantResults(10))) == []
    results = MutantResults(1, (SURVIVOR, SURVIVOR))
    weak = replace(SURE, mutants=3, caught=1, rivals=2, share=0.3, passing=0)
    assert list(doubts_of(weak, results)) == [
        reasons.survivors(results),
        reasons.rivals(2),
        reasons.ONLY_FAILING_TESTS,
    ]
    assert list(doubts_of(SURE, MutantResults(0))) == [reasons.NO_MUTANTS]


def test_the_deciding_test_is_an_input_on_which_patches_differ() -> None:
    """Without one, it is a test that a surviving mutant would fail; without that, nothing."""
    change = Change("comparison", 3, 0.9, (), "compares with `<=`")
    chosen = Choice(Candidate(0, "a.py", change, 0.9, "a.py:f:1", cold=False))
    other = replace(chosen, differs=Difference("f(1)", "2", None))
    survivors = MutantResults(1, (SURVIVOR,))
    assert deciding([chosen, other], survivors) == reasons.deciding_input(
        "f(1)", patch="2", other=None
    )
    assert deciding([chosen], survivors) == reasons.deciding_mutant(SURVIVOR)
    assert deciding([chosen], MutantResults(2)) == ""
