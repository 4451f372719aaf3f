"""What a patch seems to break in a slow suite is run again alone; git and sandboxes are real."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from bot.model import Failure, Observation
from bot.model.deadline import RunLimits, StopSign
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.confirmation import Confirmation
from bot.repair.workspace.patches import patch_between
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.git import EMPTY_TREE, ObjectStore

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is missing")
COMMAND = "python3 -m unittest"
TESTS = (
    "import unittest\nimport app\n\n\nclass T(unittest.TestCase):\n"
    "    def test_app(self):\n        self.assertEqual(app.NUMBER, 1)\n\n"
    "    def test_other(self):\n        pass\n"
)


@pytest.mark.parametrize(
    ("test", "fresh", "names"),
    [
        ("test_app.T.test_app", {"test_app.T.test_app"}, ["v-fresh", "v-fresh-b"]),
        ("test_app.T.test_other", set(), ["v-fresh", "v-suite-again"]),
    ],
)
async def test_a_new_failure_of_a_slow_suite(
    tmp_path: Path, test: str, fresh: set[str], names: list[str]
) -> None:
    """It counts where it fails alone; where it passes alone, the whole suite decides."""
    store = ObjectStore(tmp_path / "repo.git")
    await store.create()
    trees = []
    for number in (1, 2):
        folder = tmp_path / f"tree{number}"
        folder.mkdir()
        (folder / "app.py").write_text(f"NUMBER = {number}\n")
        (folder / "test_app.py").write_text(TESTS)
        trees.append(await store.write_tree(folder, base=EMPTY_TREE))
    patch = await patch_between(store, trees[0], trees[1])
    provider = BubblewrapProvider(tmp_path / "sandboxes")
    opened: list[str] = []

    async def opener(name: str) -> Sandbox:
        opened.append(name)
        return await provider.open(SandboxSpec(name=name, source=tmp_path / "tree1"))

    room = CleanRoom(
        opener,
        store,
        trees[0],
        run_limits=RunLimits(time.time() + 3600, StopSign()),
        listener=lambda _: None,
        command_seconds=600,
    )
    baseline = Observation(COMMAND, 0, seconds=20)
    suite = Observation(COMMAND, 1, (Failure(test),))
    _, found = await Confirmation(room).confirmed("v", patch, baseline, suite, frozenset())
    assert {failure.test for failure in found} == fresh
    assert opened == names
    await provider.close()
