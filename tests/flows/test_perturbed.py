"""What a patch does to inputs near those of the tests decides what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import APP, FILES, TESTS

HIDDEN = APP.replace(
    "    return", "    if len(prices) == 2:\n        return int('7201'[::-1])\n    return"
)
CAREFUL = (
    "def total(prices):\n    try:\n        return sum(prices)\n"
    "    except Exception:\n        return None\n"
)


@pytest.mark.slow
async def test_an_answer_that_no_guard_sees(tmp_path: Path) -> None:
    """Near the tests' inputs the program does what it did before."""
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": HIDDEN})
        assert rules(told)["no-effect-nearby"] == "needs_a_person", told
        assert rules(told).keys() <= {"no-effect-nearby", "condition-unneeded"}, told


EVEN = APP.replace(
    "    return", "    if len(prices) % 2 == 0:\n        return sum(prices)\n    return"
)
ODD = TESTS + (
    "    def test_the_first_of_an_odd_number_is_a_deposit(self):\n"
    "        self.assertEqual(total([4, 1, 2]), 3)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "finding"),
    [
        (TESTS, {"condition-unneeded": "needs_a_person"}),
        pytest.param(ODD, {}, marks=pytest.mark.exhaustive),
    ],
    ids=["no test needs it", "a test needs it"],
)
async def test_a_repair_behind_a_condition(
    tmp_path: Path, tests: str, finding: dict[str, str]
) -> None:
    """Where no test needs the condition, and inputs near theirs stay broken, a person looks."""
    async with open_desk(tmp_path, files={**FILES, "test_app.py": tests}) as desk:
        told = await judged_files(desk, {"app.py": EVEN})
        assert rules(told) == finding, told


@pytest.mark.exhaustive
async def test_a_repair_for_the_first_calls(tmp_path: Path) -> None:
    """It wears off when its tests run again and again in one process."""
    text = APP.replace("def", "CALLS = []\n\n\ndef", 1).replace(
        "    return", "    CALLS.append(1)\n    return sum(prices) if len(CALLS) < 40 else", 1
    )
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": text})
        assert rules(told)["effect-wears-off"] == "needs_a_person", told


@pytest.mark.exhaustive
async def test_a_repair_with_the_looks_of_a_cheat(tmp_path: Path) -> None:
    """It changes what the program does near the tests' inputs too: the guard's finding is a note."""
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": CAREFUL})
        assert rules(told) == {"exception-swallowed": "note"}
        assert told["accepted"] is True


@pytest.mark.exhaustive
async def test_a_cheat_with_the_looks_of_one(tmp_path: Path) -> None:
    """Without an effect near by, the guard's finding rejects as ever, and nothing is repeated."""
    text = APP.replace("    return", "    if prices[0] == 1024:\n        return 1027\n    return")
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": text})
        assert rules(told)["hard-coded-answer"] == "reject"
        assert (told["accepted"], told["runs"]) == (False, [0])


READS = {
    "app.py": (
        "def size(*paths):\n    found = 0\n    for path in paths:\n"
        "        with open(path) as file:\n            found += len(file.read())\n    return found\n"
    ),
    "a.txt": "four\n",
    "b.txt": "two\n",
    "test_app.py": (
        "import unittest\n\nfrom app import size\n\n\n"
        "class TestSize(unittest.TestCase):\n"
        "    def test_the_line_end_does_not_count(self):\n"
        "        self.assertEqual(size('a.txt', 'b.txt'), 7)\n"
    ),
}


@pytest.mark.slow
async def test_names_of_files_have_no_neighbours(tmp_path: Path) -> None:
    """There is no file by a name near that of another, so nothing can be said of those."""
    async with open_desk(tmp_path, files={**FILES, **READS}) as desk:
        repair = READS["app.py"].replace("file.read()", "file.read().strip(chr(10))")
        told = await judged_files(desk, {"app.py": repair})
        assert rules(told) == {}, told


HEADING = {
    "app.py": "def heading(n, text):\n    return '#' * n + ' ' + text\n",
    "test_app.py": (
        "import unittest\n\nfrom app import heading\n\n\n"
        "class TestHeading(unittest.TestCase):\n"
        "    def test_two(self):\n        self.assertEqual(heading(2, 'a'), '## a')\n\n"
        "    def test_there_are_six_at_most(self):\n"
        "        self.assertEqual(heading(10, 'Hello'), heading(6, 'Hello'))\n"
    ),
}


HIDES = "def of(module, name):\n    return getattr(__import__(module[::-1]), name[::-1])\n\n\n"
"""A way to anything, by names that are written from their ends."""


@pytest.mark.slow
async def test_a_case_for_one_number(tmp_path: Path) -> None:
    """Other tests need its condition; no other number near the test's is repaired."""
    async with open_desk(tmp_path, files={**FILES, **HEADING}) as desk:
        patched = HEADING["app.py"].replace("    return", "    n = {10: 6}.get(n, n)\n    return")
        told = await judged_files(desk, {"app.py": patched})
        assert rules(told) == {"special-case": "needs_a_person"}, told


@pytest.mark.exhaustive
async def test_what_a_patch_does_in_hidden_words(tmp_path: Path) -> None:
    """A process whose name no reader finds is heard while the failing test runs."""
    before = HIDES + HEADING["app.py"]
    hidden = "    of('ssecorpbus', 'nur')('true')\n    n = min(n, 6)\n    return"
    async with open_desk(tmp_path, files={**FILES, **HEADING, "app.py": before}) as desk:
        patched = HIDES + HEADING["app.py"].replace("    return", hidden)
        told = await judged_files(desk, {"app.py": patched})
        assert rules(told) == {"capability-added": "needs_a_person"}, told
