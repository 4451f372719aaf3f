"""Name the pull request of a merge group with which a test fails, beside a test that comes and goes.

    python -m bench.merge_groups [--groups N] [--seed N] [--size N] [--simulated N]

Each group is a real git repository: a base and pull requests on top of each other, squashed, merged or
rebased, one of which breaks a test in one of three ways; another test fails by chance, and failed in the
run that is looked into, too. All runs are made in sandboxes. With `--simulated`, the decisions
alone go through as many groups at each rate, first. The exit code is 1 if a pull request that is not
the cause is named, or the cause is told that it is none.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from bench.tables import print_machine, print_table
from bot.commands.local_run import local_run
from bot.model import Limits, Observation, Patch, Problem
from bot.model.culprit import RunCounts, StateResults
from bot.model.merge_group import GroupFinding, MergeGroup, QueueEntry
from bot.repair.culprit.bisection import SeenRuns
from bot.repair.culprit.explain import explain
from bot.repair.culprit.explained_failure import ExplainedFailure
from bot.repair.culprit.group_plan import GroupRuns, RunEntries, next_step
from bot.repair.culprit.merge_groups import look_at_group
from bot.repair.job import Job
from bot.repair.preparation.config import without_repair
from bot.repair.preparation.prepare import prepare
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.checkouts import LocalCheckout
from bot.settings.environment import load_local_settings

RATES = (0.1, 0.3, 0.5)
"""How often the flaky test fails."""

METHODS = ("squash", "merge", "rebase")

SHOP = "def total(prices):\n    return sum(prices)\n\n\ndef name(text):\n    return text.strip()\n"
TESTS = """\
import os
import unittest

import shop


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)

    def test_name(self):
        self.assertEqual(shop.name(" a "), "a")

    def test_limit(self):
        self.assertLess(int(open("limit.txt").read()), 10)

    def test_now_and_then(self):
        self.assertGreaterEqual(int.from_bytes(os.urandom(4), "big") / 2**32, {rate})
"""
COMMAND = "python3 -m unittest -v"
_TRIES = 200
_MOST = 5
"""Combinations of a group, besides the group itself and its base."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a group came to.

    Attributes:
        named: Places that are called the cause, with proof.
        likely: Places that are called likely.
        cleared: Whether exactly the others are told that they are not.
        wrongly: Whether the cause is.
        combinations: That were run, the group and its base left out.
        runs: Of the failing command, from which the answer follows.
    """

    named: tuple[int, ...] = ()
    likely: tuple[int, ...] = ()
    cleared: bool = False
    wrongly: bool = False
    combinations: int = 0
    runs: int = 0


def main() -> int:
    """Measure; return whether somebody was named or cleared wrongly."""
    parser = argparse.ArgumentParser(prog="python -m bench.merge_groups", description=__doc__)
    parser.add_argument("--groups", type=int, default=30)
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--simulated", type=int, default=0)
    asked = parser.parse_args()
    print_machine()
    if asked.simulated:
        _print(asked.size, _simulated(asked.simulated, asked.size))
    rows: list[tuple[float, int, Outcome]] = []
    for n in range(asked.groups):
        chance = random.Random(asked.seed * 1000 + n)
        rate, culprit = RATES[n % len(RATES)], chance.randrange(asked.size)
        with tempfile.TemporaryDirectory() as folder:
            group = _planted(Path(folder) / "w", asked.size, culprit, rate, chance)
            outcome = asyncio.run(_looked_into(Path(folder), group, culprit))
        rows.append((rate, culprit, outcome))
        print(f"group {n + 1}: #{culprit + 1} at {rate:.0%}: {outcome}", flush=True)
    _print(asked.size, rows)
    return int(any(_wrong(culprit, outcome) for _, culprit, outcome in rows))


def _print(size: int, rows: list[tuple[float, int, Outcome]]) -> None:
    if not rows:
        return
    print_table(
        f"Groups of {size}: one pull request breaks a test, another test fails by chance",
        ("Flaky in", "Groups", "Named", "Named wrongly", "Others cleared", "Combinations", "Runs"),
        [_row(f"{rate:.0%}", _outcomes(rows, rate)) for rate in sorted({row[0] for row in rows})],
    )


def _simulated(groups: int, size: int) -> list[tuple[float, int, Outcome]]:
    """Return what the plan alone comes to, with both tests in question."""
    rows = []
    for rate in (*RATES, 0.7, 0.9):
        for n in range(groups):
            chance, culprit, ran = random.Random(n), n % size, list[frozenset[int]]()
            tests = ("broken", "flaky") if n % 2 else ("flaky", "broken")
            group = GroupRuns(size, SeenRuns(tests), base_passed=True)
            while isinstance(step := next_step(group), RunEntries):
                ran.append(step.entries)
                failing = {"broken"} if culprit in step.entries else set()
                failing |= {"flaky"} if chance.random() < rate else set()
                told = StateResults(frozenset(failing), frozenset({"broken", "flaky"} - failing))
                group.runs.add(step.entries, told)
            places = (place for cause in step.causes for place in cause.entries)
            cleared = step.cleared(size)
            others = frozenset(range(size)) - {culprit}
            states = set(ran) - {group.whole, frozenset()}
            rows.append(
                (
                    rate,
                    culprit,
                    Outcome(
                        tuple(places),
                        (),
                        cleared == others,
                        culprit in cleared,
                        len(states),
                        len(ran),
                    ),
                )
            )
    return rows


def _outcomes(rows: list[tuple[float, int, Outcome]], rate: float) -> list[tuple[int, Outcome]]:
    """Return the outcomes at a rate, each with the place of the cause."""
    return [(culprit, outcome) for at, culprit, outcome in rows if at == rate]


def _wrong(culprit: int, outcome: Outcome) -> bool:
    return outcome.wrongly or any(place != culprit for place in outcome.named + outcome.likely)


def _row(name: str, told: list[tuple[int, Outcome]]) -> tuple[str, ...]:
    most = max((outcome.combinations for _, outcome in told), default=0)
    few = sum(outcome.combinations <= _MOST for _, outcome in told)
    runs = sorted(outcome.runs for _, outcome in told)
    return (
        name,
        str(len(told)),
        str(sum(outcome.named == (culprit,) for culprit, outcome in told)),
        str(sum(_wrong(culprit, outcome) for culprit, outcome in told)),
        str(sum(outcome.cleared for _, outcome in told)),
        f"at most {_MOST} in {few}, most {most}",
        f"{runs[len(runs) // 2]} (most {runs[-1]})" if runs else "",
    )


def _planted(root: Path, size: int, culprit: int, rate: float, chance: random.Random) -> MergeGroup:
    """Make a repository whose HEAD is a group's, and return the group."""
    root.mkdir()
    _git(root, "init", "--quiet", "--initial-branch=main")
    files = {"shop.py": SHOP, "test_shop.py": TESTS.format(rate=rate), "limit.txt": "5\n"}
    parent, method = _commit(root, "Base", files), chance.choice(METHODS)
    entries = []
    for place in range(size):
        change = {f"part_{place}.py": f"NUMBER = {place}\n"}
        if place == culprit:
            change |= _fault(place, chance)
        head = _added(root, place, change, method)
        entries.append(QueueEntry(place + 1, parent, head))
        parent = head
    return MergeGroup("main", tuple(entries))


def _fault(place: int, chance: random.Random) -> dict[str, str]:
    """Return a change that breaks a test: in the product, in its data, or with a test that it brings."""
    brought = "import unittest\n\nimport part_{n}\n\n\nclass Part(unittest.TestCase):\n    def test_part(self):\n        self.assertEqual(part_{n}.NUMBER, 100)\n"
    faults = (
        {"shop.py": SHOP.replace("sum(prices)", "sum(prices) + 1")},
        {"limit.txt": "50\n"},
        {f"test_part_{place}.py": brought.format(n=place)},
    )
    return chance.choice(faults)


def _added(root: Path, place: int, change: dict[str, str], method: str) -> str:
    """Add a pull request to the queue as its method does, and return its commit."""
    subject = f"Change {place} (#{place + 1})"
    if method == "squash":
        return _commit(root, subject, change)
    if method == "rebase":
        _commit(root, f"Begin {place}", {f"note_{place}.txt": "begun\n"})
        return _commit(root, subject, change)
    _git(root, "checkout", "--quiet", "-b", f"work-{place}")
    _commit(root, f"Change {place}", change)
    _git(root, "checkout", "--quiet", "main")
    _git(root, "merge", "--quiet", "--no-ff", f"--message={subject}", f"work-{place}")
    return _git(root, "rev-parse", "HEAD")


def _commit(root: Path, subject: str, files: dict[str, str]) -> str:
    for name, text in files.items():
        (root / name).write_text(text, "utf-8")
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", f"--message={subject}")
    return _git(root, "rev-parse", "HEAD")


def _git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Planter", "-c", "user.email=planter@example.com")
    done = subprocess.run(
        ("git", *who, *arguments), cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


async def _looked_into(folder: Path, group: MergeGroup, culprit: int) -> Outcome:
    job = Job(
        "merge" + os.urandom(3).hex(),
        Problem(),
        Limits(seconds=3600.0),
        setup=("true",),
        test=COMMAND,
        failing=COMMAND,
    )
    job = replace(without_repair(job), group=group, explain_seconds=3000.0)
    checkout = LocalCheckout(folder / "w", folder / "scratch")
    async with local_run(job, load_local_settings(os.environ), folder / "data", None) as run:
        context = await prepare(run, checkout)
        red = await _both_red(run, context)
        tests = tuple(sorted(red.failing_ids))
        question = ExplainedFailure(red, tests, seconds=job.explain_seconds)
        found, _ = await explain(run, context, checkout, question, ways=(look_at_group,))
        ran = {point.state: _times(point.runs) for point in found.points}
        return _outcome(group, culprit, run.known.group or GroupFinding(), ran)


async def _both_red(run: Run, context: RepairContext) -> Observation:
    """Return a run of the group in which both tests failed, as GitHub's may have been."""
    for n in range(_TRIES):
        name = f"{run.job.run_id}-red-{n}"
        seen = await context.clean_room(run).observe(name, COMMAND, Patch())
        if len(seen.failing_ids) > 1:
            return seen
    raise RuntimeError("the two tests never failed together")


def _times(runs: RunCounts) -> int:
    return runs.failed + runs.passed


def _outcome(group: MergeGroup, culprit: int, found: GroupFinding, ran: dict[str, int]) -> Outcome:
    size = len(group.entries)
    cleared = found.cleared(size)
    return Outcome(
        tuple(place for cause in found.causes if cause.is_sure for place in cause.entries),
        tuple(place for cause in found.causes if not cause.is_sure for place in cause.entries),
        cleared == frozenset(range(size)) - {culprit},
        culprit in cleared,
        len(set(ran) - {"the whole group", "the base alone"}),
        sum(ran.values()),
    )


if __name__ == "__main__":
    raise SystemExit(main())
