"""When a written test is believed to show the problem."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.model import (
    Commands,
    Failure,
    MutantResults,
    Observation,
    Patch,
    Point,
    Problem,
    RequestKind,
    Specification,
    Survivor,
)
from bot.model.specification import kind_of
from bot.repair.goal.issue_words import words_of
from bot.repair.test_first.test_writer import candidates, covered, nearest, open_points, read_claims
from bot.repair.test_proof import is_weak, narrowed, new_failures, objection, test_files
from bot.repair.verification.mutation.mutants.wrong_fixes import wrong_fixes
from bot.repair.verification.mutation.wrong_fix_test import is_caught_by
from bot.reporting.reasons import test_first


def red(*failures: Failure) -> Observation:
    return Observation("pytest", 1, failing=failures)


def test_a_passing_test_proves_nothing() -> None:
    """It must fail on the untouched tree."""
    assert objection(Observation("pytest", 0), frozenset()) == test_first.PASSES


def test_a_failing_test_is_accepted() -> None:
    """An assertion that fails is what was asked for."""
    assert objection(red(Failure("t::new", message="assert 3 == 4")), frozenset()) is None


def test_old_failures_are_no_proof() -> None:
    """What failed before says nothing of the new test."""
    assert objection(red(Failure("t::old")), frozenset({"t::old"})) == test_first.NOTHING_NEW_FAILS


def test_a_broken_test_is_no_proof() -> None:
    """A test that does not even run fails for its own reason."""
    failure = Failure("t::new", message="SyntaxError: invalid syntax")
    assert objection(red(failure), frozenset()) == test_first.does_not_run(
        "SyntaxError: invalid syntax"
    )


def test_a_test_that_hangs_is_no_proof() -> None:
    """A time-out can't be told from a slow machine."""
    seen = Observation("pytest", 124, timed_out=True)
    assert objection(seen, frozenset()) == test_first.TIMED_OUT


def test_pytest_runs_only_the_new_test() -> None:
    """The failing command of the attempts is the new test's file, with the project's own options."""
    commands = Commands((), "python -m pytest -q", "python -m pytest -q")
    files = ("tests/conftest.py", "tests/test_a b.py", "tests/data.json")
    assert narrowed(commands, files).failing == "python -m pytest -q 'tests/test_a b.py'"
    given = Commands((), "python -m pytest", "pytest -o addopts= tests/test_a.py")
    assert narrowed(given, ("tests/test_a.py",)).failing == "pytest -o addopts= tests/test_a.py"
    behind = Commands((), "make && pytest", "make && pytest")
    assert narrowed(behind, ("tests/test_a.py",)).failing == "python -m pytest tests/test_a.py"


def test_other_runners_run_everything() -> None:
    """What can't be narrowed safely is not narrowed."""
    commands = Commands((), "make check", "make lint")
    assert narrowed(commands, ("spec/a_test.rb",)).failing == "make check"


def test_only_tests_are_kept_of_what_the_author_wrote() -> None:
    """A test-first patch that also touches the source is cut down to its tests."""
    patch = Patch(b"x", ("src/a.py", "tests/test_a.py", "src/a_test.go"))
    assert test_files(patch) == ("tests/test_a.py", "src/a_test.go")


SPECIFICATION = Specification("T", (Point("a"), Point("b"), Point("c")))


def test_the_judge_says_which_test_shows_which_point() -> None:
    """What the author claims counts only where the judge says nothing; reasons are the author's."""
    claims = read_claims(
        'Done. {"points": [{"point": 1, "tests": ["tests/t.py::test_x[1]", 3]}, '
        '{"point": 2, "why_not": " No  display. "}, {"point": "3"}, 4]}'
    )
    failing = ["t.T.test_x", "t.T.test_y"]
    judged = covered(SPECIFICATION, failing, ((), ("t.T.test_y",), ()), claims)
    assert [(point.tests, point.why_not) for point in judged.points] == [
        ((), ""),
        (("t.T.test_y",), ""),
        ((), ""),
    ]
    claimed = covered(SPECIFICATION, failing, (), claims)
    assert [(point.tests, point.why_not) for point in claimed.points] == [
        (("t.T.test_x",), ""),
        ((), "No display."),
        ((), ""),
    ]
    assert [n for n, _ in open_points(claimed)] == [3]


def test_all_tests_are_about_a_sole_point() -> None:
    """Nobody has to say so."""
    [point] = covered(
        Specification("T", (Point("a"),)), ["x", "y"], (), read_claims("Done.")
    ).points
    assert point.tests == ("x", "y")


@pytest.mark.parametrize(
    ("instructions", "kind"),
    [
        ("add a --json option", RequestKind.FEATURE),
        ("  Add\nit", RequestKind.FEATURE),
        ("add: a --json option", RequestKind.FEATURE),
        ("please add a --json option", RequestKind.FEATURE),
        ("add", RequestKind.BUG),
        ("add:", RequestKind.BUG),
        ("address the crash", RequestKind.BUG),
        ("keep the API, add a test", RequestKind.BUG),
        ("", RequestKind.BUG),
    ],
)
def test_what_asks_for_a_feature(instructions: str, kind: RequestKind) -> None:
    """The first word behind `/fix`."""
    assert kind_of(instructions) is kind


def test_the_nearest_tests_come_first() -> None:
    """By their paths, then by what the issue names; no fixtures, no data."""
    words = words_of(Problem("Dates", "`parse_date` is wrong"))
    paths = ["src/dates.py", "tests/conftest.py", "tests/data.json", "tests/test_sums.py", "tests/test_dates.py", "tests/test_all.py"]  # fmt: skip
    found = candidates(paths, words)
    assert found == ("tests/test_dates.py", "tests/test_all.py", "tests/test_sums.py")
    files = dict.fromkeys(found, b"import x\n") | {"tests/test_sums.py": b"parse_date\n" * 99}
    assert [*nearest(files, words)] == ["tests/test_sums.py", "tests/test_dates.py"]
    assert nearest(files, words)["tests/test_sums.py"].count("\n") == 79


BEFORE = b"def f(a, b):\n    return a > b\n\n\ndef g(a):\n    return a\n"
TWO_PARTS = BEFORE.replace(b"a > b", b"a >= b").replace(b"return a\n", b"return abs(a)\n")


def test_wrong_fixes_leave_out_a_part_first() -> None:
    """Then come faults; none is the right fix, or none at all."""
    wrong = wrong_fixes([FileDiff("m.py", BEFORE, TWO_PARTS)])
    assert [fix.survivor.says for fix in wrong] == [
        "leaves out the part of the fix at `return a >= b`",
        "has `<` instead of `>=`",
        "leaves out the part of the fix at `return abs(a)`",
    ]
    assert wrong[0].data == BEFORE.replace(b"return a\n", b"return abs(a)\n")
    assert {fix.data for fix in wrong}.isdisjoint({BEFORE, TWO_PARTS})
    assert "+    return abs(a)" in wrong[0].diff


def test_a_fix_of_one_part_loses_a_statement() -> None:
    """Without its only part nothing would be left."""
    after = BEFORE.replace(b"    return a > b", b"    a += 1\n    return a >= b")
    assert [fix.survivor.says for fix in wrong_fixes([FileDiff("m.py", BEFORE, after)])] == [
        "leaves out `a += 1`",
        "has `<` instead of `>=`",
        "has `-=` instead of `+=`",
    ]


def test_no_wrong_fix_of_tests_and_texts() -> None:
    """They would say nothing of the fix."""
    changes = [FileDiff("tests/test_m.py", BEFORE, TWO_PARTS), FileDiff("a.txt", b"a\n", b"b\n")]
    assert wrong_fixes(changes) == ()


@pytest.mark.parametrize(
    ("seen", "compiled", "caught"),
    [
        (Observation("t", 0, passed=frozenset({"new"})), False, False),
        (red(Failure("new")), False, True),
        (Observation("t", 1, (Failure("old"),), passed=frozenset({"new"})), False, False),
        (Observation("t", 1, (Failure("tests/a.py"),)), False, True),
        (Observation("t", 2, (Failure("build"),)), True, None),
        (Observation("t", 124, timed_out=True), True, True),
    ],
)
def test_when_new_tests_notice_a_wrong_fix(
    seen: Observation, *, compiled: bool, caught: bool | None
) -> None:
    """Old tests that fail say nothing of the new ones; what does not compile was not run."""
    assert is_caught_by(seen, frozenset({"new"}), compiled=compiled) is caught


def test_tests_are_weak_that_accept_every_wrong_fix() -> None:
    """One that is caught is enough, and one alone tells little: it may behave like the right one."""
    survivor = Survivor("m.py", 1, "")
    assert is_weak(MutantResults(0, (survivor, survivor)))
    assert not is_weak(MutantResults(0, (survivor,)))
    assert not is_weak(MutantResults(1, (survivor,)))
    assert not is_weak(None)


def test_only_what_the_tests_made_fail_is_judged() -> None:
    """The rest failed before."""
    both = red(Failure("old"), Failure("new"))
    assert new_failures(both, frozenset({"old"})).failing_ids == {"new"}
