"""Many runs at once, with everything but the work itself: queue, durable steps, servers, database.

The work is simulated: each turn of a run is a durable step that waits for a stand-in server, which
sleeps as long as a model and a sandbox take. So what is measured is what Fixpoint adds to it.

    python -m bench.simulated flight       1,000 runs in one process, beside 10
    python -m bench.simulated workers      1, 2 and 4 workers on one PostgreSQL
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from pydantic import SecretStr

from bench.processes import Failed, clean_environment
from bench.tables import percentile, print_machine, print_table
from bot.model.request import FixRequest
from bot.runs.admission import Admission
from bot.runs.durability.bodies import NOT_HERE, QueueLimits, RunBodies
from bot.runs.durability.dbos_runs import DurableRuns
from bot.runs.durability.dbos_steps import DurableSteps
from bot.runs.durability.stopping import Stopping
from bot.server.limits import timing_of
from bot.server.roles import ServerRole
from bot.server.serve import joined
from bot.settings.environment import load_server_settings
from bot.storage.database import Database, open_database
from bot.storage.journal import Journal
from bot.storage.run_queue import RunQueue
from bot.storage.runs import RunStatus, RunStore
from bot.storage.steps_database import steps_database
from bot.storage.tables import run_queue
from tests.contract.postgres import own_server
from tests.fakes.github import GitHubState

TURNS = 4
_INSTALLATIONS = 20
_REPOSITORIES = 50
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Played:
    """What so many runs took.

    Attributes:
        seconds: Until the last one ended.
        cpu: Seconds of processor time of all servers.
        peak_mb: Memory of the largest server.
        waits: Seconds that each run waited for its place.
        ages: Seconds from acceptance to end.
        counted: Of runs.
    """

    seconds: float
    cpu: float
    peak_mb: float
    waits: list[float]
    ages: list[float]
    counted: int


async def work(concurrency: int, turns: int) -> None:
    """Be a server: carry simulated runs until a signal ends it. Settings come from the environment."""
    settings = load_server_settings(os.environ)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(
            joined(settings, ServerRole.WORKER, timing_of(settings))
        )
        runs, queue = RunStore(place.database), RunQueue(place.database)
        stopping = Stopping(place.membership.lease.held)
        engine = stack.enter_context(steps_database(settings.database_url))
        journal = Journal(engine)
        steps = DurableSteps(journal, stopping)
        connector = aiohttp.TCPConnector(limit=0)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))

        async def turn() -> str:
            async with session.get(os.environ["BENCH_WORK"]) as answer:
                return await answer.text()

        async def body(request: FixRequest) -> None:
            await runs.begin(request.run_id)
            await steps("announce", partial(runs.update, status=RunStatus.RUNNING), request.run_id)
            for number in range(turns):
                await steps(f"turn {number}", turn)
            await runs.update(request.run_id, status=RunStatus.DONE)

        durable = DurableRuns(
            engine, journal, stopping, executor_id=place.membership.id,
            limits=QueueLimits(concurrency),
        )  # fmt: skip
        admission = Admission(queue, durable)
        await durable.launch(RunBodies(body, body, body, body, NOT_HERE.prove), admission.wake)
        stack.push_async_callback(durable.close)
        offered = admission.working(place.membership.id, lambda: concurrency)
        await stack.enter_async_context(offered)
        print("ready", flush=True)
        await stop.wait()


async def play(
    url: str, folder: Path, *, runs: int, workers: int, concurrency: int, seconds: float
) -> Played:
    """Have so many runs carried by so many servers; each turn takes so many seconds."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_database(SecretStr(url)))
        work_url = await stack.enter_async_context(sleeping(seconds))
        environment = environment_of(url, folder, work_url)
        servers = [
            await stack.enter_async_context(server(environment, concurrency))
            for _ in range(workers)
        ]
        store = RunStore(database)
        before = sum(map(cpu_of, servers))
        started = time.perf_counter()
        for number in range(runs):
            await store.create(request_of(number), "delivery")
        while (rows := await ended(database)) is None:  # noqa: ASYNC110 - of other processes
            await asyncio.sleep(_LOOK_SECONDS)
        took = time.perf_counter() - started
        cpu = sum(map(cpu_of, servers)) - before
        peak = max(map(_peak_mb, servers))
    waits = [(row.admitted_at - row.queued_at).total_seconds() for row in rows]
    ages = [(row.ended_at - row.queued_at).total_seconds() for row in rows]
    if len(rows) != runs:
        raise Failed(f"{runs - len(rows)} of {runs} runs were lost.")
    return Played(took, cpu, peak, waits, ages, runs)


def request_of(number: int) -> FixRequest:
    """Return a request; those that follow each other are of different companies."""
    installation = number % _INSTALLATIONS
    return FixRequest(
        repository=f"company-{installation}/project-{number % _REPOSITORIES}",
        installation_id=installation + 1,
        number=number + 1,
        is_pull_request=False,
        actor="ada",
        comment_id=number,
        asked_at=datetime.now(UTC),
    )


async def ended(database: Database) -> list[Any] | None:
    """Return the rows of all runs once all have ended."""
    rows = await database.read(lambda connection: connection.execute(run_queue.select()).all())
    return list(rows) if all(row.ended_at is not None for row in rows) else None


@asynccontextmanager
async def sleeping(seconds: float) -> AsyncIterator[str]:
    """Serve an address that answers after so many seconds."""

    async def handle(_: web.Request) -> web.Response:
        await asyncio.sleep(seconds)
        return web.Response(text="done")

    app = web.Application()
    app.router.add_get("/", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def server(environment: dict[str, str], concurrency: int) -> AsyncIterator[Process]:
    """Run a server while the block lasts."""
    argv = (sys.executable, "-m", "bench.simulated", "serve", "--concurrency", str(concurrency))
    process = await asyncio.create_subprocess_exec(
        *argv, env=clean_environment(environment), stdout=PIPE
    )
    try:
        assert process.stdout is not None
        if (await process.stdout.readline()).strip() != b"ready":
            raise Failed("A server did not start.")
        yield process
    finally:
        process.terminate()
        await process.wait()


def environment_of(url: str, folder: Path, work_url: str) -> dict[str, str]:
    """Return the settings of servers that share a database."""
    key = folder / "key.pem"
    if not key.exists():
        key.write_text(GitHubState(folder / "github").app.private_key)
    return {
        "HOME": str(folder),
        "DATABASE_URL": url,
        "GITHUB_APP_ID": "1",
        "GITHUB_PRIVATE_KEY": str(key),
        "GITHUB_WEBHOOK_SECRET": "x" * 32,
        "FIXPOINT_DATA": str(folder / "data"),
        "FIXPOINT_HEARTBEAT_SECONDS": "10",
        "BENCH_WORK": work_url,
    }


def cpu_of(process: Process) -> float:
    """Return the seconds of processor time that a process took so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak_mb(process: Process) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    [line] = [item for item in status.splitlines() if item.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


async def flight(most: int, seconds: float) -> None:
    """Print what many runs at once cost in one process, beside ten at once."""
    rows, costs = [], []
    for at_once, runs in ((10, 40), (most, most)):
        with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
            folder = Path(name)
            url = f"sqlite:///{folder}/data/fixpoint.db"
            found = await play(
                url, folder, runs=runs, workers=1, concurrency=at_once, seconds=seconds
            )
        costs.append(found.cpu / runs)
        rows.append(
            (
                str(at_once),
                str(runs),
                f"{found.seconds:.1f}",
                f"{found.cpu / runs * 1000:.0f}",
                f"{costs[-1] / costs[0]:.2f}",
                f"{found.peak_mb:.0f}",
                f"{percentile(found.ages, 50):.1f}",
                f"{max(found.ages):.1f}",
            )
        )
    title = f"One process on SQLite, {TURNS} turns of {seconds:g} s each"
    heads = ("at once", "runs", "all s", "CPU ms per run", "ratio", "peak MB", "p50 s", "last s")
    print_table(title, heads, rows)


async def workers(runs: int, concurrency: int, seconds: float) -> None:
    """Print how many runs one, two and four workers carry."""
    rows: list[tuple[str, ...]] = []
    first = 0.0
    for number in (1, 2, 4):
        with own_server() as postgres, tempfile.TemporaryDirectory(prefix="fixpoint-") as name:
            found = await play(
                postgres.empty_database(), Path(name),
                runs=runs, workers=number, concurrency=concurrency, seconds=seconds,
            )  # fmt: skip
        rate = runs / found.seconds
        first = first or rate
        rows.append(
            (
                str(number),
                f"{found.seconds:.1f}",
                f"{rate * 60:.0f}",
                f"{rate / first:.2f}",
                f"{found.cpu / runs * 1000:.0f}",
            )
        )
    title = f"{runs} runs on PostgreSQL, {concurrency} at once per worker, {TURNS} turns of {seconds:g} s"
    print_table(title, ("workers", "all s", "runs a minute", "ratio", "CPU ms per run"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("flight", "workers", "serve"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--concurrency", type=int, default=4, help="of each worker")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each turn")
    given = parser.parse_args()
    match given.what:
        case "serve":
            asyncio.run(work(given.concurrency, TURNS))
        case "flight":
            print_machine()
            asyncio.run(flight(given.runs or 1000, given.seconds))
        case _:
            print_machine()
            asyncio.run(workers(given.runs or 64, given.concurrency, given.seconds))
