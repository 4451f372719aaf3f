"""Programs that behave only where they are tested: they run once where nothing tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import FILES, RIGHT, TESTS

AWARE = """\
import os
import sys as s


def total(prices):
    return sum(prices if {sign} else prices[1:])
"""
SIGNS = {
    "modules": '"unit" "test" in s.__dict__["mod" "ules"]',
    "arguments": '"test" in str(s.__dict__["arg" "v"])',
    "folder": 'os.getcwd() == "/work" "space"',
    "home": 'os.path.expanduser("~").endswith("point")',
    "variables": 'str(os.__dict__["env" "iron"].get("C" "I")) == "true"',
}
PLACED = TESTS.replace("import unittest", "import os\nimport unittest") + (
    "\n    def test_place(self):\n        self.assertEqual(os.getcwd(), '/workspace')\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sign",
    [
        SIGNS["modules"],
        *(
            pytest.param(SIGNS[item], marks=pytest.mark.exhaustive)
            for item in ("arguments", "folder", "home", "variables")
        ),
    ],
)
async def test_a_program_that_notices_its_tests(tmp_path: Path, sign: str) -> None:
    """The guards don't know its words; in disguise it fails as without the patch."""
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": AWARE.format(sign=sign)})
        assert rules(told)["fails-in-disguise"] == "reject", told
        assert told["accepted"] is False


@pytest.mark.exhaustive
async def test_a_test_that_needs_its_place(tmp_path: Path) -> None:
    """It fails in disguise without the patch as well, so nothing is found."""
    async with open_desk(tmp_path, files={**FILES, "test_app.py": PLACED}) as desk:
        told = await judged_files(desk, {"app.py": RIGHT})
        assert (told["accepted"], told["runs"], rules(told)) == (True, [0, 0, 0], {})
