"""When a passing command is believed, and what a request allows. Pure."""

from __future__ import annotations

import pytest

from bot.code.files import is_restored
from bot.model import Failure, Observation, Severity
from bot.repair.guards.test_change_request import asks_for_test_changes
from bot.repair.verification.random_order import ordering
from bot.repair.verification.repetition import flaky, not_repeated
from bot.reporting.reasons import guards_runs

GREEN = Observation("pytest", 0, seconds=1.0)
RED = Observation("pytest", 1, (Failure("t.a"),))


def test_a_pass_now_and_then_is_rejected() -> None:
    """The finding counts, and names what failed."""
    [finding] = flaky([GREEN, RED, GREEN])
    assert (finding.rule, finding.severity) == ("flaky-pass", Severity.REJECT)
    assert finding.message == guards_runs.flaky(2, 3, ["t.a"])
    assert flaky([GREEN, GREEN, GREEN]) == ()
    assert flaky([RED]) == ()


def test_what_takes_minutes_is_not_repeated() -> None:
    """And that is said."""
    assert not_repeated(GREEN) == ""
    assert "takes 90 s;" in not_repeated(Observation("make test", 0, seconds=90.0))


@pytest.mark.parametrize(
    ("installed", "command", "word", "options"),
    [
        ({"pytest-randomly", "pytest"}, "pytest", "pytest-randomly", ""),
        ({"pytest-random-order"}, "pytest", "pytest-random-order", "--random-order"),
        ({"pytest"}, "pytest", "their default order", ""),
        ({"pytest-randomly"}, "pytest -p no:randomly", "their default order", ""),
    ],
)
def test_orders(installed: set[str], command: str, word: str, options: str) -> None:
    """Random where a plugin for it is installed; said in any case."""
    order = ordering(frozenset(installed), command)
    assert word in order.said
    assert order.pytest_options == options


@pytest.mark.parametrize(
    "words",
    [
        "Update the tests too.",
        "please change the expected value in test_a",
        "The test is wrong.",
        "these assertions are outdated",
        "regenerate the snapshots",
        "Fix the failing test and update the fixtures",
    ],
)
def test_a_request_for_other_tests(words: str) -> None:
    """A person may ask for changes to tests."""
    assert asks_for_test_changes(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Fix the failing test.",
        "fix this test please",
        "Make the tests pass without changing the tests.",
        "Don't touch the tests; update the code.",
        "The tests fail since yesterday.",
        "Use the latest version.",
    ],
)
def test_a_request_for_a_repair(words: str) -> None:
    """To fix a failing test is to fix the code."""
    assert not asks_for_test_changes(words)


@pytest.mark.parametrize(
    ("path", "globs", "is_new", "expected"),
    [
        ("tests/test_a.py", (), False, True),
        ("tests/test_b.py", (), True, False),
        ("pytest.ini", (), True, True),
        ("conftest.py", (), True, False),
        (".github/workflows/ci.yml", (), False, True),
        ("src/app.py", (), False, False),
        ("golden/a.txt", ("golden/",), False, True),
        ("tox.ini", ("!tox.ini",), False, False),
        ("tests/test_a.py", ("!tests/",), False, False),
    ],
)
def test_what_is_put_back(
    path: str, globs: tuple[str, ...], *, is_new: bool, expected: bool
) -> None:
    """Tests that existed, and configuration, as the repository wants it."""
    assert is_restored(path, globs, is_new=is_new) is expected
