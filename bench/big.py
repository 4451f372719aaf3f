"""From `/fix` to the first call of a model in a large repository, beside `git clone` of it.

    python -m bench.big --repository DIR [--rounds N] [--files N] [--commits N] [--megabytes N]

DIR is made once, which takes minutes. Cold: a server that has never seen the repository, beside
`git clone --depth 1`. Warm: it has a mirror, and the head is a new commit; again: the same commit
once more; both beside `git clone`. Processor time is that of the server and its children, and of
git and its children; what the repository's own server takes is in neither.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.big_repository import Size, make_big_repository
from bench.processes import cost_of
from bench.serving import FixpointServer
from bench.tables import print_machine, print_table
from bench.watching import cpu_seconds
from tests.fakes.model import Call, ModelServer, Request, Say, Step

_START = "refs/fixpoint-bench/start"
_FIX = Call("bash", {"command": "echo right > app.txt"})


@dataclass
class Subject:
    """What is measured, in seconds of each round: on the wall, and of processors."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)

    def add(self, wall: float, cpu: float, peak: float) -> None:
        """Keep a round."""
        self.wall.append(wall)
        self.cpu.append(cpu)
        self.peak.append(peak)


class FirstCall:
    """Notes when a model is first asked in a run, and what the server had used until then."""

    def __init__(self) -> None:
        self.pid = 0
        self.seen: tuple[float, float] | None = None

    def script(self, request: Request) -> Step:
        """Repair the file, and say so."""
        if self.seen is None:
            self.seen = time.perf_counter(), cpu_seconds(self.pid, children=True)
        return _FIX if request.turn == 1 else Say("It says right now.")


async def main(origin: Path, rounds: int) -> None:
    """Measure all in turn, and print the table."""
    subjects = {name: Subject() for name in ("clone --depth 1", "cold", "clone", "warm", "again")}
    for _ in range(rounds):
        _start_again(origin)
        with tempfile.TemporaryDirectory(prefix="fixpoint-bench-", dir=origin.parent) as folder:
            await _round(origin, Path(folder), subjects)
    _print(subjects, rounds)


def _start_again(origin: Path) -> None:
    """Take away what earlier rounds have pushed."""
    git = ("git", "-C", str(origin))
    if subprocess.run((*git, "show-ref", "--quiet", _START), check=False).returncode:
        subprocess.run((*git, "update-ref", _START, "refs/heads/main"), check=True)
    subprocess.run((*git, "update-ref", "refs/heads/main", _START), check=True)


async def _round(origin: Path, folder: Path, subjects: dict[str, Subject]) -> None:
    first = FirstCall()
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(ModelServer(first.script, keep=False))
        server = FixpointServer(
            folder / "server", model, {"FIXPOINT_GITHUB_WRITES_PER_MINUTE": "1000"}
        )
        repository = server.repository
        shutil.rmtree(repository.git.path)
        repository.git.path.symlink_to(origin.absolute())
        repository.size = sum(file.stat().st_size for file in origin.rglob("*.pack")) // 1024
        await stack.enter_async_context(server)
        first.pid = server.process.process.pid
        url = f"{server.github.web_url}/acme/app.git"
        await _clone(subjects["clone --depth 1"], url, folder, "--depth", "1")
        await _until_first_call(subjects["cold"], server, first)
        await _clone(subjects["clone"], url, folder)
        server.github.state.push(repository, "main", {"packages/p000/m0/f00.txt": "changed\n"})
        await _until_first_call(subjects["warm"], server, first)
        await _until_first_call(subjects["again"], server, first)


async def _clone(subject: Subject, url: str, folder: Path, *options: str) -> None:
    place = folder / "clone"
    cost = await cost_of("git", "clone", "--quiet", *options, url, str(place), folder=folder)
    subject.add(cost.seconds, cost.cpu_seconds, cost.peak_bytes / 1e6)
    shutil.rmtree(place)


async def _until_first_call(subject: Subject, server: FixpointServer, first: FirstCall) -> None:
    first.seen = None
    started, used = time.perf_counter(), cpu_seconds(first.pid, children=True)
    await server.fix_an_issue(patience=3600)
    assert first.seen is not None
    at, until = first.seen
    subject.add(at - started, until - used, _peak(first.pid))


def _peak(pid: int) -> float:
    """Return the most memory that the server itself has had, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text("ascii", errors="replace")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def _print(subjects: dict[str, Subject], rounds: int) -> None:
    beside = {"cold": "clone --depth 1", "warm": "clone", "again": "clone"}
    rows = []
    for name, subject in subjects.items():
        peer = subjects.get(beside.get(name, ""))
        ratios = (
            [_ratio(subject.wall, peer.wall), _ratio(subject.cpu, peer.cpu)] if peer else ["", ""]
        )
        figures = (median(subject.wall), median(subject.cpu), median(subject.peak))
        rows.append((name, *(f"{figure:.1f}" for figure in figures), *ratios))
    title = f"From `/fix` to the first model call, medians of {rounds}"
    print_table(title, ("", "wall s", "CPU s", "peak MB", "wall ratio", "CPU ratio"), rows)


def _ratio(mine: Sequence[float], other: Sequence[float]) -> str:
    return f"{median(mine) / median(other):.2f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--commits", type=int, default=3_000)
    parser.add_argument("--megabytes", type=int, default=1024)
    given = parser.parse_args()
    print_machine()
    wanted = Size(given.files, given.commits, given.megabytes * 2**20)
    make_big_repository(given.repository, wanted)
    asyncio.run(main(given.repository, given.rounds))
