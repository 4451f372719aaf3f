"""Name the commit since which a test fails, in histories where it is known.

    python -m bench.culprit [--histories N] [--walks N] [--length N]

Walks: the decisions alone, in planted histories with every rate of random failures. Histories:
`fixpoint explain` on generated repositories, some of whose commits can't be installed, and beside it
`git bisect run` with the script that a person would write. The exit code is 1 if a wrong commit is
called proven.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table
from bot.model.culprit import RunCounts
from bot.repair.culprit.walk import Boundary, RunTests, StateLine, next_question

NOISE = (0.0, 0.05, 0.1, 0.2)
"""Shares of runs in which the test fails by chance, whatever the commit."""

_SOUND = "def total(items):\n    return sum(items)\n"
_BROKEN = "def total(items):\n    return sum(items) - 1\n"
_SETUP = "import setuptools\n{}\nsetuptools.setup(name='shop', version='1', py_modules=['shop'])\n"
_TEST = """\
import random

from shop import total


def test_total():
    assert random.SystemRandom().random() >= {}
    assert total([1, 2, 3]) == 6
"""
_BY_HAND = """\
rm -rf ../env && python3 -m venv --system-site-packages ../env || exit 125
../env/bin/pip install -q --no-deps --no-build-isolation -e . || exit 125
../env/bin/python -m pytest -q -p no:cacheprovider
"""
"""What skips a commit that can't be installed: https://git-scm.com/docs/git-bisect."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A history and what is true of it.

    Attributes:
        length: Commits.
        culprit: Place of the first bad one.
        noise: Share of runs that fail by chance.
        uninstallable: Places.
        green: Whether the oldest commit is said to be good.
    """

    length: int
    culprit: int
    noise: float
    uninstallable: frozenset[int] = frozenset()
    green: bool = True


@dataclass(frozen=True, slots=True)
class TestsOutcome:
    """What a search came to: the place that it names, how sure, and what it cost."""

    named: int | None
    proven: bool
    steps: int
    runs: int
    seconds: float = 0.0


def main() -> int:
    """Measure; return whether a wrong commit was called proven."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=200)
    parser.add_argument("--histories", type=int, default=1)
    parser.add_argument("--length", type=int, default=200)
    asked = parser.parse_args()
    print_machine()
    wrong = _walks(asked.walks, asked.length)
    wrong += _histories(asked.histories, asked.length)
    return int(wrong > 0)


def planted(chance: random.Random, length: int, noise: float, *, green: bool = True) -> Planted:
    """Return a history whose culprit may be anywhere; in every second one commits can't be installed."""
    culprit = chance.randrange(1, length)
    away = frozenset({0, culprit - 1, culprit, length - 1})
    begin, many = chance.randrange(length), chance.choice((0, 8))
    lost = frozenset(range(begin, min(begin + many, length))) - away
    return Planted(length, culprit, noise, lost, green)


def _walks(walks: int, length: int) -> int:
    chance = random.Random(36)
    rows, wrong = [], 0
    for noise in NOISE:
        for green in (True, False):
            told = []
            for _ in range(walks):
                history = planted(chance, length, noise, green=green)
                told.append((history, _walked(history, chance)))
            rows.append(_row(f"{noise:.0%}, {'good given' if green else 'nothing given'}", told))
            wrong += _wrong(told)
    head = ("random failures", "right, proven", "wrong, proven", "likely", "steps", "most", "runs")
    print_table(f"{walks} walks through {length} commits", head, rows)
    return wrong


def _walked(history: Planted, chance: random.Random) -> TestsOutcome:
    newest = history.length - 1
    seen, lost, looked, runs = {newest: RunCounts(failed=2)}, set[int](), set[int](), 0
    while True:
        good = 0 if history.green else None
        answer = next_question(StateLine(history.length, seen, frozenset(lost), good))
        if isinstance(answer, Boundary):
            return TestsOutcome(answer.red, answer.is_sure, len(looked), runs)
        if not isinstance(answer, RunTests):
            return TestsOutcome(None, proven=False, steps=len(looked), runs=runs)
        if answer.place in history.uninstallable:
            lost.add(answer.place)
            continue
        looked.add(answer.place)
        runs += 1
        fails = answer.place >= history.culprit or chance.random() < history.noise
        before = seen.get(answer.place, RunCounts())
        seen[answer.place] = RunCounts(before.failed + fails, before.passed + (not fails))


def _row(name: str, told: list[tuple[Planted, TestsOutcome]]) -> tuple[str, ...]:
    proven = [(history, outcome) for history, outcome in told if outcome.proven]
    right = sum(outcome.named == history.culprit for history, outcome in proven)
    steps = [outcome.steps for _, outcome in told]
    runs = sum(outcome.runs for _, outcome in told) / len(told)
    return (
        name,
        str(right),
        str(_wrong(told)),
        str(len(told) - len(proven)),
        f"{sum(steps) / len(steps):.1f}",
        str(max(steps)),
        f"{runs:.1f}",
    )


def _wrong(told: list[tuple[Planted, TestsOutcome]]) -> int:
    return sum(outcome.proven and outcome.named != history.culprit for history, outcome in told)


def _histories(histories: int, length: int) -> int:
    chance = random.Random(36)
    rows, wrong = [], 0
    for noise in NOISE:
        for _ in range(histories):
            history = planted(chance, length, noise)
            with tempfile.TemporaryDirectory() as folder:
                commits = _generated(Path(folder) / "shop", history)
                ours = _explained(Path(folder), commits)
                theirs = _bisected(Path(folder) / "shop", commits)
            wrong += _wrong([(history, ours)])
            rows.append(
                (
                    f"{noise:.0%}, culprit {history.culprit}, {len(history.uninstallable)} lost",
                    _said(history, ours),
                    str(ours.steps),
                    f"{ours.seconds:.0f} s",
                    _said(history, theirs),
                    str(theirs.steps),
                    f"{theirs.seconds:.0f} s",
                )
            )
    head = ("history", "explain", "steps", "time", "git bisect run", "steps", "time")
    print_table(f"Generated repositories of {length} commits, one after the other", head, rows)
    return wrong


def _said(history: Planted, outcome: TestsOutcome) -> str:
    if outcome.named is None:
        return "nothing"
    right = "right" if outcome.named == history.culprit else "wrong"
    return f"{right}, {'proven' if outcome.proven else 'not proven'}"


def _git(folder: Path, *arguments: str, stdin: bytes | None = None) -> str:
    names = {
        f"GIT_{who}_{what}": "bench@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder, env={**os.environ, **names}, input=stdin, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode()


def _generated(folder: Path, history: Planted) -> list[str]:
    """Make the repository and return its commits, the oldest first."""
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    stream = []
    for n in range(history.length):
        lost = "raise SystemExit('broken')" if n in history.uninstallable else ""
        files = {
            "shop.py": f"{_BROKEN if n >= history.culprit else _SOUND}\n\nVERSION = {n}\n",
            "setup.py": _SETUP.format(lost),
            "tests/test_total.py": _TEST.format(history.noise),
        }
        stream.append(
            f"commit refs/heads/main\ncommitter B <b@example.com> {1_700_000_000 + n * 3600} +0000\n"
        )
        stream.append(f"data <<END\nChange {n}\nEND\n")
        stream += [
            f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in files.items()
        ]
    _git(folder, "fast-import", "--quiet", stdin="".join(stream).encode())
    _git(folder, "reset", "-q", "--hard", "main")
    return _git(folder, "rev-list", "--reverse", "main").split()


def _explained(folder: Path, commits: list[str]) -> TestsOutcome:
    began = time.monotonic()
    environment = {**without_settings(), "FIXPOINT_DATA": str(folder / "data")}
    done = subprocess.run(
        [FIXPOINT, "explain", str(folder / "shop"), "--good", commits[0], "--json"],
        env=environment, capture_output=True, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - began
    if not done.stdout:  # a random failure that did not show again, say
        print(done.stderr.decode()[-400:], file=sys.stderr)
        return TestsOutcome(None, proven=False, steps=0, runs=0, seconds=seconds)
    found = json.loads(done.stdout)
    ran = [point for point in found["points"] if not point["skipped"]]
    runs = sum(sum(point["runs"].values()) for point in ran)
    named = found["culprits"][0] if found["culprits"] else None
    place = commits.index(named["event"]["name"]) if named else None
    proven = named is not None and named["certainty"] == "proven"
    return TestsOutcome(place, proven, len(ran) - 1, runs, seconds)


def _bisected(folder: Path, commits: list[str]) -> TestsOutcome:
    began = time.monotonic()
    script = folder.parent / "by_hand.sh"
    script.write_text(_BY_HAND, "utf-8")
    _git(folder, "bisect", "start", commits[-1], commits[0])
    done = subprocess.run(
        ["git", "bisect", "run", "sh", str(script)], cwd=folder, capture_output=True, check=False
    )
    seconds = time.monotonic() - began
    log = _git(folder, "bisect", "log")
    steps = sum(line.startswith(("git bisect good", "git bisect bad")) for line in log.splitlines())
    named = [
        line.split()[0]
        for line in done.stdout.decode().splitlines()
        if line.endswith("is the first bad commit")
    ]
    place = commits.index(named[0]) if named else None
    return TestsOutcome(place, proven=False, steps=steps, runs=steps, seconds=seconds)


if __name__ == "__main__":
    sys.exit(main())
