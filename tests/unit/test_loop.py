"""The next move of a run, decided from values alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.model import (
    Assurance,
    Attempt,
    Cause,
    Failure,
    Observation,
    Patch,
    Problem,
    Proposal,
    Reproduction,
    Verdict,
    Verification,
    Witnesses,
)
from bot.model.proposers import PROPOSERS
from bot.repair.goal.issue_words import speaks_of_a_hang
from bot.repair.loop import (
    Accept,
    Conclude,
    State,
    Try,
    best_partial,
    best_patch,
    draft_of,
    next_move,
    read_reproduction,
)
from bot.reporting.reasons import reproduction as reasons
from bot.reporting.reasons import run_life

BOTH = ("mechanical", "agent")
MEMORY, MECHANICAL, SEARCH, REVERT, AGENT, BOUND = (
    PROPOSERS[name] for name in ("memory", "mechanical", "search", "revert", "agent", "bound")
)


def observed(*failing: str, exit_code: int | None = None, command: str = "pytest") -> Observation:
    code = exit_code if exit_code is not None else int(bool(failing))
    return Observation(command, code, failing=tuple(Failure(test) for test in failing))


def attempt(n: int, *failing: str, new: tuple[str, ...] = (), proposer: str = "agent") -> Attempt:
    patch = Patch(f"patch {n}".encode(), ("a.py",), 1, 1)
    verification = Verification(observed(*failing), new_failures=tuple(Failure(t) for t in new))
    return Attempt(n, proposer, Proposal(patch, "changed"), verification, ("t1", "t2"), 1.0)


def doubtful(n: int, probability: float) -> Attempt:
    seen = Witnesses(4, 1, 2, 0.3, 0, 1, 0.3, 900, 3_000)
    patch = Patch(f"patch {n}".encode(), ("a.py",), 1, 1)
    proposal = Proposal(patch, "found", assurance=Assurance(probability, 0.8, seen))
    return Attempt(n, "search", proposal, Verification(observed()), ("t1", "t2"), 1.0)


def state(*attempts: Attempt, tried: tuple[str, ...] = (), ladder: tuple[str, ...] = BOTH) -> State:
    rungs = tuple(PROPOSERS[name] for name in ladder)
    return State(rungs, tried, attempts, 3, frozenset({"t1", "t2"}))


def test_the_cheapest_proposer_goes_first() -> None:
    """A run begins with the first rung of the ladder."""
    assert next_move(state()) == Try(MECHANICAL)


def test_mechanical_is_asked_once() -> None:
    """It would only repeat itself."""
    assert next_move(state(tried=("mechanical",))) == Try(AGENT)


def test_a_search_goes_on_behind_a_rejected_patch() -> None:
    """Asked again it finds another one, if it found one at all and nobody else can be asked."""
    alone = ("mechanical", "search")
    rejected = attempt(1, "t1", proposer="search")
    assert next_move(state(rejected, tried=alone, ladder=alone)) == Try(SEARCH)
    assert isinstance(next_move(state(tried=alone, ladder=alone)), Conclude)
    asked_in_vain = (*alone, "search")
    assert isinstance(next_move(state(rejected, tried=asked_in_vain, ladder=alone)), Conclude)
    assert next_move(state(rejected, tried=alone, ladder=(*alone, "agent"))) == Try(AGENT)


def test_a_believed_patch_ends_the_run() -> None:
    """Nothing is tried after a patch that passed."""
    good = attempt(1)
    assert next_move(state(good, tried=BOTH)) == Accept(good)


def test_attempts_are_limited() -> None:
    """When the budget's attempts are used, the run gives up."""
    failed = tuple(attempt(n, "t1", "t2") for n in (1, 2, 3))
    move = next_move(state(*failed, tried=("mechanical", *("agent",) * 3)))
    assert move == Conclude(Verdict.GAVE_UP, "All 3 attempts of the budget are used.")


def test_the_last_resort_is_asked_once_nobody_else_helps() -> None:
    """A model has its attempts first; then it is asked once, though these were all."""
    ladder = (*BOTH, "bound")
    assert next_move(state(tried=("mechanical",), ladder=ladder)) == Try(AGENT)
    assert next_move(state(tried=("mechanical",), ladder=("mechanical", "bound"))) == Try(BOUND)
    failed = tuple(attempt(n, "t1", "t2") for n in (1, 2, 3))
    tried = ("mechanical", *("agent",) * 3)
    assert next_move(state(*failed, tried=tried, ladder=ladder)) == Try(BOUND)
    assert isinstance(next_move(state(*failed, tried=(*tried, "bound"), ladder=ladder)), Conclude)
    good = attempt(3)
    assert next_move(state(*failed[:2], good, tried=tried, ladder=ladder)) == Accept(good)


def test_fewer_failures_are_an_improvement() -> None:
    """A patch that mends one of two tests and breaks none is worth showing."""
    failed = (attempt(1, "t1", "t2"), attempt(2, "t1"), attempt(3, "t1", "t2"))
    move = next_move(state(*failed, tried=("mechanical", *("agent",) * 3)))
    assert isinstance(move, Conclude)
    assert move.verdict is Verdict.IMPROVED


def test_without_a_model_the_reason_says_so() -> None:
    """A keyless run names what is missing."""
    move = next_move(state(tried=("mechanical",), ladder=("mechanical",)))
    assert move == Conclude(
        Verdict.GAVE_UP,
        run_life.nothing_to_change(("mechanical",)),
    )


def test_attempts_that_change_nothing_are_not_paid_for_three_times() -> None:
    """Two in a row end the run; one between patches does not."""
    nothing = replace(attempt(1), proposal=Proposal(Patch(), "Nothing to do."), verification=None)
    tried = ("mechanical", "agent", "agent")
    move = next_move(state(nothing, replace(nothing, n=2), tried=tried))
    assert move == Conclude(Verdict.GAVE_UP, run_life.attempts_in_vain(2))
    assert next_move(state(attempt(1, "t1", "t2"), nothing, tried=tried)) == Try(AGENT)


@pytest.mark.parametrize(
    ("made", "ends"),
    [
        ("n", False),
        ("nn", True),
        ("pnn", True),
        ("npn", False),
        ("nnp", False),
    ],
)
def test_only_two_in_a_row_are_in_vain(made: str, *, ends: bool) -> None:
    """`n` is an attempt that changes nothing, `p` one with a patch that fails."""
    attempts = tuple(
        replace(attempt(n, "t1", "t2"), proposal=Proposal(Patch(), "Nothing."), verification=None)
        if kind == "n"
        else attempt(n, "t1", "t2")
        for n, kind in enumerate(made, 1)
    )
    known = replace(
        state(*attempts, tried=("mechanical", *("agent",) * len(made))), most_attempts=9
    )
    in_vain = Conclude(Verdict.GAVE_UP, run_life.attempts_in_vain(2))
    assert (next_move(known) == in_vain) is ends


def test_a_search_that_can_not_look_is_not_said_to_find_nothing() -> None:
    """It reads Python alone."""
    both = tuple(PROPOSERS[name] for name in ("mechanical", "search"))
    asked = ("mechanical", "search")
    known = State(both, asked, (), 3, frozenset(), not_looked=frozenset({"search"}))
    wanted = run_life.nothing_to_change(("mechanical",), ("search",))
    assert next_move(known) == Conclude(Verdict.GAVE_UP, wanted)


def test_a_patch_that_breaks_another_test_is_no_partial_one() -> None:
    """Mending one test by breaking another is no improvement."""
    attempts = (attempt(1, "t1", new=("t9",)), attempt(2, "t1", "t2"))
    assert best_partial(attempts, frozenset({"t1", "t2"})) is None
    assert best_patch(attempts, frozenset({"t1", "t2"})).data == b"patch 2"


def test_a_command_that_fails_in_other_tests_is_no_partial_one() -> None:
    """Failing differently is not failing less."""
    assert best_partial((attempt(1, "t3"),), frozenset({"t1", "t2"})) is None


@pytest.mark.parametrize(
    ("runs", "cause"),
    [
        ((observed("t1"), observed("t1")), Cause.REAL),
        ((observed(),), Cause.NOT_REPRODUCED),
        ((observed("t1"), observed(), observed(), observed("t1")), Cause.FLAKY),
        ((observed(exit_code=127), observed(exit_code=127)), Cause.INFRASTRUCTURE),
        ((observed(exit_code=5), observed(exit_code=5)), Cause.NOT_REPRODUCED),
    ],
    ids=["red twice", "green", "red and green", "command not found", "no tests"],
)
def test_causes(runs: tuple[Observation, ...], cause: Cause) -> None:
    """Executions of the failing command decide what the run goes on with."""
    reproduction = read_reproduction(runs)
    assert reproduction.cause is cause
    assert reproduction.reason
    assert reproduction.runs == tuple(run.exit_code for run in runs)


@pytest.mark.parametrize(
    ("failing", "output", "cause"),
    [
        (
            "uvx tox -e mypy",
            "error: Request failed\n  client error (Connect)\n",
            Cause.INFRASTRUCTURE,
        ),
        ("test_a", "E  curl: (6) Could not resolve host: example.com\n", Cause.REAL),
        ("uvx tox -e mypy", "make: *** [check] Error 1\n", Cause.REAL),
    ],
)
def test_a_missing_network_is_no_failure_of_the_code(
    failing: str, output: str, cause: Cause
) -> None:
    """Where nothing else shows; a test that needs a network is sorted out later."""
    run = replace(observed(failing, command="uvx tox -e mypy"), output=output)
    assert read_reproduction((run, run)).cause is cause


def test_a_suite_that_does_not_end_shows_nothing() -> None:
    """Unless a hang may be what somebody means, or some test failed before."""
    hung = replace(observed("pytest"), timed_out=True, seconds=75.2)
    seen = read_reproduction((hung,))
    assert (seen.cause, seen.reason) == (Cause.REAL, reasons.did_not_end("pytest", 75.2))
    slow = read_reproduction((hung,), may_hang=False)
    assert (slow.cause, slow.reason) == (Cause.INFRASTRUCTURE, reasons.only_slow("pytest", 75.2))
    red = replace(observed("tests.test_a::test_b"), timed_out=True)
    assert read_reproduction((red, red), may_hang=False).cause is Cause.REAL


@pytest.mark.parametrize(
    ("text", "hang"),
    [
        ("`parse` hangs for an empty list.", True),
        ("It never returns.", True),
        ("The worker doesn't stop.", True),
        ("We change one value.", False),
        ("The sum is wrong.", False),
        ("", False),
    ],
)
def test_problems_that_speak_of_a_hang(text: str, *, hang: bool) -> None:
    """What never ends may be the failure then."""
    assert speaks_of_a_hang(Problem(title="Bug", body=text)) is hang


def test_a_flaky_failure_is_shown_with_its_counts() -> None:
    """The person sees how often it failed."""
    reproduction = read_reproduction((observed("t1"), observed(), observed(), observed()))
    assert reproduction.reason == "`pytest` failed in 1 of 4 runs on the same tree."


def test_a_partial_repair_is_a_draft_where_nothing_tells_what_was_meant() -> None:
    """The attempt that mends most; else a partial repair is only reported."""
    some, more = attempt(1, "t1", "t2", "t3"), attempt(2, "t1")
    red = observed("t1", "t2", "t3", "t4")
    open_question = Reproduction(Cause.REAL, red, undecided=True)
    assert draft_of([some, more], open_question) == more
    assert draft_of([some, more], replace(open_question, undecided=False)) is None
    assert draft_of([attempt(1, "t1", new=("t9",))], open_question) is None


def test_a_doubtful_patch_is_suggested_once_nobody_has_a_better_one() -> None:
    """It passes, and is no repair: the model goes on; the search has gone on by itself."""
    first = doubtful(1, 0.4)
    assert not first.accepted
    both = ("search", "agent")
    assert next_move(state(first, tried=("search",), ladder=both)) == Try(AGENT)
    move = next_move(state(first, tried=("search",), ladder=("search",)))
    assert move == Conclude(Verdict.SUGGESTED, run_life.SUGGESTED)
    better = attempt(2)
    assert next_move(state(first, better, tried=both, ladder=both)) == Accept(better)


def test_the_likeliest_doubtful_patch_is_shown() -> None:
    """It comes before one that mends only some of the failures."""
    tried = (doubtful(1, 0.4), doubtful(2, 0.6), attempt(3, "t1"))
    move = next_move(state(*tried, tried=("search",), ladder=("search",)))
    assert isinstance(move, Conclude)
    assert move.verdict is Verdict.SUGGESTED
    assert best_patch(tried, frozenset({"t1", "t2"})) == tried[1].proposal.patch


def test_a_patch_that_is_likely_enough_is_accepted() -> None:
    """The limit itself is enough."""
    sure = doubtful(1, 0.8)
    assert next_move(state(sure, tried=("search",), ladder=("search",))) == Accept(sure)


def test_a_change_that_a_model_does_not_make_is_not_asked_for_again() -> None:
    """Unless it did not get to its end: then another attempt may."""
    done = replace(
        attempt(1), proposal=Proposal(Patch(), "It is right as it is."), verification=None
    )
    asked = replace(done, passed_before=True, failing_before=())
    cut = replace(asked, proposal=replace(asked.proposal, ended="The budget ended."))
    assert next_move(state(asked, tried=BOTH)) == Conclude(
        Verdict.GAVE_UP, run_life.changes_nothing("It is right as it is.")
    )
    assert next_move(state(cut, tried=BOTH)) == Try(AGENT)
    assert next_move(state(done, tried=BOTH)) == Try(AGENT)
