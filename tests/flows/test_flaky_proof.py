"""What a repair of a flaky test has to show, and what speaks against one; git and sandboxes are real."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyCause, FlakyClass, FlakyGoal
from bot.model.guard_rules import PatchRules
from bot.model.proof_card import FactKind
from bot.repair.verification.criteria import Criteria, PatchEvidence, Proved
from bot.repair.verification.flaky_test import mended
from tests.flows.two_sides import COMMAND, two_sides

SHOP = "carts = []\nis_open = False\n\n\ndef price(items):\n    return 3 * items + 1\n"
TESTS = """\
import unittest

import shop


class Shop(unittest.TestCase):
    def test_closed(self):
        self.assertFalse(shop.is_open)

    def test_put(self):
        shop.carts.append("ada")

    def test_total(self):
        self.assertEqual(shop.price(2), 7)
        self.assertEqual(shop.carts, [])
"""
POLLUTED = f"{COMMAND} test_shop.Shop.test_put test_shop.Shop.test_total"
GOAL = FlakyGoal(
    test="test_shop.Shop.test_total",
    cause=FlakyCause(
        FlakyClass.VICTIM,
        others=("test_shop.Shop.test_put",),
        command=POLLUTED,
        red=RunCounts(3),
        contrast=f"{COMMAND} test_shop.Shop.test_total",
        green=RunCounts(passed=3),
    ),
    suite=COMMAND,
)
CLEANS = TESTS.replace('append("ada")', 'append("ada")\n        self.addCleanup(shop.carts.clear)')
CLEARS = "        shop.carts.clear()\n        self.assertEqual(shop.price"
OPENS = TESTS.replace(
    "        self.assertEqual(shop.price", f"        shop.is_open = True\n{CLEARS}"
)
EMPTY = TESTS.replace(
    "        self.assertEqual(shop.price(2), 7)\n        self.assertEqual(shop.carts, [])\n",
    "        shop.price(2)\n",
)


async def proved(tmp_path: Path, tests: str) -> Proved:
    """Return what the proof says of a change of the tests."""
    before = {"shop.py": SHOP, "test_shop.py": TESTS}
    async with two_sides(tmp_path, before, {"test_shop.py": tests}) as sides:
        asked = Criteria(POLLUTED, flaky=GOAL)
        evidence = PatchEvidence("f", sides.after.patch, sides.changes, (), asked)
        return await mended(sides.after.room, PatchRules(), evidence)


@pytest.mark.slow
async def test_what_a_polluter_leaves_is_put_back(tmp_path: Path) -> None:
    """The command passes as often as it failed, both orders hold, and faults are noticed as before."""
    found = await proved(tmp_path, CLEANS)
    assert not found.findings
    [row] = found.rows
    assert {fact.kind for fact in row.facts} == {FactKind.PROVEN}
    assert "3 tests compared" in row.facts[0].text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "rule"),
    [(TESTS, "flaky-pass"), (OPENS, "order-fails"), (EMPTY, "fault-unnoticed")],
)
async def test_what_speaks_against_a_repair(tmp_path: Path, tests: str, rule: str) -> None:
    """It still fails; another test fails in the reversed order now; or it demands nothing any more."""
    found = await proved(tmp_path, f"{tests}\n" if tests == TESTS else tests)
    assert [finding.rule for finding in found.findings] == [rule]
