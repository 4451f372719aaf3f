"""`fixpoint localise` at a terminal: suspicious lines, or what was seen in their place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.commands.localise import not_looked
from bot.model import Cause, Reproduction, Verdict
from tests.flows.command_line import open_desk
from tests.unit.reports import GAVE_UP

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\n"
TEST = """\
import unittest


class Halves(unittest.TestCase):
    def test_half(self):
        from halves import half

        self.assertEqual(half(4), 2)
"""
NO_SOURCE = TEST.replace("from halves import half", "half = abs")


async def test_suspicious_lines_are_printed(tmp_path: Path) -> None:
    """Status 0; each line with its score, its code and why."""
    files = {
        ".github/fixpoint.yml": CONFIG,
        "halves.py": "def half(n):\n    return n / 3\n",
        "test_halves.py": TEST,
    }
    async with open_desk(tmp_path, files=files) as desk:
        before = desk.everything()
        done = await desk.run("localise", str(desk.repository))
        assert (done.code, done.err) == (0, "")
        assert done.out == snapshot("""\
1.00  halves.py:1  def half(n):
      the failing test runs it, but no passing test does
1.00  halves.py:2  return n / 3
      the failing test runs it, but no passing test does
""")
        assert desk.everything() == before


@pytest.mark.exhaustive
async def test_without_any_it_says_what_was_seen(tmp_path: Path) -> None:
    """Status 1 and a sentence as the problem: nobody asked for a repair or a model."""
    files = {".github/fixpoint.yml": CONFIG, "test_a.py": NO_SOURCE}
    async with open_desk(tmp_path, files=files) as desk:
        done = await desk.run("localise", str(desk.repository), "--json")
        assert (done.code, json.loads(done.out)) == (
            1,
            snapshot(
                {
                    "lines": [],
                    "problem": "No line is suspected: `test_a.Halves.test_half` fails without running any source file of the project.",
                }
            ),
        )


def test_where_nothing_fails_it_says_that() -> None:
    """What a repair would need besides is not asked for."""
    green = Reproduction(Cause.NOT_REPRODUCED, None, reason="`true` passes here.")
    ended = replace(GAVE_UP, verdict=Verdict.NOT_REPRODUCED, reproduction=green)
    assert not_looked(ended) == snapshot("No lines were examined. `true` passes here.")


def test_the_end_of_a_run_is_not_taken_for_what_was_reproduced() -> None:
    """Out of time behind a real failure, it is the time that is named."""
    ended = replace(GAVE_UP, verdict=Verdict.BUDGET_SPENT, reason="The time budget is used up.")
    assert ended.reproduction is not None
    assert not_looked(ended) == snapshot("No lines were examined. The time budget is used up.")


async def test_an_empty_command_is_refused(tmp_path: Path) -> None:
    """A variable that a script never set is not taken for an option that was left out."""
    async with open_desk(tmp_path) as desk:
        patch = ("--patch", "a.patch")
        for command in (
            ("localise", str(desk.repository)),
            ("verify", str(desk.repository), *patch),
        ):
            done = await desk.run(*command, "--test", "")
            assert (done.code, done.out) == (2, "")
            assert "Invalid value for '--test': must not be empty" in " ".join(done.err.split())
