"""Mutants in forks of a process that has collected the tests: which of them do these notice?"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bot.repair.harness.client import driver
from bot.repair.harness.driver.protocol import written
from bot.repair.harness.suite_command import SuiteCommand
from bot.repair.verification.mutation.live_mutants import (
    FileMutant,
    LiveEdit,
    asked,
)
from bot.repair.verification.mutation.mutants import mutants_of

UNITTEST = SuiteCommand("unittest", ("-m", "unittest", "-q"), (), "", "", "python")
PROGRAM = """\
RATE = 2


def price(count):
    words = "für"
    return count * RATE if count > 3 else len(words)
"""
TEST = """\
import unittest
from program import price

class T(unittest.TestCase):
    def test_many(self):
        self.assertEqual(price(5), 10)

    def test_broken(self):
        self.assertEqual(price(5), 11)
"""


def noticed(folder: Path, line: int, test: str = TEST) -> dict[str, bool]:
    """Return what the driver tells, by what the mutants of a line of the program do."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    (tree / "program.py").write_text(PROGRAM, "utf-8")
    (tree / "test_it.py").write_text(test, "utf-8")
    data = PROGRAM.encode()
    found = [
        FileMutant("program.py", mutant, b"")
        for mutant in mutants_of("program.py", data, [line], most=9)
    ]
    assert found
    edits = [
        LiveEdit(number, item.file, item.mutant.start, item.mutant.end, item.mutant.text)
        for number, item in enumerate(found)
    ]
    request = asked(edits, {"program.py": data}, frozenset({"test_it.T::test_many"}))
    (folder / "driver.zip").write_bytes(driver())
    asked_of = written(UNITTEST.collection(str(tree)), replace(request, seconds=60))
    (folder / "request.json").write_bytes(asked_of)
    names = [str(folder / name) for name in ("driver.zip", "request.json", "answer.json")]
    subprocess.run([sys.executable, "-B", *names], cwd=tree, check=False, capture_output=True)
    told = json.loads((folder / "answer.json").read_text("utf-8"))["noticed"]
    return {found[int(number)].mutant.says: seen for number, seen in told.items()}


def test_what_the_tests_see(tmp_path: Path) -> None:
    """A fault in the branch that a test takes; not one in the other branch, nor a boundary."""
    told = noticed(tmp_path, 6)
    assert set(told.values()) == {True, False}
    assert told["has `<=` instead of `>`"]
    assert not told["has `>=` instead of `>`"]


def test_what_runs_at_import(tmp_path: Path) -> None:
    """It is not told: live functions can't show it."""
    assert noticed(tmp_path, 1) == {}


def test_tests_that_write_into_the_work_tree(tmp_path: Path) -> None:
    """They might see each other's files: nothing is told."""
    test = TEST.replace("(5), 10)", "(5), 10)\n        open('left.txt', 'w').close()")
    assert noticed(tmp_path, 6, test) == {}
