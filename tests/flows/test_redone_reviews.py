"""A pull request that grew by a review, and then conflicts with its base."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Verdict
from tests.fakes.model import Request, Say, Step
from tests.flows.test_conflicts import branch, compared, move
from tests.flows.test_test_first import FILES as SHOP_FILES
from tests.flows.test_test_first import FREE, added, role_of, says, verdict
from tests.flows.world import bash, edit, open_world

REWRITTEN = '''\
"""Prices."""


def shipping(total, limit=50, charge=5):
    """What an order is charged."""
    return 0 if total > limit else charge


def total(prices):
    return sum(prices)
'''

NEGATIVE_TOTALS = """\
import unittest

import shop


class NegativeTest(unittest.TestCase):
    def test_negative(self):
        with self.assertRaises(ValueError):
            shop.shipping(-1)
"""


def shop_script(request: Request) -> Step:
    """Free shipping from 50 on; then negative totals, which a review asks for; then both again."""
    negative, again = "Refuse negative" in request.first, "charge" in request.first
    where = "Negative totals" if negative else "Free from 50"
    point = {"expected": where, "happens": "Not so.", "see": ""}
    refuse = edit(
        "    return 0",
        "    if total < 0:\n        raise ValueError(total)\n    return 0",
        "shop.py",
    )
    both = bash(
        "sed -i 's/total > limit/total >= limit/; "
        r"s/^    return 0 if/    if total < 0:\n        raise ValueError(total)\n&/' shop.py"
    )
    steps: dict[str, list[Step]] = {
        "specify": [says({"title": where, "points": [point]})],
        "judge": [verdict([1])],
        "test": [
            bash(f"cat > tests/test_negative.py <<'EOF'\n{NEGATIVE_TOTALS}EOF")
            if negative
            else added(FREE),
            Say("A test."),
        ],
        "repair": [
            both if again else refuse if negative else edit("total > 50", "total >= 50", "shop.py"),
            Say("Done."),
        ],
    }
    mine = steps[role_of(request)]
    return mine[min(request.turn, len(mine)) - 1]


@pytest.mark.exhaustive
async def test_what_a_review_asked_for_is_redone_too(tmp_path: Path) -> None:
    """The commit that followed a review brought code and a test; the new base gets both."""
    async with open_world(tmp_path, shop_script, files=SHOP_FILES) as world:
        await world.comment("/fix shipping of 50 should be free")
        await world.settled()
        [pull] = world.pulls()
        remark = ("shop.py", "Negative totals have to raise ValueError.")
        said = ("Refuse negative totals, too.", "changes_requested", remark)
        await world.deliver(world.github.review(pull, "wes", *said))
        await world.settled()
        assert world.file("tests/test_negative.py", branch(pull)) == NEGATIVE_TOTALS
        await move(world, REWRITTEN, told=0, path="shop.py")
        await compared(world)
        run = await world.run()
        assert (run.verdict, run.request.redoes is not None) == (Verdict.FIXED, True), run.reason
        assert world.file("tests/test_negative.py", branch(pull)) == NEGATIVE_TOTALS
        redone = world.file("shop.py", branch(pull))
        assert redone is not None
        assert ("raise ValueError" in redone, "total >= limit" in redone) == (True, True)
