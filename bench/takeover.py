"""How long a run is nobody's after its server was killed: two servers on PostgreSQL, real time."""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from bench.tables import percentile, print_machine, print_table
from bot.runs.waiting_times import Timing
from tests.contract.postgres import PostgresServer, own_server
from tests.flows.held_script import HeldScript
from tests.flows.server_process import Line, ServerProcess
from tests.flows.world import FIX, WHY, Scene, open_scene

ROUNDS = 20
AT_ONCE = 4
"""Pairs of servers: most of the time nobody does anything but wait."""

_SERVERS = 2
_TAKEN_UP = "run taken up"


async def main(*, rounds: int = ROUNDS, at_once: int = AT_ONCE) -> None:
    """Kill servers that have a run, and print how long it took until another one had it."""
    shares = [len(range(n, rounds, at_once)) for n in range(min(at_once, rounds))]
    async with AsyncExitStack() as stack:
        databases = [stack.enter_context(own_server()) for _ in shares]
        async with asyncio.TaskGroup() as group:
            pairs = [
                group.create_task(_kill(*database))
                for database in zip(databases, shares, strict=True)
            ]
    took = [seconds for pair in pairs for seconds in pair.result()]
    timing = Timing()
    beats = f"a beat every {timing.beat_seconds:g} s, dead after {timing.expiry_seconds:g} s"
    print_table(
        f"From kill -9 of the server that has a run to another one that takes it up ({beats})",
        ("", "kills", "median", "worst", "limit"),
        [
            (
                "takeover",
                str(len(took)),
                f"{percentile(took, 50):.1f} s",
                f"{max(took):.1f} s",
                "60 s",
            )
        ],
    )


async def _kill(postgres: PostgresServer, rounds: int) -> list[float]:
    """Kill one of two servers so many times; return the seconds until the other had its run."""
    script, url = HeldScript([FIX, WHY]), postgres.empty_database()
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-bench-")))
        scene = await stack.enter_async_context(open_scene(root, script))
        servers = []
        for n in range(_SERVERS):
            folder = root / f"machine-{n}"
            folder.mkdir()
            variables = scene.variables(folder / "data") | {"DATABASE_URL": url}
            server = ServerProcess(variables, folder, imports_anew=True)
            await stack.enter_async_context(server.running())
            servers.append(server)
        return [await _round(scene, script, servers) for _ in range(rounds)]


async def _round(scene: Scene, script: HeldScript, servers: list[ServerProcess]) -> float:
    known = {line["run_id"] for server in servers for line in _taken_up(server)}
    script.hold(1)
    issue = scene.state.open_issue(scene.repository, "ada", "It says wrong", "It should say right.")
    event = scene.github.comment(issue, "ada", "/fix")
    await scene.github.deliver(event, servers[0].webhook)
    await script.reached(1)
    [(holder, run_id)] = [
        (server, line["run_id"])
        for server in servers
        for line in _taken_up(server)
        if line["run_id"] not in known
    ]
    [survivor] = [server for server in servers if server is not holder]
    await asyncio.sleep(random.uniform(0, Timing().beat_seconds))
    started = time.perf_counter()
    await holder.kill()
    await survivor.logged(_TAKEN_UP, run_id=run_id)
    took = time.perf_counter() - started
    print(f"{took:.1f} s")
    script.let_go(1)
    await survivor.logged("run over", run_id=run_id)
    await holder.start()
    return took


def _taken_up(server: ServerProcess) -> list[Line]:
    return [line for line in server.lines() if line["event"] == _TAKEN_UP]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="kills")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="pairs of servers")
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=given.rounds, at_once=given.at_once))
