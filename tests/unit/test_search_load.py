"""A search on a busy machine: it tries and compares the same edits, and comes to the same patch."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.model import Failure, Observation
from bot.repair.proposers.search.evidence import SearchEvidence, SeenTest
from bot.repair.proposers.search.limits import wall_seconds
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import candidates
from bot.repair.proposers.search.trials import Trials
from tests.unit.local_workbench import LocalWorkbench
from tests.unit.test_search_laboratory import COMMAND, opened
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


@pytest.mark.parametrize(
    ("load", "left", "seconds"),
    [(0.2, 1800.0, 600.0), (2.0, 1800.0, 1200.0), (9.0, 1800.0, 1440.0)],
)
def test_a_busy_machine_has_more_time(load: float, left: float, seconds: float) -> None:
    """A search that gets a third of a processor takes three times as long for the same edits."""
    assert wall_seconds(600.0, load=load, left=left) == seconds


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


class _Late(_Watched):
    """A machine on which collecting needs 240 of a search's 400 seconds before a test runs."""

    late = 240.0

    async def write_file(self, path: str, data: bytes) -> None:
        if path.endswith("request.json"):
            request = json.loads(data)
            if request["act"] == "collect":
                request["seconds"] = max(0.0, request["seconds"] - self.late)
                data = json.dumps(request).encode()
        await super().write_file(path, data)

    async def read_file(self, path: str) -> bytes:
        data = await super().read_file(path)
        if path.endswith("answer.json"):
            answer = json.loads(data)
            if "counted" in answer:
                answer["seconds"] += self.late
                return json.dumps(answer).encode()
        return data


class _Sluggish(_Watched):
    """A machine on which every step takes 30 seconds before anything is tried, and then its time."""

    given = 0.0

    async def write_file(self, path: str, data: bytes) -> None:
        if path.endswith("request.json"):
            request = json.loads(data)
            self.given = request["seconds"] if request["act"] in {"warm", "cold"} else 0.0
            with self.directory.parent.joinpath("given").open("a") as kept:
                kept.write(f"{request['act']} {self.given}\n")
        await super().write_file(path, data)

    async def read_file(self, path: str) -> bytes:
        data = await super().read_file(path)
        if path.endswith("answer.json") and self.given:
            return json.dumps({**json.loads(data), "seconds": self.given + 30}).encode()
        return data


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


@pytest.mark.slow
async def test_a_busy_machine_finds_the_same(tmp_path: Path) -> None:
    """Tests take longer and clocks run faster, so that a search needs more steps: it tries the same."""
    quiet = await _searched(tmp_path / "quiet", 0.0, _Watched)
    busy = await _searched(tmp_path / "busy", 0.02, _Slow)
    late = await _searched(tmp_path / "late", 0.0, _Late)
    assert len(quiet["results"]) > 300
    assert quiet == busy
    assert quiet == late


@pytest.mark.exhaustive
async def test_a_busy_machine_sees_the_same_lines(tmp_path: Path) -> None:
    """How long the failing command took before says nothing of what is looked at in it."""
    files = {
        "sums.py": "def total(count):\n    found = 0\n    for n in range(count):\n"
        "        found += sum(range(n % 9))\n    return found - 1\n",
        "test_sums.py": "from sums import total\n\n\ndef test_none():\n    assert total(0) == 0\n\n\n"
        "def test_many():\n    assert total(1_200_000) == 11_199_973\n\n\n"
        "def test_some():\n    assert total(600_000) == 5_599_963\n",
    }
    quiet = Observation(COMMAND, 1, seconds=0.0)
    _, seen = await opened(tmp_path / "quiet", files, observation=quiet)
    _, busy = await opened(tmp_path / "busy", files, observation=replace(quiet, seconds=90.0))
    assert {test.outcome for test in seen.tests.values()} == {"failed", "passed"}
    assert seen.counted == busy.counted
    assert seen.noted == busy.noted
    assert sum(seen.lines_run.values()) > 2_000_000


async def test_a_step_is_worth_its_start(tmp_path: Path) -> None:
    """Where starting takes long, a step tries longer: else a busy machine would do little else."""
    files = {
        "one.py": "def one(number):\n    return number + 1\n",
        "test_one.py": "from one import one\n\n\ndef test_one():\n    assert one(3) == object()\n",
    }
    await propose(tmp_path, files, PYTEST, machine=_Sluggish)
    given = [line.split() for line in (tmp_path / "given").read_text().splitlines()]
    tried = [float(seconds) for act, seconds in given if act in {"warm", "cold"}]
    assert tried[:2] == [5.0, 150.0]


@pytest.mark.slow
async def test_of_a_long_suite_the_nearest_tests_are_run(tmp_path: Path) -> None:
    """So many of them, in their order, where it is known which ones fail; else all."""
    checks = "".join(f"\n\ndef test_{n}():\n    assert total([{n}]) == {n}\n" for n in range(300))
    files = {
        "sums.py": "def total(numbers):\n    return sum(numbers) if numbers else 1\n",
        **{f"{name}.py": f"from sums import total{checks}" for name in ("test_a", "test_c")},
        "test_b.py": "from sums import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\n"
        "def test_few():\n    assert total([1]) == 1\n",
    }
    known = Observation(COMMAND, 1, failing=(Failure("test_b::test_none"),))
    _, some = await opened(tmp_path / "known", files, observation=known)
    assert len(some.tests) == 500
    assert some.missed == 0
    assert [test.id for test in some.failing] == ["test_b.py::test_none"]
    assert "test_b.py::test_few" in {test.id for test in some.passing}
    other = replace(known, failing=(*known.failing, Failure("test_z::test_gone")))
    _, every = await opened(tmp_path / "unknown", files, observation=other)
    assert len(every.tests) == 602


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
