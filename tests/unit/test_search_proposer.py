"""The search on small projects, with real test runners in a plain folder."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.model import (
    Cause,
    Commands,
    Limits,
    Observation,
    Problem,
    Proposal,
    Reproduction,
    SearchLimits,
    Usage,
)
from bot.model.progress import Noticed, Progress
from bot.model.steps import PlainSteps, Steps
from bot.repair.proposers.base import Task
from bot.repair.proposers.search import SearchProposer
from tests.flows.agent_world import JournaledSteps, Killed
from tests.unit.local_workbench import LocalWorkbench

WITH_PLUGINS = "python -m pytest -q -p no:cacheprovider"
PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {WITH_PLUGINS}"
UNITTEST = "python -m unittest -q"
MEAN = """\
def mean(numbers):
    # An empty list has no mean.
    if not numbers:
        return None
    return sum(numbers) / (len(numbers) + 1)
"""
TEST_MEAN = """\
from mean import mean


def test_none():
    assert mean([]) is None


def test_some():
    assert mean([1, 2, 3]) == 2


def test_zeros():
    assert mean([0, 0]) == 0
"""


async def propose(
    folder: Path,
    files: dict[str, str],
    command: str,
    *,
    protected: tuple[str, ...] = (),
    steps: Steps | None = None,
    made: dict[str, str] | None = None,
    machine: type[LocalWorkbench] = LocalWorkbench,
) -> tuple[Proposal, list[str]]:
    root, driver = (folder / name for name in ("project", "driver"))
    root.mkdir(exist_ok=True)
    driver.mkdir(exist_ok=True)
    workbench = await machine(root.resolve(), files).start()
    for name, text in (made or {}).items():  # by the setup, behind the commit
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    told: list[str] = []

    def listen(event: Progress, /) -> None:
        if isinstance(event, Noticed):
            told.append(event.text)

    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), command, command),
        reproduction=Reproduction(Cause.REAL, Observation(command, 1, timed_out=True)),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 9000,
        protected=protected,
        search=SearchLimits(400.0, 2),
    )
    charged: list[Usage] = []
    proposer = SearchProposer(folder=str(driver), root=str(root.resolve()))
    proposal = await proposer.propose(
        task, workbench, steps or PlainSteps(), listen, charged.append
    )
    assert charged == []
    return proposal, told


@pytest.mark.slow
async def test_a_logic_bug_under_pytest(tmp_path: Path) -> None:
    """The one wrong line is mended, comments stay, and the summary says how it was found."""
    proposal, told = await propose(tmp_path, {"mean.py": MEAN, "test_mean.py": TEST_MEAN}, PYTEST)
    assert proposal.patch.files == ("mean.py",)
    assert "+    return sum(numbers) / len(numbers)\n" in proposal.patch.text.replace(
        "(len(numbers))", "len(numbers)"
    )
    assert proposal.summary.startswith("In `mean.py`, line 5, the fix ")
    assert "It fixes `test_mean.py::test_some`." in proposal.summary
    assert any("edits tried" in text for text in told)
    assert "mean.py:5 (1.00)" in proposal.clues


@pytest.mark.slow
async def test_what_the_setup_made_is_not_repaired(tmp_path: Path) -> None:
    """An environment in the work tree is no source, wherever it is; the line that calls it may be."""
    files = {
        "conftest.py": "import sys\n\nsys.path.insert(0, 'deps/lib')\n",
        "mean.py": "import sums\n\n\ndef mean(numbers):\n"
        "    return sums.total(numbers) / len(numbers)\n",
        "test_mean.py": TEST_MEAN.replace("is None", "== 0").replace("[]", "[0]"),
        ".gitignore": "deps/\n",
    }
    made = {"deps/lib/sums.py": "def total(numbers):\n    return sum(numbers) + 1\n"}
    proposal, _ = await propose(tmp_path, files, PYTEST, made=made)
    assert "deps/lib/sums.py" not in proposal.patch.files
    assert not any("deps/" in clue for clue in proposal.clues)
    assert "deps/" not in proposal.summary


@pytest.mark.exhaustive
async def test_an_endless_loop_under_unittest(tmp_path: Path) -> None:
    """A test that never ends is a failing test, and candidates that never end are stopped."""
    files = {
        "count.py": (
            "def countdown(n):\n    steps = []\n    while n > 0:\n"
            "        steps.append(n)\n        n += 1\n    return steps\n"
        ),
        "test_count.py": (
            "import unittest\n\nfrom count import countdown\n\n\n"
            "class Countdown(unittest.TestCase):\n"
            "    def test_three(self):\n        self.assertEqual(countdown(3), [3, 2, 1])\n\n"
            "    def test_none(self):\n        self.assertEqual(countdown(0), [])\n"
        ),
    }
    proposal, _ = await propose(tmp_path, files, UNITTEST)
    assert "+        n -= 1\n" in proposal.patch.text


@pytest.mark.exhaustive
async def test_cases_of_unittest_under_pytest(tmp_path: Path) -> None:
    """Pytest keeps what a `TestCase` raises to itself, and that of subtests too."""
    files = {
        "mean.py": MEAN,
        "test_mean.py": (
            "import unittest\n\nfrom mean import mean\n\n\nclass Mean(unittest.TestCase):\n"
            "    def test_some(self):\n        self.assertEqual(mean([1, 2, 3]), 2)\n\n"
            "    def test_each(self):\n        for n in (0, 4):\n"
            "            with self.subTest(n=n):\n                self.assertEqual(mean([n]), n)\n\n"
            "    def test_none(self):\n        self.assertIsNone(mean([]))\n"
        ),
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert proposal.patch.files == ("mean.py",)
    assert "`test_mean.py::Mean::test_each` and `test_mean.py::Mean::test_some`" in proposal.summary


@pytest.mark.exhaustive
async def test_plugins_that_are_not_loaded_are_given_no_options(tmp_path: Path) -> None:
    """Plugins that are installed may be switched off, on the command line or in the settings."""
    files = {
        "mean.py": MEAN,
        "test_mean.py": TEST_MEAN,
        "pytest.ini": "[pytest]\naddopts = -p no:xdist\n",
    }
    proposal, _ = await propose(tmp_path, files, f"{WITH_PLUGINS} -p no:pytest_cov")
    assert proposal.patch.files == ("mean.py",)


TWO_FAULTS = {
    "pair.py": (
        "def first(items):\n    return items[1]\n\n\ndef last(items):\n    return items[-2]\n"
    ),
    "test_pair.py": (
        "from pair import first, last\n\n\n"
        "def test_first():\n    assert first([5, 6, 7]) == 5\n\n\n"
        "def test_last():\n    assert last([5, 6, 7]) == 7\n"
    ),
}


@pytest.mark.slow
async def test_two_faults_in_two_functions(tmp_path: Path) -> None:
    """Edits that mend one test each are put together."""
    proposal, _ = await propose(tmp_path, TWO_FAULTS, PYTEST)
    assert proposal.patch.text.count("\n+    return items[") == 2
    assert "It fixes `test_pair.py::test_first` and `test_pair.py::test_last`." in proposal.summary


@pytest.mark.exhaustive
async def test_the_same_tree_gets_the_same_repair(tmp_path: Path) -> None:
    """Two searches of one tree choose alike, and name the same others."""
    said = set()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        files = {"mean.py": MEAN, "test_mean.py": TEST_MEAN}
        proposal, _ = await propose(tmp_path / name, files, PYTEST)
        said.add((proposal.patch.text, proposal.summary.partition("Found by search")[0]))
    assert len(said) == 1


@pytest.mark.exhaustive
async def test_a_fault_that_shows_at_import(tmp_path: Path) -> None:
    """Tests that can't even be collected are mended too."""
    files = {
        "shapes.py": "SIDES = [4, 5]\nSIDE = SIDES[2]\n\n\ndef area():\n    return SIDE * SIDE\n",
        "test_shapes.py": "from shapes import area\n\n\ndef test():\n    assert area() == 16\n",
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert "+SIDE = SIDES[0]\n" in proposal.patch.text


@pytest.mark.exhaustive
async def test_a_constant_of_the_module(tmp_path: Path) -> None:
    """What runs at import is mended too: tests are imported anew for each such candidate."""
    files = {
        "rates.py": "HOURS = 25\n\n\ndef minutes(days):\n    return days * HOURS * 60\n",
        "test_rates.py": (
            "from rates import minutes\n\n\ndef test_two():\n    assert minutes(2) == 2880\n\n\n"
            "def test_three():\n    assert minutes(3) == 4320\n"
        ),
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert "+HOURS = 24\n" in proposal.patch.text


async def test_nothing_in_vain_is_claimed(tmp_path: Path) -> None:
    """What no edit mends stays unmended, and the clues are left to others."""
    files = {
        "far.py": "def answer():\n    return 1\n",
        "test_far.py": "from far import answer\n\n\ndef test():\n    assert answer() == 'x9#'\n",
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert not proposal.patch
    assert proposal.summary.startswith("No edit fixes a failing test")
    assert "far.py:2" in proposal.clues


async def test_protected_files_are_not_searched(tmp_path: Path) -> None:
    """A fault in a protected file is not mended there."""
    files = {"mean.py": MEAN, "test_mean.py": TEST_MEAN}
    proposal, _ = await propose(tmp_path, files, PYTEST, protected=("mean.py",))
    assert not proposal.patch


@pytest.mark.exhaustive
async def test_files_that_tests_leave_behind_stay_out(tmp_path: Path) -> None:
    """The patch is the edit alone."""
    files = {
        "mean.py": MEAN,
        "test_mean.py": f"{TEST_MEAN}\n\ndef test_log():\n    open('log.txt', 'w').write('x')\n",
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert proposal.patch.files == ("mean.py",)


async def test_other_runners_are_left_alone(tmp_path: Path) -> None:
    """A command that runs no Python tests is none of its business, and nothing is said of it."""
    proposal, told = await propose(tmp_path, {"check.sh": "exit 1\n"}, "sh check.sh")
    assert (bool(proposal.patch), proposal.summary, told) == (False, "", [])


async def test_several_plausible_patches_are_shown(tmp_path: Path) -> None:
    """Where the tests leave it open, a person sees the others and an input that tells them apart."""
    files = {
        "price.py": "def price(count):\n    return count * 2\n",
        "test_price.py": (
            "from price import price\n\n\ndef test_two():\n    assert price(2) == 6\n\n\n"
            "def test_five():\n    assert price(5) > 5\n"
        ),
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert "Other patches also pass the tests, and may behave differently:" in proposal.summary
    assert "They differ on `price(count=" in proposal.summary


@pytest.mark.slow
async def test_a_search_that_died_goes_on(tmp_path: Path) -> None:
    """After a crash no finished step runs again, and the search walks the same way."""
    files = {"mean.py": MEAN, "test_mean.py": TEST_MEAN}
    journal: list[tuple[str, object]] = []
    with pytest.raises(Killed):
        await propose(tmp_path, files, PYTEST, steps=JournaledSteps(journal, lives=4))
    done = [name for name, _ in journal]
    proposal, _ = await propose(tmp_path, files, PYTEST, steps=JournaledSteps(journal, lives=99))
    names = [name for name, _ in journal]
    assert names[: len(done)] == done
    assert "attempt 1: search: localise" in done
    assert len(names) == len(set(names))
    assert proposal.patch.files == ("mean.py",)


SLIPS = {
    "a factor left out": (
        "def wage(hours, rate, people):\n    paid = hours * rate\n    return round(paid, 2)\n",
        "assert wage(3, 12.5, 4) == 150\n    assert wage(1, 10, 1) == 10\n    assert wage(2, 5, 0) == 0",
        "assert wage(7, 2, 3) == 42",
    ),
    "arguments exchanged": (
        (
            "def part(items, first, last):\n    return items[first : last + 1]\n\n\n"
            "def wage(items, size, page):\n    return part(items, (page + 1) * size - 1, page * size)\n"
        ),
        (
            "assert wage([1, 2, 3, 4, 5], 2, 0) == [1, 2]\n    assert wage([1, 2, 3, 4, 5], 2, 2) == [5]\n"
            "    assert wage([], 3, 1) == []"
        ),
        "assert wage([7, 8, 9], 1, 1) == [8]",
    ),
    "a missing strip": (
        "def wage(line):\n    name, _, value = line.partition('=')\n    return {name: value.strip()}\n",
        (
            "assert wage('a = 1') == {'a': '1'}\n    assert wage('b=2') == {'b': '2'}\n"
            "    assert wage('long name = x y ') == {'long name': 'x y'}"
        ),
        "assert wage('  c=3') == {'c': '3'}",
    ),
    "a wrong default": (
        (
            "def wage(words):\n    counts = {}\n    for word in words:\n"
            "        counts[word] = counts.get(word, 1) + 1\n    return counts\n"
        ),
        (
            "assert wage(['a', 'b', 'a']) == {'a': 2, 'b': 1}\n    assert wage([]) == {}\n"
            "    assert wage(['c']) == {'c': 1}"
        ),
        "assert wage(['x'] * 5) == {'x': 5}",
    ),
    "a wrong accumulator": (
        (
            "def wage(numbers):\n    gains = losses = 0\n    for number in numbers:\n"
            "        if number > 0:\n            gains += number\n        else:\n"
            "            gains -= number\n    return gains, losses\n"
        ),
        (
            "assert wage([3, -2, 5]) == (8, 2)\n    assert wage([]) == (0, 0)\n"
            "    assert wage([-1, -4]) == (0, 5)"
        ),
        "assert wage([10, -7, 0]) == (10, 7)",
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SLIPS)
async def test_slips_are_repaired(tmp_path: Path, name: str) -> None:
    """A part of an expression that was lost or stands in the wrong place: the right one is found."""
    program, tests, fresh = SLIPS[name]
    files = {
        "app.py": program,
        "test_app.py": f"from app import wage\n\n\ndef test_wage():\n    {tests}\n",
    }
    proposal, _ = await propose(tmp_path, files, PYTEST)
    assert proposal.patch
    repaired: dict[str, object] = {}
    exec((tmp_path / "project" / "app.py").read_text(), repaired)
    exec(fresh, repaired)
