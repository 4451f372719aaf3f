"""A search without a model and the whole suite: what the failing command does not see counts too."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.reporting.json_report import FixOutput
from tests.flows.command_line import Desk, open_desk

COUNTING = """\
def numbers(n):
    return list(range(n))


def total(n):
    return sum(numbers(n))
"""
TEST_TOTAL = """\
import unittest

from counting import total


class Total(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total(4), 10)
"""
TEST_NUMBERS = """\
import unittest

from counting import numbers


class Numbers(unittest.TestCase):
    def test_three(self):
        self.assertEqual(numbers(3), [0, 1, 2])

    def test_none(self):
        self.assertEqual(numbers(0), [])
"""
OWN_RUNNER = """\
from counting import numbers

if numbers(3) != [0, 1, 2]:
    raise SystemExit("FAILED suite::numbers")
"""
FAILING = "python3 -m unittest -q test_total"


async def fixed(desk: Desk) -> FixOutput:
    """Search with one failing test and return the report."""
    done = await desk.fix("--test", FAILING, "--proposers", "search", "--json")
    assert done.code == 0, done
    return FixOutput.model_validate_json(done.out)


def files(suite: str) -> dict[str, str]:
    """Return a project whose likeliest edit breaks a test that the failing command does not run."""
    config = f"setup: 'true'\ntest: {suite}\nsearch: {{seconds: 60, workers: 2, confidence: 0}}\n"
    return {
        "counting.py": COUNTING,
        "test_total.py": TEST_TOTAL,
        "test_numbers.py": TEST_NUMBERS,
        "suite.py": OWN_RUNNER,
        ".github/fixpoint.yml": config,
    }


@pytest.mark.exhaustive
async def test_what_breaks_another_test_of_the_suite_is_not_proposed(tmp_path: Path) -> None:
    """The first patch that is proposed keeps the suite green, and says so."""
    async with open_desk(tmp_path, files=files("python3 -m unittest -q")) as desk:
        output = await fixed(desk)
        [attempt] = output.attempts
        assert attempt.accepted
        assert output.patch is not None
        assert "+    return sum(numbers(n + 1))" in output.patch
        assert attempt.summary.partition("\n")[0] == snapshot(
            "In `counting.py`, line 6, the fix takes one more than `n`."
        )


@pytest.mark.exhaustive
async def test_a_search_goes_on_behind_a_rejected_patch(tmp_path: Path) -> None:
    """Where the suite can't be run test by test the verifier finds out, and another patch is tried."""
    async with open_desk(tmp_path, files=files("python3 suite.py")) as desk:
        output = await fixed(desk)
        assert [attempt.accepted for attempt in output.attempts] == [False, True]
        assert output.patch is not None
        assert "+    return sum(numbers(n + 1))" in output.patch
