"""Repairs without a model, as stories: what people see of a search, and what a model hears of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from tests.fakes.model import Request, Say, Step
from tests.flows.world import attempts, bash, open_world

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\nsearch: {seconds: 120, workers: 2, confidence: 0}\n"
LIMITS = """\
def within(value, low, high):
    return low < value <= high
"""
TEST_LIMITS = """\
import unittest

from limits import within


class Within(unittest.TestCase):
    def test_inside(self):
        self.assertTrue(within(5, 1, 9))

    def test_lowest(self):
        self.assertTrue(within(1, 1, 9))

    def test_highest(self):
        self.assertTrue(within(9, 1, 9))

    def test_outside(self):
        self.assertFalse(within(0, 1, 9))
        self.assertFalse(within(10, 1, 9))
"""
FAR = """\
def answer(n):
    return n + 1
"""
TEST_FAR = """\
import unittest

from far import answer


class Answer(unittest.TestCase):
    def test_near(self):
        self.assertEqual(answer(3), 5)

    def test_far(self):
        self.assertEqual(answer(4), "x9#")
"""


@pytest.mark.slow
async def test_a_logic_bug_is_repaired_without_a_model(tmp_path: Path) -> None:
    """No key, nothing to pay: the pull request says which line it was and how that was found."""
    files = {
        "limits.py": LIMITS,
        "test_limits.py": TEST_LIMITS,
        ".github/fixpoint.yml": CONFIG,
    }
    async with open_world(tmp_path, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        assert run.report is not None
        assert run.report.usage.calls == 0
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file("limits.py", pull.pull.head_ref) == LIMITS.replace("low <", "low <=")
        body = pull.body or ""
        told = body.partition("### What was changed and why")[2]
        assert told.strip().splitlines()[2] == snapshot(
            "In `limits.py`, line 2, the fix compares with `<=` instead of `<`."
        )
        assert "Found by search, without a model: " in told
        assert "It fixes `test_limits.Within.test_lowest`" in told


@pytest.mark.exhaustive
async def test_the_model_hears_what_the_search_found(tmp_path: Path) -> None:
    """Suspicious lines, and the edit that came near, stand in the first prompt of the model."""
    heard: list[str] = []
    write = "printf 'def answer(n):\\n    return {3: 5, 4: \"x9#\"}[n]\\n' > far.py"
    played = attempts([bash(write), Say("It answers now.")])

    def script(request: Request) -> Step:
        heard.append(request.first)
        return played(request)

    config = CONFIG.replace("120", "15")
    files = {"far.py": FAR, "test_far.py": TEST_FAR, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
    prompt = next(text for text in heard if "Suspicious lines" in text)  # behind the sorting
    assert "Suspicious lines, most suspicious first:\n- far.py:2 (1.00) `return n + 1`" in prompt
    assert "A near miss: at far.py:2, an edit that " in prompt
    assert "fixes 1 of 2 failing tests" in prompt


@pytest.mark.exhaustive
async def test_a_doubtful_repair_is_only_suggested(tmp_path: Path) -> None:
    """No pull request: the report shows the patch, why it is doubtful, and what would decide."""
    files = {
        "limits.py": LIMITS,
        "test_limits.py": TEST_LIMITS,
        ".github/fixpoint.yml": CONFIG.replace("confidence: 0", "confidence: 1"),
    }
    async with open_world(tmp_path, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.SUGGESTED
        assert world.pulls() == []
        said = world.said()[-1]
    assert said.startswith("**Not fixed, but a patch is suggested.**")
    assert "### Suggested patch" in said
    assert "+    return low <= value <= high" in said
    assert "Estimated probability that the patch is right: " in said
    assert "Mutants of the changed lines: " in said


@pytest.mark.exhaustive
async def test_the_model_hears_of_a_doubtful_repair(tmp_path: Path) -> None:
    """It gets the patch as a hint, and its own is taken."""
    heard: list[str] = []
    played = attempts([bash("sed -i 's/low </low <=/' limits.py"), Say("The lowest counts.")])

    def script(request: Request) -> Step:
        heard.append(request.first)
        return played(request)

    files = {
        "limits.py": LIMITS,
        "test_limits.py": TEST_LIMITS,
        ".github/fixpoint.yml": CONFIG.replace("confidence: 0", "confidence: 1"),
    }
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED
    prompt = next(text for text in heard if "It passes all tests and may even be right" in text)
    assert "+    return low <= value <= high" in prompt
