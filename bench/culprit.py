"""Name the commit since which a test fails, in histories where it is known.

    python -m bench.culprit [--walks N] [--seed N] [--histories N] [--length N] [--mirrors DIR] [--answers DIR]

Walks: the decisions alone, in planted histories with every rate of random failures. Histories:
`fixpoint explain` on generated repositories, some of whose commits can't be installed, and on public
projects with a planted fault (clones are `owner+name` below `--mirrors`), and beside it `git bisect run`
with the script that a person would write. With `--answers`, rows are kept there and not measured again.
The exit code is 1 if a wrong commit is called proven.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from bench.case import mirror_of
from bench.planted import FAULTS, Planted, generated, infected, planted, run_git
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table
from bot.model.culprit import RunCounts
from bot.repair.culprit.bisection import Boundary, StateLine, StateRun, next_question

NOISE = (0.0, 0.05, 0.1, 0.2)
"""Shares of runs in which the test fails by chance, whatever the commit."""

RATES = ((0.0, 0.6), (0.0, 0.4), (0.1, 0.6), (0.2, 0.6))
"""How often a test may fail without the change and with it."""

_THIRD = 3
"""The step from which on environments are warm."""

_BY_HAND = """\
date +%s.%N >> ../steps
test -x ../env/bin/python || {{ python3 -m venv ../env && ../env/bin/pip install -q pytest; }} || exit 125
../env/bin/pip install -q -e . || exit 125
../env/bin/python -m pytest -q -p no:cacheprovider {}
"""
"""What skips a commit that can't be installed: https://git-scm.com/docs/git-bisect."""

_STEP = re.compile(r"Step (\d+) of about")
_DECIDING = "looking for the lines of it that decide"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search came to: the place that it names, how sure, and what it cost.

    Attributes:
        named: The place; None for nothing.
        proven: Whether that is called proven.
        states: That were looked at.
        runs: Of the tests.
        later_runs: Those from the third step on.
        later_seconds: What these took.
        seconds: All of it.
    """

    named: int | None
    proven: bool
    states: int
    runs: int
    later_runs: int = 0
    later_seconds: float = 0.0
    seconds: float = 0.0


def main() -> int:
    """Measure; return whether a wrong commit was called proven."""
    parser = argparse.ArgumentParser(prog="python -m bench.culprit", description=__doc__)
    parser.add_argument("--walks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--histories", type=int, default=5)
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--answers", type=Path)
    asked = parser.parse_args()
    print_machine()
    wrong = _walks(asked.walks, asked.length, asked.seed) if asked.walks else 0
    wrong += _histories(asked.histories, asked.length, asked.mirrors, asked.answers)
    return int(wrong > 0)


def _walks(walks: int, length: int, seed: int) -> int:
    chance = random.Random(seed)
    rows, wrong = [], 0
    for noise in NOISE:
        for green in (True, False):
            told = []
            for _ in range(walks):
                history = planted(chance, length, noise, green=green)
                told.append((history.culprit, _walked(history, chance)))
            rows.append(_row(f"{noise:.0%}, {'good given' if green else 'nothing given'}", told))
            wrong += _wrong(told)
    for noise, rate in RATES:
        told = []
        for _ in range(walks):
            history = planted(chance, length, noise)
            told.append((history.culprit, _walked(history, chance, rate)))
        rows.append(_row(f"{noise:.0%}, and {rate:.0%} with the change", told))
        wrong += _wrong(told)
    head = ("random failures", "right, proven", "wrong, proven", "likely", "states", "most", "runs")
    print_table(f"{walks} walks through {length} commits, seed {seed}", head, rows)
    return wrong


def _walked(history: Planted, chance: random.Random, rate: float = 1.0) -> Outcome:
    newest = history.length - 1
    seen, lost, looked, runs = {newest: RunCounts(failed=2)}, set[int](), set[int](), 0
    while True:
        good = 0 if history.green else None
        answer = next_question(StateLine(history.length, seen, frozenset(lost), good))
        if isinstance(answer, Boundary):
            return Outcome(answer.red, answer.is_sure, len(looked), runs)
        if not isinstance(answer, StateRun):
            return Outcome(None, proven=False, states=len(looked), runs=runs)
        if answer.place in history.uninstallable:
            lost.add(answer.place)
            continue
        looked.add(answer.place)
        runs += 1
        share = rate if answer.place >= history.culprit else history.noise
        fails = share == 1.0 or chance.random() < share
        before = seen.get(answer.place, RunCounts())
        seen[answer.place] = RunCounts(before.failed + fails, before.passed + (not fails))


def _row(name: str, told: Sequence[tuple[int, Outcome]]) -> tuple[str, ...]:
    proven = [(culprit, outcome) for culprit, outcome in told if outcome.proven]
    right = sum(outcome.named == culprit for culprit, outcome in proven)
    states = [outcome.states for _, outcome in told]
    runs = sum(outcome.runs for _, outcome in told) / len(told)
    return (
        name,
        str(right),
        str(_wrong(told)),
        str(len(told) - len(proven)),
        f"{sum(states) / len(states):.1f}",
        str(max(states)),
        f"{runs:.1f}",
    )


def _wrong(told: Sequence[tuple[int, Outcome]]) -> int:
    return sum(outcome.proven and outcome.named != culprit for culprit, outcome in told)


def _histories(many: int, length: int, mirrors: Path | None, kept: Path | None) -> int:
    chance = random.Random(36)
    chosen = [planted(chance, length, noise) for noise in (*(0.0,) * many, *NOISE[1:])]
    asked: list[tuple[str, int, str, Callable[[Path], list[str]]]] = [
        (each.name, each.culprit, "tests", partial(generated, history=each))
        for each in (chosen if many else ())
    ]
    if mirrors is not None:
        asked += [
            (
                each.name,
                each.culprit,
                each.tests,
                partial(infected, clone=mirror_of(each.repo, mirrors.absolute()), fault=each),
            )
            for each in FAULTS
        ]
    rows, told = [], []
    for n, (name, culprit, tests, make) in enumerate(asked):
        ours, theirs = _both(kept / f"{n}.json" if kept is not None else None, make, tests)
        told.append((culprit, ours))
        rows.append((name, *_columns(culprit, ours), *_columns(culprit, theirs)))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    columns = ("answer", "runs", "from step 3", "each", "whole")
    head = ("history", *columns, *(f"bisect: {column}" for column in columns))
    if rows:
        print_table("`fixpoint explain` beside `git bisect run`", head, rows)
    return _wrong(told)


def _both(
    file: Path | None, make: Callable[[Path], list[str]], tests: str
) -> tuple[Outcome, Outcome]:
    if file is not None and file.exists():
        ours, theirs = json.loads(file.read_text("utf-8"))
        return Outcome(**ours), Outcome(**theirs)
    with tempfile.TemporaryDirectory(prefix="fixpoint-culprit-") as name:
        scratch = Path(name)
        commits = make(scratch / "w")
        ours = _explained(scratch, commits, tests)
        theirs = _bisected(scratch, commits, tests)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([asdict(ours), asdict(theirs)]), "utf-8")
    return ours, theirs


def _columns(culprit: int, outcome: Outcome) -> tuple[str, ...]:
    right = "nothing" if outcome.named is None else ("wrong", "right")[outcome.named == culprit]
    each = outcome.later_seconds / max(1, outcome.later_runs)
    return (
        f"{right}{', proven' if outcome.proven else ''}",
        str(outcome.runs),
        f"{outcome.later_seconds:.0f} s",
        f"{each:.1f} s",
        f"{outcome.seconds:.0f} s",
    )


def _explained(scratch: Path, commits: list[str], tests: str) -> Outcome:
    began = time.monotonic()
    environment = {**without_settings(), "FIXPOINT_DATA": str(scratch / "data")}
    test = f"python -m pytest -q -p no:cacheprovider {tests}"
    command = (FIXPOINT, "explain", str(scratch / "w"), "--good", commits[0], "--test", test)
    steps: list[float] = []
    ended, said = 0.0, []
    with (
        (scratch / "found.json").open("wb") as out,
        subprocess.Popen(
            (*command, "--json"), env=environment, stdout=out, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if _STEP.search(line):
                steps.append(time.monotonic())
            elif _DECIDING in line:
                ended = ended or time.monotonic()
    over = time.monotonic()
    text = (scratch / "found.json").read_text("utf-8")
    if not text:  # a random failure that did not show again, say
        print("".join(said)[-400:], file=sys.stderr)
        return Outcome(None, proven=False, states=0, runs=0, seconds=over - began)
    found = json.loads(text)
    ran = [point for point in found["points"] if not point["skipped"]]
    named = found["culprits"][0] if found["culprits"] else None
    later = steps[_THIRD - 1 :]
    return Outcome(
        commits.index(named["event"]["name"]) if named else None,
        named is not None and named["certainty"] == "proven",
        len(ran) - 1,
        len(steps),
        len(later),
        (ended or over) - later[0] if later else 0.0,
        over - began,
    )


def _bisected(scratch: Path, commits: list[str], tests: str) -> Outcome:
    folder, began = scratch / "w", time.monotonic()
    script = scratch / "by_hand.sh"
    script.write_text(_BY_HAND.format(tests), "utf-8")
    run_git(folder, "bisect", "start", "--first-parent", commits[-1], commits[0])
    done = subprocess.run(
        ["git", "bisect", "run", "sh", str(script)],
        cwd=folder, env=without_settings(), capture_output=True, check=False,
    )  # fmt: skip
    over = time.time()
    steps = [float(line) for line in (scratch / "steps").read_text("utf-8").split()]
    later = steps[_THIRD - 1 :]
    named = [
        line.split()[0]
        for line in done.stdout.decode().splitlines()
        if line.endswith("is the first bad commit")
    ]
    return Outcome(
        commits.index(named[0]) if named else None,
        proven=False,
        states=len(steps),
        runs=len(steps),
        later_runs=len(later),
        later_seconds=over - later[0] if later else 0.0,
        seconds=time.monotonic() - began,
    )


if __name__ == "__main__":
    sys.exit(main())
