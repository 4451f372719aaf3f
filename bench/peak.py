"""How many signed deliveries a second servers take at most, ours beside two that keep nothing.

python -m bench.peak      --rounds N, --seconds N
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.deliveries import kept, send, signed
from bench.processes import Failed, clean_environment
from bench.serving import settings_of
from bench.tables import percentile, print_machine, print_table
from bench.task import FILES, TASK
from demo.serving import serve
from tests.fakes.github import GitHubServer, GitHubState

ROUNDS = 5
SECONDS = 4.0
PROBOT = "14.3.2"

_PROBOT_SCRIPT = Path(__file__).with_name("probot_webhook.mjs")
_TICKS = os.sysconf("SC_CLK_TCK")
_ASK_EVERY = 10
_COUNT = 40


@dataclass
class Measured:
    """A server, and what was measured of it.

    Attributes:
        rates: Deliveries a second, by round.
        costs: Processor time of the server in milliseconds per delivery, by round.
    """

    name: str
    url: str
    pid: int
    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def cpu(self) -> float:
        """Return the seconds of processor time that it took so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    async def fill(self, deliveries: Path, seconds: float) -> dict[str, Any]:
        """Give it as much as it takes."""
        before = self.cpu()
        found = await send(self.url, deliveries, 0, seconds)
        self.rates.append(len(found["latencies"]) / seconds)
        self.costs.append((self.cpu() - before) / len(found["latencies"]) * 1000)
        return found


async def main(*, rounds: int = ROUNDS, seconds: float = SECONDS) -> None:
    """Fill the servers in turns, then load ours at half of its maximum."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-bench-")))
        state = GitHubState(folder / "github")
        state.add_repository("acme/app", dict(FILES), roles={"ada": "admin"})
        state.install("acme")
        github = await stack.enter_async_context(GitHubServer(state))
        deliveries = folder / "deliveries.json"
        deliveries.write_text(json.dumps(_deliveries(github)))
        server = await stack.enter_async_context(
            serve(clean_environment(settings_of(github, folder)), folder / "server.log", role="web")
        )
        ours = Measured("`fixpoint web`, on disk", f"{server.url}/webhook", server.process.pid)
        peers = await _peers(stack, state)
        accepted: set[str] = set()
        for number in range(rounds + 1):
            for measured in (ours, *peers):
                found = await measured.fill(deliveries, seconds if number else 1.0)
                accepted |= set(found["accepted"]) if measured is ours else set()
            if not number:  # the first round only warms up
                for measured in (ours, *peers):
                    measured.rates.clear()
                    measured.costs.clear()
        half = median(ours.rates) / 2
        steady = {}
        for measured in (ours, *peers):
            found = await send(measured.url, deliveries, half, 2 * seconds)
            steady[measured.name] = found["latencies"]
            accepted |= set(found["accepted"]) if measured is ours else set()
        if missing := accepted - kept(folder / "data" / "fixpoint.db"):
            raise Failed(
                f"{len(missing)} deliveries were acknowledged and are not in the database."
            )
    _print(ours, peers, steady, half)


def _deliveries(github: GitHubServer) -> list[dict[str, Any]]:
    """Return comments, one in ten of which is `/fix`."""
    repository = next(iter(github.state.repositories.values()))
    issue = github.state.open_issue(repository, "ada", TASK, "It should say right.")
    said = [
        "/fix" if number % _ASK_EVERY == 0 else f"I can see it too, on machine {number}.\n" * 5
        for number in range(_COUNT)
    ]
    return [signed(github, github.comment(issue, "ada", text)) for text in said]


async def _peers(stack: AsyncExitStack, state: GitHubState) -> list[Measured]:
    app = state.app
    environment = {
        "BENCH_SECRET": app.webhook_secret,
        "BENCH_KEY": app.private_key,
        "BENCH_APP": str(app.id),
    }
    bare = (sys.executable, "-m", "bench.bare_webhook")
    found = [await stack.enter_async_context(_peer("a bare aiohttp handler", bare, environment))]
    if script := await _install_probot():
        probot = _peer(f"Probot {PROBOT}", ("node", str(script)), environment)
        found.append(await stack.enter_async_context(probot))
    return found


@asynccontextmanager
async def _peer(
    name: str, argv: tuple[str, ...], environment: Mapping[str, str]
) -> AsyncIterator[Measured]:
    process = await asyncio.create_subprocess_exec(
        *argv, env=clean_environment({"NODE_ENV": "production", **environment}), stdout=PIPE
    )
    try:
        assert process.stdout is not None
        port = int(await process.stdout.readline())
        yield Measured(name, f"http://127.0.0.1:{port}/webhook", process.pid)
    finally:
        process.terminate()
        await process.wait()


async def _install_probot() -> Path | None:
    """Install it into the user's cache unless it is there; None where npm can't."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "fixpoint" / f"probot-{PROBOT}"
    if not (folder / "node_modules" / "probot").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        argv = ("npm", "install", "--silent", "--prefix", str(folder), f"probot@{PROBOT}")
        process = await asyncio.create_subprocess_exec(*argv)
        if await process.wait():
            return None
    script = folder / _PROBOT_SCRIPT.name
    script.write_text(_PROBOT_SCRIPT.read_text())
    return script


def _print(
    ours: Measured, peers: list[Measured], steady: dict[str, list[float]], half: float
) -> None:
    rows = []
    for measured in (ours, *peers):
        rate, cost = median(measured.rates), median(measured.costs)
        ratios = [mine / theirs for mine, theirs in zip(ours.rates, measured.rates, strict=True)]
        shares = [theirs / mine for mine, theirs in zip(ours.costs, measured.costs, strict=True)]
        rows.append(
            (
                measured.name,
                f"{rate:.0f}",
                f"{median(ratios):.2f}",
                f"{cost:.2f}",
                f"{median(shares):.2f}",
                f"{percentile(steady[measured.name], 50) * 1000:.1f}",
                f"{percentile(steady[measured.name], 99) * 1000:.1f}",
            )
        )
    heads = ("", "per second", "ours to it", "CPU ms", "ours to it, by CPU", "p50 ms", "p99 ms")
    print_table(f"Signed deliveries, 10 % `/fix`, medians of {len(ours.rates)} rounds", heads, rows)
    print(
        f"\nLatencies at {half:.0f} a second, half of our maximum. All commands are in the database."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=given.rounds, seconds=given.seconds))
