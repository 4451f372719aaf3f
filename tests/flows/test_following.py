"""Tests and version files follow what a commit changed, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.reporting.json_report import FixOutput
from tests.flows.command_line import Desk, Done, open_desk

APP = """\
def check(number):
    if number <= 0:
        raise ValueError(f"{number} is wrong: a number must be positive, not less")
    return number
"""
TESTS = """\
import unittest

import app


class Checks(unittest.TestCase):
    def test_refuses(self):
        with self.assertRaisesRegex(ValueError, "number must be positive"):
            app.check(-1)

    def test_takes(self):
        self.assertEqual(app.check(1), 1)
"""
VERSIONED = {
    "app.py": "VERSION = '1.2.3'\n",
    "pyproject.toml": "[project]\nname = 'app'\nversion = '1.2.3'\n\n[build-system]\nrequires = []\n",
    "test_app.py": (
        "import tomllib\nimport unittest\n\nimport app\n\n\nclass Versions(unittest.TestCase):\n"
        "    def test_agree(self):\n        with open('pyproject.toml', 'rb') as file:\n"
        "            found = tomllib.load(file)['project']['version']\n"
        "        self.assertEqual(found, app.VERSION)\n"
    ),
}
COMMANDS = ("--setup", "true", "--test", "python3 -m unittest", "--proposers", "mechanical")


def change(desk: Desk, old: str, new: str) -> None:
    file = desk.repository / "app.py"
    file.write_text(file.read_text("utf-8").replace(old, new), encoding="utf-8")
    desk.git("commit", "--all", "--quiet", "--message=Reword")


def read(done: Done) -> FixOutput:
    return FixOutput.model_validate_json(done.out)


@pytest.mark.slow
async def test_a_test_follows_a_message_that_the_commit_changed(tmp_path: Path) -> None:
    """Proposed, and a person has to agree."""
    async with open_desk(tmp_path, files={"app.py": APP, "test_app.py": TESTS}) as desk:
        change(desk, "must be positive", "has to be positive")
        done = await desk.fix("--json", *COMMANDS)
        output = read(done)
        assert output.verdict == "fixed", output.reason
        assert output.attempts[-1].accepted == "after_approval"
        assert '+        with self.assertRaisesRegex(ValueError, "number has to be positive")' in (
            output.patch
        )
        assert done.code == 3


@pytest.mark.exhaustive
async def test_a_version_file_follows_the_version_that_the_commit_raised(tmp_path: Path) -> None:
    """Where the failure shows both versions."""
    async with open_desk(tmp_path, files=VERSIONED) as desk:
        change(desk, "1.2.3", "1.3.0")
        output = read(await desk.fix("--json", *COMMANDS))
        assert output.verdict == "fixed", output.reason
        assert "+version = '1.3.0'" in output.patch
