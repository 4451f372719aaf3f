"""What is claimed of a repair is so: a guess is a suggestion, and only what ran did not break."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Guess
from bot.reporting.reasons import assurance, run_life
from tests.flows.command_line import open_desk
from tests.flows.test_cli import read

LINTER = """\
import ast, builtins, pathlib, sys

bad = 0
for path in sorted(pathlib.Path("shop").glob("*.py")):
    tree = ast.parse(path.read_text())
    known = set(dir(builtins))
    for node in ast.walk(tree):
        known |= {getattr(node, "name", None), getattr(node, "arg", None)}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        for alias in getattr(node, "names", []):
            known.add(getattr(alias, "asname", None) or getattr(alias, "name", alias))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known:
            place = f"{path}:{node.lineno}:{node.col_offset + 1}"
            print(f"{place}: F821 undefined name '{node.id}'")
            bad = 1
sys.exit(bad)
"""
STORE = "THINGS = {}\n\n\ndef set_thing(key, value):\n    THINGS[key] = value\n"
LOAD = "from shop.store import set_thing\n\n\ndef load(key):\n    return get_thing(key)\n\n\n"
SAVE = "def save(key, value):\n    set_thing(key, value)\n"
TESTS = "import unittest\n\nfrom shop import load\n\n\nclass Loads(unittest.TestCase):\n"
SAVES = '    def test_saves(self):\n        self.assertIsNone(load.save("a", 1))\n'
LOADS = '    def test_loads(self):\n        load.save("a", 1)\n        self.assertEqual(load.load("a"), {})\n'
FILES = {
    "lint.py": LINTER,
    "shop/__init__.py": "",
    "shop/store.py": STORE,
    "shop/load.py": LOAD + SAVE,
    ".github/fixpoint.yml": "setup: []\ntest: python3 -m unittest\n",
    "tests/__init__.py": "",
    "tests/test_load.py": TESTS + SAVES,
}
ARGUMENTS = ("--json", "--proposers", "mechanical", "--test", "python3 lint.py")


async def test_a_guess_that_no_test_runs_is_suggested(tmp_path: Path) -> None:
    """The linter passes and no test fails, because none calls it: that repairs nothing."""
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await desk.fix(*ARGUMENTS)
        output = read(done)
        assert output.verdict == "suggested", output.reason
        guess = Guess("shop/load.py", "get_thing", "set_thing")
        assert output.attempts[0].unconfirmed == (assurance.unconfirmed(guess),)
        assert output.attempts[0].accepted is False
        assert done.code == 1


@pytest.mark.slow
async def test_a_guess_that_a_test_runs_is_a_repair(tmp_path: Path) -> None:
    """The test fails with the unknown name, and passes with the guessed one."""
    store = "def set_thing(key):\n    return {}\n"
    load = "from shop.store import set_thing\n\n\ndef load(key):\n    return get_thing(key)\n"
    loads = '    def test_loads(self):\n        self.assertEqual(load.load("a"), {})\n'
    files = FILES | {"shop/store.py": store, "shop/load.py": load}
    async with open_desk(tmp_path, files=files | {"tests/test_load.py": TESTS + loads}) as desk:
        output = read(await desk.fix(*ARGUMENTS))
        assert output.verdict == "fixed", output.reason
        assert output.attempts[0].unconfirmed == ()


@pytest.mark.slow
async def test_the_projects_own_definition_comes_before_spelling(tmp_path: Path) -> None:
    """A name that a module defines, from which the file imports already, lacks its import."""
    store = f"{STORE}\n\ndef get_thing(key):\n    return THINGS[key]\n"
    async with open_desk(tmp_path, files=FILES | {"shop/store.py": store}) as desk:
        output = read(await desk.fix(*ARGUMENTS))
        assert output.verdict == "fixed", output.reason
        assert "+from shop.store import get_thing, set_thing" in output.patch
        assert "set_thing(key)\n" not in output.patch


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("python3 -m unittest", "nothing else that ran broke"),
        ("python3 lint.py", "No test was run"),
    ],
)
async def test_only_what_ran_did_not_break(tmp_path: Path, tests: str, said: str) -> None:
    """A linter that is silent shows nothing of what the program does."""
    load = "def area(width, height):\n    return width * heigth\n"
    tested = "import unittest\n\n\nclass Adds(unittest.TestCase):\n    def test_one(self):\n        pass\n"
    files = FILES | {"shop/load.py": load, "tests/test_load.py": tested}
    files[".github/fixpoint.yml"] = f"setup: []\ntest: {tests}\n"
    async with open_desk(tmp_path, files=files) as desk:
        output = read(await desk.fix(*ARGUMENTS))
        assert output.verdict == "fixed", output.reason
        assert said in output.reason


async def test_a_wish_beside_what_is_red_is_not_done(tmp_path: Path) -> None:
    """What was red before is mended; that nobody read the issue is said where it is called fixed."""
    load = "def area(width, height):\n    return width * heigth\n"
    async with open_desk(tmp_path, files=FILES | {"shop/load.py": load}) as desk:
        wish = await desk.fix(*ARGUMENTS, "--issue", "Add a volume function to shop/load.py")
        assert read(wish).verdict == "fixed"
        assert read(wish).reason.endswith(run_life.issue_unread(["mechanical"]))
