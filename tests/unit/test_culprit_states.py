"""What a run at another commit tells of failing tests, and which commits one environment serves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.model import Failure, Observation, TestCounts
from bot.model.culprit import StateResults
from bot.repair.culprit.older_commits import digest_of, named_inputs, told_by
from bot.reporting.reasons import culprit as reasons

TEST = "tests.test_app::test_total"
RED = Observation("pytest", 1, failing=(Failure(TEST, message="AssertionError: 5 != 6"),))
IDS = frozenset({TEST})


def _seen(message: str = "", test: str = TEST) -> Observation:
    if message:
        return Observation("pytest", 1, failing=(Failure(test, message=message),))
    return Observation("pytest", 0, passed=frozenset({test}))


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (_seen("AssertionError: 5 != 6"), StateResults(failing=IDS)),
        (_seen("AssertionError: 4 != 6"), StateResults(failing=IDS)),
        (_seen(), StateResults(passing=IDS)),
        (
            _seen("ImportError: cannot import name 'total'"),
            StateResults(why=reasons.FAILS_OTHERWISE),
        ),
        (
            _seen("AssertionError: 5 != 6", test="tests.test_app::test_other"),
            StateResults(why=reasons.FAILS_OTHERWISE),
        ),
        (_seen(test="tests.test_app::test_other"), StateResults(why=reasons.NOT_THERE)),
    ],
)
def test_only_the_same_failure_counts(seen: Observation, told: StateResults) -> None:
    """Another message of the same kind is the failure, another kind of error tells nothing."""
    assert told_by(seen, RED, (TEST,)) == told


LISTS = ("requirements/base.txt", "requirements/docs.txt", "requirements/test.txt")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('[project]\nversion = "1"\n', '[project]\nversion = "2"\n', True),
        ("[tool.ruff]\nline-length = 80\n", "[tool.ruff]\nline-length = 100\n", True),
        ('[project]\ndependencies = ["a"]\n', '[project]\ndependencies = ["a", "b"]\n', False),
        ("not = toml = at all", "not = toml = either", False),
    ],
)
def test_one_environment_serves_what_installs_the_same(before: str, after: str, same: bool) -> None:  # noqa: FBT001 - a parameter of a test
    """A new version of the project itself asks for no other environment."""
    first, second = (
        digest_of({"pyproject.toml": text}, {"pyproject.toml": text.encode()})
        for text in (before, after)
    )
    assert (first == second) is same


@pytest.mark.parametrize(
    ("total", "told"),
    [(5, StateResults(passing=IDS)), (3, StateResults(why=reasons.FAILS_OTHERWISE))],
)
def test_a_runner_that_names_no_passing_test_counts_them(total: int, told: StateResults) -> None:
    """A test passes there if as many ran as at the head, and it isn't among those that fail."""
    red = replace(RED, counts=TestCounts(passed=4, failed=1, skipped=0))
    other = (Failure("tests.test_app::test_other", message="AssertionError: 1 != 2"),)
    seen = Observation("pytest", 1, failing=other, counts=TestCounts(total - 1, 1, 0))
    assert told_by(seen, red, (TEST,)) == told


@pytest.mark.parametrize(
    ("setup", "counted"),
    [
        ("pip install -e .", ["pyproject.toml"]),
        (
            "pip install -r requirements/test.txt",
            ["requirements/base.txt", "requirements/test.txt"],
        ),
        ("pip install -r requirements/*.txt", [*LISTS]),
    ],
)
def test_lists_of_packages_count_that_the_setup_names(setup: str, counted: list[str]) -> None:
    """Another list, such as that of the documentation, asks for no other environment."""
    texts = {"requirements/test.txt": b"-r base.txt\n", "pyproject.toml": b"[project]\n"}
    found = named_inputs([*LISTS, "pyproject.toml"], texts, [setup])
    assert found == sorted({*counted, "pyproject.toml"})
