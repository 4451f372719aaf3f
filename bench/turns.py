"""What the harness adds to a repair of 51 model turns: as a whole, and to each turn.

Everybody asks the same scripted model over HTTP. What lies between an answer and the next request
is the harness and the command that it ran; the command alone is measured beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench import peer
from bench.processes import FIXPOINT, Cost, cost_of
from bench.sandbox import COMMAND, command_alone, program_alone
from bench.serving import FixpointServer
from bench.tables import milliseconds, print_machine, print_table
from bench.task import FAILING, MODEL, TASK, TURNS, make_repository, script
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from tests.fakes.model import ModelServer

ROUNDS = 5
_COMMANDS = 20


@dataclass
class Subject:
    """Somebody who does the task.

    Attributes:
        run: Does it once, in a folder of its own; returns what the process cost, or None when it
            is a server that goes on.
        command: Returns the seconds of its way to run one command, alone.
        costs: Of each round.
        gaps: Seconds between an answer and the next request, of all rounds.
        commands: Seconds of commands alone, taken beside the rounds.
    """

    run: Callable[[Path], Awaitable[Cost | None]]
    command: Callable[[], Awaitable[Sequence[float]]]
    costs: list[Cost] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    commands: list[float] = field(default_factory=list)


async def main(*, rounds: int = ROUNDS, with_peer: bool = True) -> None:
    """Let everybody do the task in turn, and print both tables."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-bench-")))
        model = await stack.enter_async_context(ModelServer(script, keep=False))
        sandbox = await _sandbox(folder)
        stack.push_async_callback(sandbox.close)
        server = await stack.enter_async_context(FixpointServer(folder / "server", model))
        subjects = _subjects(folder, model, server, sandbox)
        if with_peer and (program := await peer.install()) is not None:
            subjects[f"mini-swe-agent {peer.VERSION}"] = _peer(folder, model, program)
        elif with_peer:
            print("The peer can't be installed here: its rows are missing.")
        for number in range(rounds + 1):
            for name, subject in subjects.items():
                place = folder / f"{number} {name}"
                place.mkdir()
                await _round(subject, model, place, keep=number > 0)  # the first one warms caches
    _print_whole(subjects, rounds)
    _print_turns(subjects, rounds)


async def _round(subject: Subject, model: ModelServer, folder: Path, *, keep: bool) -> None:
    commands = await subject.command()
    model.times.clear()
    cost = await subject.run(folder)
    if not keep:
        return
    subject.commands += commands
    subject.gaps += [later[0] - earlier[1] for earlier, later in pairwise(model.times)]
    if cost is not None:
        subject.costs.append(cost)


async def _sandbox(folder: Path) -> Sandbox:
    provider = BubblewrapProvider(folder / "sandboxes")
    return await provider.open(SandboxSpec("alone", source=make_repository(folder / "alone")))


def _subjects(
    folder: Path, model: ModelServer, server: FixpointServer, sandbox: Sandbox
) -> dict[str, Subject]:
    data = folder / "data"

    async def openai(place: Path) -> Cost:
        access = {"OPENAI_BASE_URL": model.openai_url, "OPENAI_MODEL": MODEL}
        return await _fix(place, data, access)

    async def anthropic(place: Path) -> Cost:
        access = {"ANTHROPIC_BASE_URL": model.anthropic_url, "ANTHROPIC_API_KEY": "none"}
        return await _fix(place, data, access)

    async def served(_place: Path) -> None:
        await server.fix_an_issue()

    async def command() -> list[float]:
        return await command_alone(sandbox, _COMMANDS)

    return {
        "fixpoint fix, an OpenAI-compatible server": Subject(openai, command),
        "fixpoint fix, Anthropic's SDK": Subject(anthropic, command),
        "fixpoint serve, every step kept": Subject(served, command),
    }


def _peer(folder: Path, model: ModelServer, program: str) -> Subject:
    home = folder / "home"
    home.mkdir()

    async def run(place: Path) -> Cost:
        return await peer.run(
            program, make_repository(place / "repository"), model.openai_url, home
        )

    return Subject(run, lambda: program_alone("/bin/sh", "-c", COMMAND, rounds=_COMMANDS))


async def _fix(place: Path, data: Path, access: dict[str, str]) -> Cost:
    repository = make_repository(place / "repository")
    environment = {"HOME": str(place), "FIXPOINT_DATA": str(data), **access}
    return await cost_of(
        *(FIXPOINT, "fix", str(repository), "--issue", TASK, "--setup", "true"),
        *("--test", FAILING, "--sandbox", "bubblewrap"),
        folder=place,
        environment=environment,
    )


def _print_whole(subjects: dict[str, Subject], rounds: int) -> None:
    rows = [
        (
            name,
            f"{median(cost.seconds for cost in subject.costs):.2f}",
            f"{median(cost.cpu_seconds for cost in subject.costs):.2f}",
            f"{median(cost.peak_bytes for cost in subject.costs) / 1e6:.0f}",
        )
        for name, subject in subjects.items()
        if subject.costs
    ]
    title = f"A repair of {TURNS} turns, from process start to end, medians of {rounds}"
    print_table(title, ("", "wall s", "CPU s", "peak MB"), rows)


def _print_turns(subjects: dict[str, Subject], rounds: int) -> None:
    rows = [
        (
            name,
            milliseconds(subject.gaps),
            milliseconds(subject.commands),
            f"{(median(subject.gaps) - median(subject.commands)) * 1000:.1f}",
        )
        for name, subject in subjects.items()
    ]
    title = f"From a model's answer to the next request, medians of {rounds} x {TURNS - 1}"
    print_table(title, ("", "turn ms", "command ms", "harness ms"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--without-peer", action="store_true")
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=given.rounds, with_peer=not given.without_peer))
