"""What is said of flaky tests: commands that a person can run, rates with their intervals, reports."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from bot.model.culprit import RunCounts
from bot.model.flaky import (
    FlakyCause,
    FlakyClass,
    FlakyFindings,
    FlakyTest,
    LeftState,
    interval,
)
from bot.repair.flaky.interventions import INTERVENTIONS, Intervention, at_commit, in_front
from bot.repair.flaky.showing_commands import ShowingCommands
from bot.repair.harness.suite_command import suite_command
from bot.reporting.flaky import as_text

PATHS = frozenset({"app/tests/test_a.py", "tests/test_a.py"})
CAUSE = FlakyCause(
    FlakyClass.VICTIM,
    ("tests/test_a.py::test_mode",),
    command="python -m pytest tests/test_a.py::test_mode tests/test_a.py::test_index",
    red=RunCounts(20, 0),
    contrast="python -m pytest tests/test_a.py::test_index",
    green=RunCounts(0, 5),
    state=(LeftState("environment variable", "MODE", "", "test", "tests/test_a.py", 4),),
    message="AssertionError: assert 'test' == ''",
    file="tests/test_a.py",
    line=12,
)


def commands(command: str) -> ShowingCommands:
    suite = suite_command(command, lambda _: None)
    assert suite is not None
    return ShowingCommands(suite, ["-n0"], PATHS)


def test_a_command_keeps_options_and_order() -> None:
    """Paths that the suite collects are replaced by the tests, and plugins that reorder are off."""
    made = commands("python -m pytest -q -x tests").in_order(
        ["tests/test_a.py::b", "tests/test_a.py::a"]
    )
    assert made == "python -m pytest -q -n0 tests/test_a.py::b tests/test_a.py::a"


def test_a_command_of_a_folder_names_tests_from_there() -> None:
    """The driver's ids are relative to the work tree."""
    made = commands("cd app && python -m pytest").in_order(
        ["app/tests/test_a.py::a"], Intervention(FlakyClass.TIME, "TZ=UTC")
    )
    assert made == "cd app && TZ=UTC python -m pytest -n0 tests/test_a.py::a"


def test_variables_of_the_project_stand_behind_a_program() -> None:
    """`faketime` takes a program, which a variable is not."""
    made = commands("DEBUG=1 python -m pytest").in_order(
        ["tests/test_a.py::a"], Intervention(FlakyClass.TIME, "faketime '2028-02-29'")
    )
    assert made == "faketime '2028-02-29' env DEBUG=1 python -m pytest -n0 tests/test_a.py::a"


@pytest.mark.parametrize("change", [*INTERVENTIONS, at_commit("2024-03-31")])
def test_each_change_keeps_hashes_steady_unless_it_changes_them(change: object) -> None:
    """So that one thing is different."""
    front = in_front(change)  # type: ignore[arg-type]
    assert front.count("PYTHONHASHSEED") == 1


@pytest.mark.parametrize("change", [each for each in INTERVENTIONS if each.call])
def test_what_a_process_does_first_is_short_python(change: Intervention) -> None:
    """It is in the command that a person runs, without words and types."""
    program = change.program("pytest")
    compile(program, "first", "exec")
    assert '"""' not in program
    assert "typing" not in program


@pytest.mark.parametrize(
    ("failed", "runs", "low", "high"),
    [(20, 20, 0.839, 1.0), (0, 5, 0.0, 0.434), (3, 20, 0.052, 0.360), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_wilsons(failed: int, runs: int, low: float, high: float) -> None:
    """Values as `statsmodels.stats.proportion.proportion_confint(method="wilson")` gives them."""
    assert interval(failed, runs) == pytest.approx((low, high), abs=0.001)


def test_a_cause_is_shown_only_by_a_command_without_exception() -> None:
    """One pass with what decides, or one failure without it, and it is not shown."""
    assert CAUSE.is_shown
    for red, green in ((RunCounts(19, 1), RunCounts(0, 5)), (RunCounts(20), RunCounts(1, 4)), (RunCounts(20), RunCounts())):  # fmt: skip
        assert not FlakyCause(FlakyClass.VICTIM, red=red, green=green).is_shown


def test_a_report_has_class_command_state_and_rate() -> None:
    """And what made no difference, what was not tried, and how much was run."""
    found = FlakyFindings(
        (
            FlakyTest("tests/test_a.py::test_index", RunCounts(0, 5), (CAUSE,)),
            FlakyTest("tests/test_a.py::test_race", RunCounts(3, 17)),
        ),
        looked_at=2,
        suite=9,
        ruled_out=("`TZ=Asia/Kolkata`",),
        untried=("`faketime`: the Debian package faketime is not installed in the sandbox.",),
        executions=74,
        seconds=21.5,
    )
    assert as_text(found) == snapshot("""\
2 of 2 tests are flaky.

tests/test_a.py::test_index
  Victim: fails after tests/test_a.py::test_mode
    Left behind: environment variable MODE: test, at tests/test_a.py:4
    Fails with: AssertionError: assert 'test' == '' (tests/test_a.py:12)
    With it: failed in 20 of 20 runs (95 % interval: 84% to 100%). Without it: failed in 0 of 5 runs (95 % interval: 0% to 43%).
    Shows it: python -m pytest tests/test_a.py::test_mode tests/test_a.py::test_index

tests/test_a.py::test_race
  Unknown: failed in 3 of 20 runs (95 % interval: 5% to 36%), alone. Nothing that was changed decides.

No difference was made by
  `TZ=Asia/Kolkata`

Not tried:
  `faketime`: the Debian package faketime is not installed in the sandbox.

74 test executions in 22 s.\
""")
