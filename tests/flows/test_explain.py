"""`fixpoint explain` at a terminal: the commits since which tests fail, each with its own tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.commands.cli import NOT_FIXED
from tests.flows.command_line import Desk, open_desk
from tests.flows.test_search import LIMITS, TEST_LIMITS

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\n"
SOUND = "def half(n):\n    return n / 2\n\n\ndef twice(n):\n    return n * 2\n"
TESTS = """\
import unittest

from numbers_ import half, twice


class Numbers(unittest.TestCase):
    def test_half(self):
        self.assertEqual(half(4), 2)

    def test_twice(self):
        self.assertEqual(twice(4), 8)
"""


def _commit(desk: Desk, subject: str, **files: str) -> str:
    for name, text in files.items():
        (desk.repository / f"{name}.py").write_text(text, "utf-8")
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--allow-empty", f"--message={subject}")
    return desk.git("rev-parse", "HEAD")


def _history(desk: Desk) -> tuple[str, str]:
    """Make two commits that break a test each, and others; the tests come last. Return the culprits."""
    broken = SOUND.replace("n / 2", "n / 3")
    for n in range(5):
        _commit(desk, f"Note {n}", **{f"note_{n}": "" if n != 2 else "("})
    first = _commit(desk, "Halve by three", numbers_=broken)
    for n in range(5, 9):
        _commit(desk, f"Note {n}", **{f"note_{n}": ""})
    second = _commit(desk, "Double by three", numbers_=broken.replace("n * 2", "n * 3"))
    _commit(desk, "Tests", test_numbers=TESTS)
    return first, second


@pytest.mark.slow
async def test_each_failing_test_gets_its_own_commit(tmp_path: Path) -> None:
    """Tests newer than the code are laid over it, and one walk names both commits with proof."""
    async with open_desk(
        tmp_path, files={".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND}
    ) as desk:
        first, second = _history(desk)
        before = desk.everything()
        done = await desk.run("explain", str(desk.repository), "--json")
        assert done.code == 0, done.err
        found = json.loads(done.out)
        named = {
            (
                item["event"]["name"],
                item["certainty"],
                *(test.rsplit(".")[-1] for test in item["tests"]),
            )
            for item in found["culprits"]
        }
        assert named == {(first, "proven", "test_half"), (second, "proven", "test_twice")}
        assert all(
            item["with_it"]["failed"] >= 2 and item["without_it"]["passed"] >= 2
            for item in found["culprits"]
        )
        assert desk.everything() == before


async def test_what_always_failed_has_no_culprit(tmp_path: Path) -> None:
    """Status 1, and the report says how far back it was seen."""
    files = {
        ".github/fixpoint.yml": CONFIG,
        "numbers_.py": SOUND.replace("n / 2", "n / 3"),
        "test_numbers.py": TESTS,
    }
    async with open_desk(tmp_path, files=files) as desk:
        _commit(desk, "Note", note="")
        done = await desk.run("explain", str(desk.repository))
        assert done.code == NOT_FIXED, done.err
        assert "No commit or release was found that explains the failure." in done.out
        assert "1 test fails as far back as can be told" in done.out


async def test_changes_that_are_not_committed_count(tmp_path: Path) -> None:
    """What the work tree changes is named as that."""
    files = {".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND, "test_numbers.py": TESTS}
    async with open_desk(tmp_path, files=files) as desk:
        (desk.repository / "numbers_.py").write_text(SOUND.replace("n * 2", "n * 3"), "utf-8")
        done = await desk.run("explain", str(desk.repository), "--good", "HEAD")
        assert done.code == 0, done.err
        assert "Caused by changes that are not committed" in done.out


async def test_the_lines_that_decide_are_named(tmp_path: Path) -> None:
    """Of a commit with several changes, only what has to be undone."""
    files = {".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND, "test_numbers.py": TESTS}
    async with open_desk(tmp_path, files=files) as desk:
        broken = SOUND.replace("def half", '"""Numbers."""\n\n\ndef half').replace("n * 2", "n * 3")
        _commit(desk, "Much at once", numbers_=broken, other="A = 1\n")
        done = await desk.run("explain", str(desk.repository), "--json")
        [named] = json.loads(done.out)["culprits"]
        assert named["lines"] == [{"file": "numbers_.py", "first": 9, "last": 9}]


@pytest.mark.exhaustive
async def test_a_commit_of_a_merged_branch_is_named(tmp_path: Path) -> None:
    """Not the merge that brought it."""
    files = {".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND, "test_numbers.py": TESTS}
    async with open_desk(tmp_path, files=files) as desk:
        desk.git("checkout", "--quiet", "-b", "branch")
        _commit(desk, "Before", before="")
        culprit = _commit(desk, "Double by three", numbers_=SOUND.replace("n * 2", "n * 3"))
        _commit(desk, "After", after="")
        desk.git("checkout", "--quiet", "main")
        _commit(desk, "Meanwhile", meanwhile="")
        desk.git("merge", "--quiet", "--no-ff", "--no-edit", "branch")
        done = await desk.run("explain", str(desk.repository), "--json")
        assert done.code == 0, done.err
        [named] = json.loads(done.out)["culprits"]
        assert (named["event"]["name"], named["certainty"]) == (culprit, "proven")


CI = """\
on: [push]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: echo "WANTED=4" >> "$GITHUB_ENV"
      - name: Doubled
        run: |
          python3 -c "import os, numbers_; assert numbers_.twice(2) == int(os.environ['WANTED'])" && exit
          echo "FAILED checks.py::twice - not $WANTED"
          exit 1
"""


async def test_a_failing_job_is_explained(tmp_path: Path) -> None:
    """The step that fails of it here, with what the steps before it made, at other commits too."""
    files = {".github/workflows/ci.yml": CI, "numbers_.py": SOUND}
    async with open_desk(tmp_path, files=files) as desk:
        _commit(desk, "Before", before="")
        culprit = _commit(desk, "Double by three", numbers_=SOUND.replace("n * 2", "n * 3"))
        _commit(desk, "After", after="")
        done = await desk.run("explain", str(desk.repository), "--job", "check", "--json")
        assert done.code == 0, done.err
        [named] = json.loads(done.out)["culprits"]
        assert (named["event"]["name"], named["certainty"]) == (culprit, "proven")


@pytest.mark.slow
async def test_a_failing_job_is_repaired(tmp_path: Path) -> None:
    """The step that fails of it is what has to pass, with what the steps before it made."""
    workflow = CI.partition("      - name: Doubled")[0] + "      - run: python3 -m unittest -q\n"
    files = {
        ".github/workflows/ci.yml": workflow,
        ".github/fixpoint.yml": "search: {confidence: 0}\n",
        "limits.py": LIMITS,
        "test_limits.py": TEST_LIMITS,
    }
    async with open_desk(tmp_path, files=files) as desk:
        asked = ("--job", "check", "--proposers", "search", "--json")
        done = await desk.run("fix", str(desk.repository), *asked)
        assert done.code == 0, done.err
        assert json.loads(done.out)["verdict"] == "fixed"


async def test_a_job_that_passes_has_nothing_to_explain(tmp_path: Path) -> None:
    """It is said, and no history is walked."""
    files = {".github/workflows/ci.yml": CI, "numbers_.py": SOUND}
    async with open_desk(tmp_path, files=files) as desk:
        done = await desk.run("explain", str(desk.repository), "--job", "check")
        assert "The job check passes here, so there is nothing to explain." in done.err


@pytest.mark.slow
async def test_a_history_that_was_red_before(tmp_path: Path) -> None:
    """Red, green, red: the newest turn to red is named, and proven against the green before it."""
    files = {".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND, "test_numbers.py": TESTS}
    async with open_desk(tmp_path, files=files) as desk:
        broken = SOUND.replace("n * 2", "n * 3")
        _commit(desk, "Break it", numbers_=broken)
        _commit(desk, "Note", note="")
        _commit(desk, "Mend it", numbers_=SOUND)
        _commit(desk, "Another note", another="")
        culprit = _commit(desk, "Break it again", numbers_=broken)
        _commit(desk, "Last", last="")
        done = await desk.run("explain", str(desk.repository), "--json")
        [named] = json.loads(done.out)["culprits"]
        assert (named["event"]["name"], named["certainty"]) == (culprit, "proven")
