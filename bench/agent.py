"""The agent beside mini-swe-agent on the same scripted server, its cache, and public traces replayed.

python -m bench.agent      --rounds N, --without-peer, --mirrors FOLDER (clones as OWNER+NAME)
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench import agent_long_task, agent_task, peer
from bench.agent_step import own_tools, same_commands
from bench.agent_task import FAILING, TASK, make_project
from bench.openhands import recorded
from bench.processes import FIXPOINT, Cost, cost_of
from bench.replay import Verdict, all_replayed
from bench.sessions import of_cline, of_crush, of_gemini
from bench.tables import print_machine, print_table
from bench.task import MODEL
from bench.trajectories import RecordedCall, Trajectory, read_all
from tests.fakes.model import Call, Counts, ModelServer, Request, Say, Script, Step

ROUNDS = 3
_ATTEMPTS = 5
_READ, _WRITE = 0.1, 1.25
"""Prices of tokens that a cache gives and takes, against plain input: Anthropic's, for 5 minutes."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something to repair, and the model that does.

    Attributes:
        title: Of its table.
        steps: Turns of the model.
        task: The issue.
        make: Writes the project to a folder.
        said: What the model says.
    """

    title: str
    steps: int
    task: str
    make: Callable[[Path], Path]
    said: Script


WORKS = tuple(
    Work(f"{title} with {how}", module_type.STEPS, module_type.TASK, module_type.make_project, said)
    for title, module_type in (
        ("an ordinary repair", agent_task),
        ("a long repair", agent_long_task),
    )
    for how, said in (
        ("its own tools", own_tools(module_type.step)),
        ("the same commands", same_commands(module_type.step, module_type.STEPS)),
    )
)


@dataclass
class Measured:
    """Somebody who does the task: what each round cost, and what the model was sent.

    Attributes:
        run: Does the work once, in a folder.
        costs: Of each round.
        gaps: Seconds between an answer and the next request, of all rounds.
        counts: Tokens of each request, of the last round.
    """

    run: Callable[[Work, Path, ModelServer], Awaitable[Cost]]
    costs: list[Cost] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)


def billed(counts: Iterable[Counts]) -> float:
    """Return what requests cost, in tokens of plain input."""
    return sum(
        count.input + _READ * count.cache_read + _WRITE * count.cache_write for count in counts
    )


async def main(
    *, rounds: int = ROUNDS, with_peer: bool = True, mirrors: Path | None = None
) -> None:
    """Print every table."""
    program = await peer.install() if with_peer else None
    for work in WORKS:
        await _side_by_side(work, rounds, program)
    await _attempts()
    if mirrors is not None:
        await _traces(mirrors)


async def _side_by_side(work: Work, rounds: int, program: str | None) -> None:
    subjects = {"fixpoint fix": Measured(fix_once)}
    if program is not None:
        subjects[f"mini-swe-agent {peer.VERSION}"] = Measured(_peer(program))
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        folder = Path(name)
        for number in range(0 if rounds > 1 else 1, rounds + 1):
            for who, subject in subjects.items():
                place = folder / f"{number} {who}"
                place.mkdir()
                async with ModelServer(work.said, keep=False) as model:
                    cost = await subject.run(work, place, model)
                    gaps = [later[0] - earlier[1] for earlier, later in pairwise(model.times)]
                    subject.counts = model.counts
                if number:  # the first one warms caches
                    subject.costs.append(cost)
                    subject.gaps += gaps
    rows = [
        (
            who,
            f"{median(cost.seconds for cost in measured.costs):.2f}",
            f"{median(cost.cpu_seconds for cost in measured.costs):.2f}",
            f"{median(cost.peak_bytes for cost in measured.costs) / 1e6:.0f}",
            f"{median(measured.gaps) * 1000:.0f}",
            f"{len(measured.counts)}",
            f"{sum(c.input + c.cache_read + c.cache_write for c in measured.counts):,}",
            f"{billed(measured.counts):,.0f}",
        )
        for who, measured in subjects.items()
    ]
    heads = ("", "wall s", "CPU s", "peak MB", "step ms", "requests", "input tokens", "billed")
    print_table(f"{work.steps} steps: {work.title}, medians of {rounds}", heads, rows)


async def fix_once(work: Work, place: Path, model: ModelServer) -> Cost:
    """Let `fixpoint fix` do the work in a folder."""
    repository = work.make(place / "repository")
    access = {"OPENAI_BASE_URL": model.openai_url, "OPENAI_MODEL": MODEL}
    environment = {"HOME": str(place), "FIXPOINT_DATA": str(place / "data"), **access}
    return await cost_of(
        *(FIXPOINT, "fix", str(repository), "--issue", work.task, "--sandbox", "bubblewrap"),
        folder=place,
        environment=environment,
    )


def _peer(program: str) -> Callable[[Work, Path, ModelServer], Awaitable[Cost]]:
    async def run(work: Work, place: Path, model: ModelServer) -> Cost:
        home = place / "home"
        home.mkdir()
        repository = work.make(place / "repository")
        return await peer.run(
            program, repository, model.openai_url, home, model=MODEL, task=work.task
        )

    return run


async def _attempts() -> None:
    """Let every attempt of a run fail, and see what each one's first request reads from the cache."""

    def fail(request: Request) -> Step:
        steps: list[Step] = [
            Call("bash", {"command": "nl -ba core/part_3.py"}),
            Call("bash", {"command": f"echo '# attempt {len(firsts)}' >> core/part_3.py"}),
            Say("I tried something."),
        ]
        if request.turn == 1:
            firsts.append(len(model.counts))
        return steps[min(request.turn, len(steps)) - 1]

    firsts: list[int] = []
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        place = Path(name)
        async with ModelServer(fail, keep=False) as model:
            repository = make_project(place / "repository")
            access = {"ANTHROPIC_BASE_URL": model.anthropic_url, "ANTHROPIC_API_KEY": "none"}
            await cost_of(
                *(FIXPOINT, "fix", str(repository), "--issue", TASK, "--test", FAILING),
                *("--attempts", str(_ATTEMPTS), "--budget-usd", "20", "--sandbox", "bubblewrap"),
                folder=place,
                environment={"HOME": name, "FIXPOINT_DATA": f"{name}/data", **access},
                exit_codes=(1,),
            )
            counts = model.counts
    rows = []
    for attempt, first in enumerate(firsts, start=1):
        one = counts[first]
        total = one.input + one.cache_read + one.cache_write
        rows.append(
            (
                f"attempt {attempt}",
                f"{total:,}",
                f"{one.cache_read:,}",
                f"{one.cache_read / total:.0%}",
            )
        )
    heads = ("", "input tokens", "from the cache", "share")
    print_table(f"The first request of each of {_ATTEMPTS} attempts, Anthropic", heads, rows)


async def _traces(mirrors: Path) -> None:
    """Print how many calls of public traces are answered usefully, and why others are not."""
    known = read_all(mirrors / "SWE-agent+SWE-agent")
    groups = (
        (
            "SWE-agent, repairs of programs",
            [trajectory for trajectory in known if not trajectory.other_trade],
        ),
        (
            "SWE-agent, capture the flag",
            [trajectory for trajectory in known if trajectory.other_trade],
        ),
        ("OpenHands", recorded(mirrors / "All-Hands-AI+OpenHands")),
        ("Crush", of_crush(mirrors / "charmbracelet+crush")),
        ("Cline", of_cline(mirrors / "cline+cline")),
        ("Gemini CLI", of_gemini(mirrors / "google-gemini+gemini-cli")),
    )
    done: list[tuple[Trajectory, list[tuple[RecordedCall, Verdict]]]] = []
    rows = []
    for title, group in groups:
        replays = await all_replayed(group)
        done += replays
        found = [verdict for _, calls in replays for _, verdict in calls]
        useful = sum(verdict.useful for verdict in found)
        share = f"{useful / len(found):.0%}"
        rows.append((title, f"{len(group)}", f"{len(found)}", f"{useful}", share))
    heads = ("", "trajectories", "calls", "answered usefully", "share")
    print_table("Public trajectories, replayed", heads, rows)
    kinds = Counter(
        (verdict.kind, verdict.useful) for trajectory, calls in done for _, verdict in calls
    )
    became = [
        (kind, "yes" if useful else "no", f"{count}")
        for (kind, useful), count in kinds.most_common()
    ]
    print_table("What became of the calls", ("", "of use", "calls"), became)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--without-peer", action="store_true")
    parser.add_argument("--mirrors", type=Path)
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=given.rounds, with_peer=not given.without_peer, mirrors=given.mirrors))
