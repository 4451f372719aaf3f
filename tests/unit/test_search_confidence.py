"""How sure a search is that its patch is right: weights, doubts, and the test that would decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.search.calibrate import fitted, load
from bot.model import MutantResults, SearchLimits, Survivor, Witnesses
from bot.repair.proposers.search.choose import ChosenPatch, Difference
from bot.repair.proposers.search.confidence import WEIGHTS, probability
from bot.repair.proposers.search.doubting import (
    Values,
    Varied,
    deciding,
    doubts_of,
    told_apart,
    values_of,
)
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
    compared=100,
    turned=8,
    outcomes=6,
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
        replace(SURE, passing=0, lines=9_000),
        replace(SURE, turned=2, outcomes=1),
        replace(SURE, neighbours=3),
        replace(SURE, neighbours=3, shifted=100),
        replace(SURE, caught=0, passing=0),
    ],
)
def test_what_speaks_against_a_patch_makes_it_less_likely(worse: Witnesses) -> None:
    """Mutants that nothing notices, other patches that pass, many that did not, few tests.

    As likely, where the data don't show it.
    """
    assert 0 < probability(worse) <= probability(SURE) < 1


def test_one_answer_is_enough_in_little_code_alone() -> None:
    """In a large program, what one failing test asks for can be had in many places."""
    seen = replace(SURE, failing=1, turned=1, outcomes=1, rank=60)
    required = SearchLimits().confidence
    assert probability(replace(seen, lines=9_000)) < required <= probability(seen)
    assert probability(replace(SURE, passing=0, lines=9_000)) < probability(SURE)


@pytest.mark.parametrize(
    "seen",
    [
        replace(SURE, turned=1, outcomes=1),
        replace(SURE, turned=7, outcomes=1, shifted=100),
        replace(SURE, turned=0, outcomes=0),
        replace(SURE, turned=3, outcomes=0),
        replace(SURE, neighbours=2, shifted=100),
        replace(SURE, rivals=1, shifted=100),
    ],
    ids=["one value", "one answer", "none", "empty ones", "anything next to it", "anything else"],
)
def test_what_says_little_is_no_evidence(seen: Witnesses) -> None:
    """However many tests pass with it: one answer is given by as many formulas as one likes."""
    assert 0 < probability(seen) < probability(SURE)
    assert list(doubts_of(seen, MutantResults(10)))


@pytest.mark.parametrize(
    ("mine", "values"),
    [
        (["1", "2", "3", "4"], Values(3, 2, 2, 2)),
        (["0", "1", "raises A", "4"], Values(3, 0, 0, 0)),
        (["7", "7", "7", None], Values(2, 2, 2, 1)),
        (["[1, 2.5]", "{'a': 1}", "1", None], Values(2, 2, 2, 3)),
        (["0", None, "1", "4"], Values(2, 0, 1, 0)),
    ],
)
def test_values_are_counted(mine: list[str | None], values: Values) -> None:
    """Of what was answered before, what is answered otherwise; and what is said to tests."""
    behaviour = {"3": mine, "original": ["0", "1", "raises A", "4"]}
    compared = {"behaviour": behaviour, "calls": 2}
    assert values_of(3, compared) == values
    assert values_of(4, compared) == Values()


@pytest.mark.parametrize(
    ("before", "after", "outcomes"),
    [
        ("Order(total=6, count=3)", "Order(total=7, count=3)", 1),
        ("raises TypeError", "Order(total=7, count=3)", 2),
        ("raises TypeError", "Money(7)", 1),
        ("7", "raises ValueError", 1),
        ("[1, 2, 3]", "[1, 2, 4]", 1),
        ("[1, 2, 3]", "[0, 1, 2, 3]", 1),
        ("[1, 2, 3]", "[4, 5, 3]", 2),
        ("None", "None, leaving `self.balance` 5", 1),
        ("'sevenforty'", "'seven and forty'", 1),
        ("'7:05'", "'07:05'", 1),
        ("'7 00'", "'700'", 1),
        ("'a1 b2'", "'a3 b4'", 2),
    ],
)
def test_what_an_answer_said_before_is_no_evidence(before: str, after: str, outcomes: int) -> None:
    """Nor is the name of its class: an edit that changes a single number is held to that number."""
    compared = {"behaviour": {"3": [after], "original": [before]}, "calls": 1}
    assert values_of(3, compared).outcomes == outcomes


def test_one_number_with_two_units_or_signs_is_one_number() -> None:
    """Two texts that only write it otherwise say nothing more of it."""
    before = ["'1.2 Bytes'", "'1.2B'", "'-1.2B'", "'2.7kB'"]
    after = ["'1 Bytes'", "'1B'", "'-1B'", "'3kB'"]
    compared = {"behaviour": {"3": after, "original": before}, "calls": 3}
    assert values_of(3, compared).outcomes == 1
    assert values_of(3, compared | {"calls": 4}).outcomes == 2


def test_doubts_are_told() -> None:
    """Each of them is one sentence; a patch that tests constrain has none."""
    assert list(doubts_of(SURE, MutantResults(10))) == []
    results = MutantResults(1, (SURVIVOR, SURVIVOR))
    weak = replace(SURE, mutants=3, caught=1, rivals=2, share=0.3, passing=0, outcomes=1)
    assert list(doubts_of(weak, results)) == [
        reasons.survivors(results),
        reasons.rivals(2),
        reasons.vague(8),
        reasons.ONLY_FAILING_TESTS,
    ]
    assert list(doubts_of(SURE, MutantResults(0))) == [reasons.NO_MUTANTS]


def test_the_deciding_test_is_an_input_on_which_patches_differ() -> None:
    """Without one, it is a test that a surviving mutant would fail; without that, nothing."""
    change = Change("comparison", 3, 0.9, (), "compares with `<=`")
    chosen = ChosenPatch(Candidate(0, "a.py", change, 0.9, "a.py:f:1", cold=False))
    apart = Difference("f(1)", "2", None)
    other = replace(chosen, differs=apart)
    survivors = MutantResults(1, (SURVIVOR,))
    said = reasons.deciding_input("f(1)", patch="2", other=None)
    assert deciding([chosen, other], Varied(survivors)) == said
    assert deciding([chosen], Varied(survivors, neighbours=(apart,))) == said
    assert deciding([chosen], Varied(survivors)) == reasons.deciding_mutant(SURVIVOR)
    assert deciding([chosen], Varied(MutantResults(2))) == ""


def test_neighbours_are_told_apart_by_what_they_answer() -> None:
    """Those that answer alike are one, those that answer like the patch none."""
    behaviour = {
        "3": ["1", "2"],
        "4": ["1", "5"],
        "5": ["1", "5"],
        "6": ["1", "2"],
        "7": ["4", None],
    }
    compared = {"inputs": ["f(1)", "f(2)"], "behaviour": behaviour}
    assert told_apart(3, [4, 5, 6, 7, 8], compared) == (
        Difference("f(2)", "2", "5"),
        Difference("f(1)", "1", "4"),
    )
    assert told_apart(3, [4], {}) == ()
