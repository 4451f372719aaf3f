"""`fixpoint flaky` at a terminal: the class, what is left behind, and a command that shows it."""

from __future__ import annotations

import json
from pathlib import Path

from bot.commands.cli import NOT_FIXED
from tests.flows.command_line import open_desk

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\n"
TESTS = """\
import os
import unittest


class Mode(unittest.TestCase):
    def test_default(self):
        self.assertNotIn("MODE", os.environ)

    def test_before(self):
        os.environ["MODE"] = "test"

    def test_sound(self):
        self.assertTrue(True)
"""


async def test_a_victim_has_its_polluter_and_a_command(tmp_path: Path) -> None:
    """The command fails each time, the test alone passes, and the repository stays as it was."""
    files = {".github/fixpoint.yml": CONFIG, "test_mode.py": TESTS}
    async with open_desk(tmp_path, files=files) as desk:
        before = desk.everything()
        test = "test_mode.Mode.test_default"
        done = await desk.run(
            "flaky", str(desk.repository), "--test", test, "--runs", "3", "--json"
        )
        assert done.code == NOT_FIXED, done.err
        (found,) = json.loads(done.out)["tests"]
        (cause,) = found["causes"]
        assert (found["test"], cause["flaky_class"]) == (test, "victim")
        assert cause["others"] == ["test_mode.Mode.test_before"]
        assert (cause["red"], cause["green"]) == (
            {"failed": 3, "passed": 0},
            {"failed": 0, "passed": 5},
        )
        (state,) = cause["state"]
        assert (state["kind"], state["name"]) == ("environment variable", "MODE")
        assert (state["file"], state["line"]) == ("test_mode.py", 10)
        assert desk.everything() == before
