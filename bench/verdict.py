"""How long a failed check waits for its verdict on a repository whose environment is kept.

From the moment that the run is queued until its verdict is in the database, less the time of the
commands in the sandbox. GitHub is a stand-in on this machine, so that its answers take no time of
their own; the verdict is "red on base", which takes every step of the way.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from bench.processes import Failed
from bench.tables import percentile, print_machine, print_table
from bot.model import Verdict
from tests.flows.failing_commit import FILES, failing_commit
from tests.flows.world import World, open_world

ROUNDS = 5


async def main(*, rounds: int = ROUNDS) -> None:
    """Let a check fail on one commit after the other, and print the times."""
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        files = {**FILES, "app.txt": "wrong\n"}
        async with open_world(Path(name), files=files) as world:
            found = [await _one(world, n) for n in range(rounds + 1)]
    cold, warm = found[0], found[1:]
    rows = [
        ("first run", "1", f"{cold[0] * 1000:.0f}", f"{cold[1] * 1000:.0f}"),
        (
            "later runs",
            str(rounds),
            _median([pair[0] for pair in warm]),
            _median([pair[1] for pair in warm]),
        ),
    ]
    title = "A failed check, from queued to its verdict"
    print_table(title, ("", "count", "all ms", "without commands ms"), rows)


def _median(seconds: list[float]) -> str:
    return f"{percentile(seconds, 50) * 1000:.0f}"


async def _one(world: World, n: int) -> tuple[float, float]:
    """Return the seconds to the verdict, and those of them that are not the commands' own."""
    commit = failing_commit(world, {f"file{n}.txt": "more\n"})
    commit.job_fails()
    started = time.perf_counter()
    await commit.repaired()
    took = time.perf_counter() - started
    run = await world.run()
    if run.verdict is not Verdict.RED_ON_BASE or run.report is None:
        raise Failed(f"The verdict was {run.verdict}: {run.reason}")
    return took, took - run.report.command_seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=given.rounds))
