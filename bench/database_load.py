"""What a server and a run ask of PostgreSQL: transactions, and its processor time.

python -m bench.database_load      --runs N
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
from pydantic import SecretStr

from bench import task
from bench.serving import FixpointServer
from bench.simulated import TURNS, ended, environment_of, request_of, server, sleeping
from bench.tables import print_machine, print_table
from bot.storage.database import open_database
from bot.storage.runs import RunStore
from tests.contract.postgres import PostgresServer, own_server
from tests.fakes.model import ModelServer

Row = tuple[str, str, str]

RUNS = 60
_AT_ONCE = 20
_TURN_SECONDS = 0.5
_IDLE_SECONDS = 15.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a database did so far."""

    transactions: float
    cpu: float

    def since(self, earlier: Asked) -> Asked:
        """Return what it did in between."""
        return Asked(self.transactions - earlier.transactions, self.cpu - earlier.cpu)

    def less(self, idle: Asked, seconds: float) -> Asked:
        """Return it without what would have been asked anyway: `idle` each second."""
        return Asked(self.transactions - idle.transactions * seconds, self.cpu - idle.cpu * seconds)

    def of(self, number: float) -> Asked:
        """Return the part of each of so many."""
        return Asked(self.transactions / number, self.cpu / number)

    def shown(self) -> tuple[str, str]:
        """Return both as texts."""
        return f"{self.transactions:.0f}", f"{self.cpu * 1000:.0f}"


async def main(*, runs: int = RUNS) -> None:
    """Measure a server that waits, one that works on simulated runs, and a real run."""
    with own_server() as postgres, tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        rows = [*await _simulated(postgres, Path(name), runs), await _real(postgres, Path(name))]
    print_table("Asked of PostgreSQL", ("by", "transactions", "CPU ms"), rows)


async def _simulated(postgres: PostgresServer, folder: Path, runs: int) -> list[Row]:
    async with AsyncExitStack() as stack:
        url = postgres.empty_database()
        database = await stack.enter_async_context(await open_database(SecretStr(url)))
        work = await stack.enter_async_context(sleeping(_TURN_SECONDS))
        process = server(environment_of(url, folder, work), _AT_ONCE)
        await stack.enter_async_context(process)
        idle = await _idle(postgres)
        before, started = _asked(postgres), time.monotonic()
        store = RunStore(database)
        for number in range(runs):
            await store.create(request_of(number), "delivery")
        while await ended(database) is None:  # noqa: ASYNC110 - of other processes
            await asyncio.sleep(1.0)
        run = _asked(postgres).since(before).less(idle, time.monotonic() - started).of(runs)
    waits = ("a server that waits, a second", f"{idle.transactions:.1f}", f"{idle.cpu * 1000:.1f}")
    return [waits, (f"a simulated run of {TURNS} turns", *run.shown())]


async def _real(postgres: PostgresServer, folder: Path) -> Row:
    """Measure the second run of `fixpoint serve`, from a webhook to its pull request."""
    more = {"DATABASE_URL": postgres.empty_database()}
    async with (
        ModelServer(task.script, keep=False) as model,
        FixpointServer(folder / "real", model, more) as real,
    ):
        await real.fix_an_issue()
        idle = await _idle(postgres)
        before, started = _asked(postgres), time.monotonic()
        await real.fix_an_issue()
        found = _asked(postgres).since(before).less(idle, time.monotonic() - started)
    return (f"a real run of {task.TURNS} turns", *found.shown())


async def _idle(postgres: PostgresServer) -> Asked:
    """Return what is asked in a second while nothing happens."""
    before = _asked(postgres)
    await asyncio.sleep(_IDLE_SECONDS)
    return _asked(postgres).since(before).of(_IDLE_SECONDS)


def _asked(postgres: PostgresServer) -> Asked:
    with psycopg.connect(
        host=str(postgres.folder), user="fixpoint", dbname=postgres.database
    ) as connection:
        found = connection.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = %s",
            (postgres.database,),
        ).fetchone()
    assert found is not None
    return Asked(int(found[0]), sum(_cpu_of(postgres)))


def _cpu_of(postgres: PostgresServer) -> Iterator[float]:
    """Yield the processor time of the server, of its sessions, and of those that have ended."""
    [lock] = postgres.folder.glob(".s.PGSQL.*.lock")
    first = lock.read_text().split()[0]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = rest.rpartition(")")[2].split()
        if pid == first:
            yield sum(map(int, fields[11:15])) / _TICKS
        elif fields[1] == first:
            yield sum(map(int, fields[11:13])) / _TICKS


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    print_machine()
    asyncio.run(main(runs=parser.parse_args().runs))
