"""What it costs to watch: a model's turns in a server of an earlier checkout, of this one, and traced.

All three are the same otherwise, take turns, and do the task of `bench.turns`. On a busy machine the
processor time of the server is what to compare: others do not add to it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench.serving import FixpointServer
from bench.tables import milliseconds, print_machine, print_table
from bench.task import TURNS, script
from tests.fakes.collector import open_collector, open_receiver, rotel
from tests.fakes.model import ModelServer

ROUNDS = 10
_HERE = Path(__file__).parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """A server that does the task again and again.

    Attributes:
        server: That runs.
        gaps: Seconds between an answer and the next request, of all rounds.
        cpu: Processor seconds of the server itself, of each round.
    """

    server: FixpointServer
    gaps: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def round(self, model: ModelServer, *, keep: bool) -> None:
        """Let it do the task once."""
        model.times.clear()
        before = cpu_seconds(self.server.process.process.pid)
        await self.server.fix_an_issue()
        used = cpu_seconds(self.server.process.process.pid) - before
        if keep:
            self.cpu.append(used)
            self.gaps += [later[0] - earlier[1] for earlier, later in pairwise(model.times)]


async def main(before: Path, *, rounds: int = ROUNDS) -> None:
    """Let the three do the task in turn, and print what each turn took."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-bench-")))
        model = await stack.enter_async_context(ModelServer(script, keep=False))
        variables = {
            f"before: {before.name}": {"PYTHONPATH": str(before)},
            "events": {"PYTHONPATH": str(_HERE)},
            "events and traces": {
                "PYTHONPATH": str(_HERE),
                "OTEL_EXPORTER_OTLP_ENDPOINT": await _collector(stack, folder),
            },
        }
        subjects = {}
        for name, more in variables.items():
            place = folder / name.replace(":", "").replace(" ", "-")
            server = await stack.enter_async_context(FixpointServer(place, model, more))
            subjects[name] = Watched(server)
        for number in range(rounds + 1):
            for subject in subjects.values():
                await subject.round(model, keep=number > 0)  # the first one warms caches
    _print(subjects, rounds)


async def _collector(stack: AsyncExitStack, folder: Path) -> str:
    """Return where traces go: to a real collector where there is one for this machine."""
    receiver = await stack.enter_async_context(open_receiver())
    program = rotel()
    if program is None:
        return receiver.url
    return await stack.enter_async_context(open_collector(program, receiver, folder))


def cpu_seconds(pid: int, *, children: bool = False) -> float:
    """Return the processor time of a process with all its threads.

    Args:
        pid: Of the process.
        children: Add that of the children that have ended.

    See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if children else 13])) / _TICKS


def _print(subjects: dict[str, Watched], rounds: int) -> None:
    first = next(iter(subjects.values()))
    rows = [
        (
            name,
            milliseconds(subject.gaps),
            f"{median(subject.gaps) / median(first.gaps):.3f}",
            f"{median(subject.cpu) / TURNS * 1000:.2f}",
            f"{median(subject.cpu) / median(first.cpu):.3f}",
        )
        for name, subject in subjects.items()
    ]
    title = f"A turn in `fixpoint serve`, medians of {rounds} x {TURNS - 1} and of {rounds}"
    print_table(title, ("", "turn ms", "ratio", "server CPU ms", "ratio"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(given.before.resolve(), rounds=given.rounds))
