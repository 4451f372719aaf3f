"""The search's pure parts: the tests behind a command, suspicion, choice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from bot.model import Assurance, Witnesses
from bot.repair.harness.suite_command import suite_command
from bot.repair.proposers.search.choose import Difference, choose
from bot.repair.proposers.search.evidence import (
    Error,
    SearchEvidence,
    SeenTest,
    TracebackFrame,
    without,
)
from bot.repair.proposers.search.explain import SearchEffort, explain, in_vain
from bot.repair.proposers.search.limits import edits_to_try, time_limits
from bot.repair.proposers.search.localise import suspects
from bot.repair.proposers.search.localiser import none_suspicious
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.trials import Trials
from bot.reporting.reasons import search as reasons

FILES = {
    "Makefile": "test:\n\tcd lib && python -m pytest -q tests\n",
    "tox.ini": "[testenv]\ncommands = pytest {posargs:-x}\n",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q a.py", ("pytest", ("pytest", "-q", "a.py"), "", None, "python")),
        ("python3 -m pytest -x", ("pytest", ("pytest", "-x"), "", "", "python3")),
        ("make test", ("pytest", ("pytest", "-q", "tests"), "lib", "lib", "python")),
        ("python -m unittest -q", ("unittest", ("-m", "unittest", "-q"), "", "", "python")),
        ("python tests/test_a.py", ("unittest", ("tests/test_a.py",), "", "tests", "python")),
        ("uv run pytest", ("pytest", ("pytest",), "", None, "uv run python")),
        ("A=1 .venv/bin/pytest", ("pytest", ("pytest",), "", None, "A=1 .venv/bin/python")),
        ("coverage run -m pytest", ("pytest", ("pytest",), "", "", "python")),
        ("ruff check . && pytest", ("pytest", ("pytest",), "", None, "python")),
        ("python gen.py --check; pytest", ("pytest", ("pytest",), "", None, "python")),
    ],
)  # fmt: skip
def test_the_test_run_behind_a_command(command: str, expected: tuple[object, ...]) -> None:
    """Runners, make and chains are looked through; the project's Python is kept."""
    found = suite_command(command, FILES.get)
    assert found is not None
    assert (found.harness, found.start, found.folder, found.path, found.python) == expected


@pytest.mark.parametrize("command", ["make lint", "npm test", "sh check.sh", "python"])
def test_other_commands_are_left_alone(command: str) -> None:
    """Without a known test run there is nothing to search."""
    assert suite_command(command, FILES.get) is None


def seen(index: int, outcome: str, seconds: float = 0.01, error: Error | None = None) -> SeenTest:
    return SeenTest(index, f"t{index}", "test_a.py", outcome, seconds, error)


NOT_THERE = Error(
    "ModuleNotFoundError", "No module named 'x'", (TracebackFrame("test_a.py", 1, ""),)
)
OF_UNITTEST = Error(
    "ImportError",
    "Failed to import test module: test_a\nTraceback (most recent call last):\n"
    "ModuleNotFoundError: No module named 'x'\n\n",
    (),
)


@pytest.mark.parametrize(
    ("evidence", "sentence"),
    [
        (SearchEvidence(), snapshot("No line is suspected: no tests were collected.")),
        (
            SearchEvidence({0: seen(0, "passed"), 1: seen(1, "skipped")}),
            snapshot(
                "No line is suspected: no test fails when the tests run one by one (2 collected). The command fails for another reason, such as what it does before or after its tests."
            ),
        ),
        (
            SearchEvidence({n: seen(n, "failed") for n in range(5)}),
            snapshot(
                "No line is suspected: `t0`, `t1`, `t2` and 2 more fail without running any source file of the project."
            ),
        ),
        (
            SearchEvidence(broken={"test_b.py": Error("", "", ()), "test_a.py": NOT_THERE}),
            snapshot(
                "No line is suspected: `test_a.py` and `test_b.py` can't be collected, and no source file of the project is involved: ModuleNotFoundError: No module named 'x'"
            ),
        ),
        (
            SearchEvidence(broken={"test_a.py": Error("", "", ())}),
            snapshot(
                "No line is suspected: `test_a.py` can't be collected, and no source file of the project is involved."
            ),
        ),
        (
            SearchEvidence(broken={"_FailedTest.test_a": OF_UNITTEST}),
            snapshot(
                "No line is suspected: `_FailedTest.test_a` can't be collected, and no source file of the project is involved: ModuleNotFoundError: No module named 'x'"
            ),
        ),
    ],
)
def test_where_no_line_is_suspicious_it_is_said_what_was_seen(
    evidence: SearchEvidence, sentence: str
) -> None:
    """A sentence on the tests, none on repairs."""
    assert suspects(evidence) == ()
    assert none_suspicious(evidence) == sentence


def test_lines_of_failing_tests_alone_are_most_suspicious() -> None:
    """What passing tests run too is less suspicious; where it broke, more; tests never are."""
    error = Error(
        "ValueError", "no", (TracebackFrame("test_a.py", 9, "test"), TracebackFrame("a.py", 3, "f"))
    )
    evidence = SearchEvidence(
        tests={0: seen(0, "failed", error=error), 1: seen(1, "passed")},
        counted={0: {"a.py": {1: 1, 2: 1, 3: 1}, "test_a.py": {9: 1}}},
        noted={1: frozenset({("a.py", 1)})},
    )
    ranked = suspects(evidence)
    assert [(suspect.line, suspect.score) for suspect in ranked] == [
        (3, 1.0),
        (2, 0.6667),
        (1, 0.4024),
    ]
    assert ranked[0].reasons == (
        "the failing test runs it, but no passing test does",
        "ValueError was raised there",
    )


def test_code_that_runs_the_tests_is_suspected_less() -> None:
    """A runner sees every error pass: where it calls tests, the fault is only if a test calls it."""
    sources = {"run.py": "def call(test):\n    try:\n        test()\n    except ValueError:\n        raise\n",
               "m.py": "def f():\n    return 1\n"}  # fmt: skip
    runner, test = TracebackFrame("run.py", 3, "call"), TracebackFrame("test_m.py", 2, "test")
    counted = {0: {"run.py": {2: 1, 3: 1, 4: 1, 5: 1}, "m.py": {2: 1}}}

    def first(*frames: TracebackFrame) -> str:
        failing = SeenTest(0, "t", "test_m.py", "failed", 0.1, Error("E", "", frames))
        return suspects(SearchEvidence(tests={0: failing}, counted=counted, sources=sources))[
            0
        ].file

    assert first(runner, test) == "m.py"
    assert first(runner, test, runner) == "run.py"


def test_hot_lines_of_a_test_that_never_ends() -> None:
    """The loop is more suspicious than what stands before it."""
    evidence = SearchEvidence(
        tests={0: seen(0, "hanging")}, counted={0: {"a.py": {1: 1, 2: 50_000, 3: 49_999}}}
    )
    assert [suspect.line for suspect in suspects(evidence)] == [2, 3, 1]


def test_recent_lines_count_more() -> None:
    """Of two lines that the same tests run, the one changed lately goes first."""
    evidence = SearchEvidence(tests={0: seen(0, "failed")}, counted={0: {"a.py": {1: 1, 2: 1}}})
    assert [suspect.line for suspect in suspects(evidence, frozenset({("a.py", 2)}))] == [2, 1]


def test_time_limits_are_learned() -> None:
    """Tests get ten times what passing ones take; one that never ended gets no more than those."""
    tests = {0: seen(0, "passed", 0.5), 1: seen(1, "passed", 0.001), 2: seen(2, "hanging", 60.0)}
    limits = time_limits(SearchEvidence(tests=tests))
    assert limits == {"t0": 5.0, "t1": 0.04, "t2": 5.0}


def candidate(number: int, score: float, text: str = "x") -> Candidate:
    change = Change("kind", 1, 0.5, (Replacement(0, 1, text),), "does something")
    return Candidate(number, "a.py", change, score, "a.py:f:1", cold=False)


def test_patches_that_agree_outweigh_a_single_one() -> None:
    """Two of three behave alike: they win, and the input that tells the third apart is shown."""
    three = [candidate(0, 0.5), candidate(1, 0.45), candidate(2, 0.45)]
    behaviour = {"0": ["1", "2"], "1": ["1", "3"], "2": ["1", "3"]}
    chosen, other = choose(three, ["f(0)", "f(1)"], behaviour)
    assert (chosen.candidate.number, [item.number for item in chosen.alike]) == (1, [2])
    assert (other.candidate.number, other.differs) == (
        0,
        Difference("f(1)", "3", "2"),
    )


def test_the_shortest_stands_for_those_that_behave_alike() -> None:
    """What needs more lines for the same is not what people want to read."""
    both = [candidate(0, 0.5, "try:\n    x\nexcept KeyError:\n    y\n"), candidate(1, 0.4)]
    [choice] = choose(both, ["f(0)"], {"0": ["1"], "1": ["1"]})
    assert (choice.candidate.number, choice.alike[0].number) == (1, 0)


def test_what_only_takes_away_stands_for_those_that_behave_alike() -> None:
    """Unless it is much less likely than another of them."""
    for score, chosen in ((0.4, 1), (0.2, 0)):
        both = [candidate(0, 0.5), candidate(1, score, "")]
        [choice] = choose(both, ["f(0)"], {"0": ["1"], "1": ["1"]})
        assert choice.candidate.number == chosen


def test_without_a_comparison_the_typical_and_small_edit_wins() -> None:
    """The score decides, then the length."""
    ordered = choose([candidate(0, 0.4), candidate(1, 0.5, "long text"), candidate(2, 0.5)])
    assert [choice.candidate.number for choice in ordered] == [2, 1, 0]


def test_no_candidate_is_dropped_without_a_word() -> None:
    """Each is tried, waits to be tried warm, or waits to be tried cold: nothing else happens to it."""
    trials = Trials(SearchEvidence())
    everything = [candidate(number, 0.5) for number in range(8)]
    trials.add(everything)
    statuses = ("plausible", "failed", "slow", "died", "invalid", "same", "cold")
    answer = {
        "writing": False,
        "results": {str(n): {"status": status} for n, status in enumerate(statuses)},
    }
    trials.take(answer, trials.warm)
    left = [item.number for item in (*trials.warm, *trials.cold)]
    assert sorted([*trials.tried, *left]) == [item.number for item in everything]
    assert [item.number for item in trials.cold] == [6]
    assert [item.number for item in trials.warm] == [7]


def test_what_breaks_the_suite_is_plausible_no_more() -> None:
    """It is a near miss that others may build on; what was judged and rejected is not."""
    trials = Trials(SearchEvidence(tests={0: seen(0, "failed")}))
    both = [candidate(0, 0.5), candidate(1, 0.4)]
    trials.add(both)
    found = {"status": "plausible", "mended": ["t0"]}
    trials.take({"writing": False, "results": {"0": found, "1": found}}, trials.warm)
    trials.discard(both[0], "harmful", ("other::test",))
    trials.discard(both[1], "refused")
    assert trials.plausible == ()
    assert [(tried.candidate.number, tried.broken) for tried in trials.partial] == [
        (0, ("other::test",))
    ]
    assert in_vain(trials, SearchEffort(2, 1.0)) == snapshot(
        "No edit fixes the failing tests without breaking others in the full test suite: 2 edits tried in 1 s. The best one, in `a.py`, line 1, breaks `other::test`."
    )


def test_edits_are_counted_by_the_lines_that_they_run() -> None:
    """And by nothing that a busy machine changes: seconds of tests say nothing here."""
    lines = {0: {"a.py": {1: 10**6}}, 1: {"a.py": {1: 10**7, 2: 10**9}}, 2: {"a.py": {1: 7}}}
    tests = {0: seen(0, "failed"), 1: seen(1, "failed"), 2: seen(2, "hanging")}
    evidence = SearchEvidence(tests=tests, counted=lines)
    assert edits_to_try(evidence, 10_000) == 3_000
    slow = {n: replace(test, seconds=99.0) for n, test in tests.items()}
    assert edits_to_try(replace(evidence, tests=slow), 10_000) == 3_000
    del tests[0]
    assert edits_to_try(evidence, 10_000) == 500
    assert edits_to_try(SearchEvidence(), 10_000) == 10_000


def test_a_search_that_time_ended_says_so() -> None:
    """On a quieter machine it might have found more."""
    trials = Trials(SearchEvidence(tests={0: seen(0, "failed")}, sources={"a.py": ""}))
    effort = SearchEffort(3, 0.1)
    assert in_vain(trials, replace(effort, cut=True)) == (
        f"{in_vain(trials, effort)} {reasons.TIME_UP}"
    )


def test_a_search_in_vain_says_what_it_saw() -> None:
    """Nothing to edit is something else than nothing that helps, or that helps and harms."""
    failing = {0: seen(0, "failed")}
    watched = SearchEvidence(tests=failing, counted={0: {}}, sources={"test_a.py": ""})
    trials = Trials(watched)
    assert in_vain(trials, SearchEffort(0, 0.1)) == snapshot(
        "There is nothing to edit: the failing tests run no source file of the project in their own process, or none that can be read as Python."
    )
    broken = {"tests/b.py": Error("ImportError", "no b", ())}
    for unseen in (replace(watched, counted={}), replace(watched, broken=broken), SearchEvidence()):
        assert in_vain(Trials(unseen), SearchEffort(0, 0.1)) == reasons.NOT_WATCHED
    trials = Trials(SearchEvidence(tests=failing, sources={"a.py": ""}))
    trials.add([candidate(0, 0.5)])
    result = {"status": "failed", "mended": ["t0"], "broken": ["t1"]}
    trials.take({"writing": False, "results": {"0": result}}, trials.warm)
    assert in_vain(trials, SearchEffort(1, 0.1)) == snapshot(
        "No edit fixes every failing test without breaking others: 1 edit tried in 0.1 s. The best one, in `a.py`, line 1, fixes 1 of 1 failing tests and breaks `t1`."
    )


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ((), ""),
        (("a::b",), "The other test in the suite that runs this function still passes."),
        (("a::b", "a::c"), "2 other tests in the suite that run this function still pass."),
    ],
)
def test_the_summary_says_which_other_tests_still_pass(kept: tuple[str, ...], said: str) -> None:
    """Only where the whole suite has others that run the changed function."""
    [choice] = choose([candidate(0, 0.5)])
    sure = Assurance(0.9, 0.8, Witnesses(4, 4, 0, 1.0, 2, 1, 0.9, 3, 20))
    told = explain(
        [choice], SearchEvidence(tests={0: seen(0, "failed")}), (), SearchEffort(1, 0.1), sure, kept
    )
    assert told.splitlines()[2] == f"It fixes `t0`. {said}".strip()


def test_failures_that_need_no_repair_are_left_out() -> None:
    """Known by the runner's ids; a file that can't be loaded stays out of the way."""
    tests = {n: seen(n, outcome) for n, outcome in enumerate(("failed", "failed", "passed"))}
    error = Error("ImportError", "no trustme", ())
    counted = {0: {"a.py": {1: 1}}, 1: {"a.py": {2: 1}}}
    evidence = SearchEvidence(tests, {"tests/test_tls.py": error}, counted)
    left = without(evidence, [tests[1].id, tests[2].id, "tests.test_tls"])
    assert [test.index for test in left.failing] == [0]
    assert [test.index for test in left.passing] == [2]
    assert (left.counted, left.broken) == ({0: counted[0]}, {})
    assert left.tolerated == ("tests/test_tls.py",)
