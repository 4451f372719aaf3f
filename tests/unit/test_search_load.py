"""A search on a busy machine: it tries and compares the same edits, and comes to the same patch."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.repair.proposers.search.evidence import SearchEvidence, SeenTest
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import candidates
from bot.repair.proposers.search.trials import Trials
from tests.unit.local_workbench import LocalWorkbench
from tests.unit.test_search_proposer import PYTEST, propose

_PROGRAM = """\
def price(count, each, member):
    total = count * each
    if member and count > 10:
        total = total - 5
    return total
"""
_TESTS = """\
import time

import pytest

from prices import price


@pytest.fixture(autouse=True)
def busy():
    time.sleep({pause})


@pytest.mark.parametrize("count", range(8, 13))
def test_members(count):
    assert price(count, 3, True) == count * 3 - (5 if count >= 10 else 0)


def test_others():
    assert price(10, 4, False) == 40
"""


class _Watched(LocalWorkbench):
    """Keeps what the driver is asked and what it answers."""

    clock = 1.0
    """How many times slower than it is the machine says that it is."""

    async def read_file(self, path: str) -> bytes:
        data = await super().read_file(path)
        if not path.endswith("answer.json"):
            return data
        answer = json.loads(data)
        with self.directory.parent.joinpath("answers").open("a") as kept:
            kept.write(json.dumps(answer) + "\n")
        if "seconds" in answer:
            answer["seconds"] *= self.clock
        return json.dumps(answer).encode()


class _Slow(_Watched):
    clock = 4.0


async def _searched(folder: Path, pause: float, machine: type[_Watched]) -> dict[str, Any]:
    """Return what a search found out, without what it says of time."""
    folder.mkdir()
    files = {"prices.py": _PROGRAM, "test_prices.py": _TESTS.format(pause=pause)}
    proposal, _ = await propose(folder, files, PYTEST, machine=machine)
    answers = [json.loads(line) for line in folder.joinpath("answers").read_text().splitlines()]
    assert proposal.assurance is not None
    return {
        "tests": [
            {**test, "seconds": 0, "waited": 0}
            for answer in answers
            for test in answer.get("tests", ())
        ],
        "noted": [answer["noted"] for answer in answers if "noted" in answer],
        "results": dict(
            result
            for answer in answers
            if "results" in answer
            for result in answer["results"].items()
        ),
        "compared": [answer["compared"] for answer in answers if answer.get("compared")][-1],
        "patch": proposal.patch.text,
        "assurance": proposal.assurance,
        "summary": re.sub(r"in [\d.,]+ (s|min)\b.*", "", proposal.summary),
    }


async def test_a_busy_machine_finds_the_same(tmp_path: Path) -> None:
    """Tests take longer and clocks run faster, so that a search needs more steps: it tries the same."""
    quiet = await _searched(tmp_path / "quiet", 0.0, _Watched)
    busy = await _searched(tmp_path / "busy", 0.02, _Slow)
    assert len(quiet["results"]) > 300
    assert quiet == busy


def test_what_is_asked_hangs_on_no_clock() -> None:
    """Which tests an edit has to pass, and in which order, whatever they waited for and how they did it."""
    tests = {
        n: SeenTest(n, f"test_prices.py::test_{n}", "test_prices.py", "passed", 0.001, None)
        for n in range(300)
    }
    tests |= {n: replace(tests[n], outcome="failed") for n in (0, 5, 9)}
    lines = frozenset(("prices.py", line) for line in range(2, 6))
    quiet = SearchEvidence(
        tests=tests,
        counted={0: {"prices.py": {2: 90}}, 5: {"prices.py": {2: 1}}, 9: {"prices.py": {2: 8}}},
        noted={n: lines for n, test in tests.items() if not test.bad},
        sources={"prices.py": _PROGRAM},
    )
    slowly = {
        n: replace(test, waited=7.0 * (n % 3), seconds=0.001 * (1 + n % 9))
        for n, test in tests.items()
    }
    busy = replace(quiet, tests=slowly)
    queue = candidates(quiet, [Suspect("prices.py", 3, 1.0, ())])
    first, second = (Trials(evidence).request(queue) for evidence in (quiet, busy))
    limits = {"limits", "limit", "waits"}
    assert first["failing"] == [f"test_prices.py::test_{n}" for n in (5, 9, 0)]
    assert {k: v for k, v in first.items() if k not in limits} == {
        k: v for k, v in second.items() if k not in limits
    }
