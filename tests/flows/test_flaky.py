"""`/fix flaky` and `fixpoint flaky`: the class, what is left behind, and a command that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.commands.cli import NOT_FIXED
from bot.model import Verdict
from tests.flows.command_line import open_desk
from tests.flows.world import RIGHT, attempts, open_world

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


@pytest.mark.slow
async def test_flaky_tests_are_told_in_one_comment(tmp_path: Path) -> None:
    """`/fix flaky`: class, state and a command that failed in 20 of 20 runs; no model is asked."""
    files = {".github/fixpoint.yml": f"{CONFIG}flaky: {{repair: off}}\n", "test_mode.py": TESTS}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        await world.comment("/fix flaky")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.EXPLAINED
        [answer] = world.said()
        assert answer.startswith("### What decides")
        assert "Victim: fails after test_mode.Mode.test_before" in answer
        assert "environment variable MODE: test, at test_mode.py:10" in answer
        assert "test_mode.py:10 was last changed in RUN by acme on DAY" in answer
        command = "python3 -m unittest test_mode.Mode.test_before test_mode.Mode.test_default"
        assert f"```sh\n{command}\n```" in answer
        assert "failed in 20 of 20 runs" in answer
        assert not world.pulls()
        assert world.model is not None
        assert not world.model.requests


@pytest.mark.slow
async def test_a_polluter_is_repaired_once_a_person_approves(tmp_path: Path) -> None:
    """`/fix flaky` goes on to a repair without a model; as it changes a test, somebody is asked."""
    files = {".github/fixpoint.yml": CONFIG, "test_mode.py": TESTS}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        await world.comment("/fix flaky")
        asked = "It repairs a flaky test by changing test_mode.py."
        await world.until(lambda: any(asked in text for text in world.said()))
        assert not world.pulls()
        await world.comment("/fix approve")
        await world.until(lambda: bool(world.pulls()))
        [pull] = world.pulls()
        assert pull.pull is not None
        repaired = world.file("test_mode.py", pull.pull.head_ref) or ""
        assert "self.addCleanup(patcher.stop)" in repaired
        report = (await world.run()).report
        assert report is not None
        attempt = report.accepted_attempt
        assert attempt is not None
        assert attempt.verification is not None
        told = [row.summary for row in attempt.verification.rows]
        assert any("the command failed in 20 of 20 runs" in text for text in told), told
        assert world.model is not None
        assert not world.model.requests


@pytest.mark.exhaustive
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
