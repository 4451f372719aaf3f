"""How fast pages are with many runs and events behind them, and how late events reach viewers.

Pages: the real server, whose database was filled with 10,000 runs and 1,000,000 events before.
Viewers: 50 people who watch 100 runs, each of which has two events in a second. The streams and
those who read them share one process here, so that the figure has both in it. On a busy machine the
processor time of the server is what to compare.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
from aiohttp import web
from pydantic import SecretStr
from sqlalchemy import Connection, insert

from bench.processes import Failed, processor_seconds
from bench.serving import FixpointServer
from bench.tables import percentile, print_machine, print_table
from bot.model import Problem, Report, Verdict
from bot.model.events import EventType, RunEvent
from bot.model.money.accounts import Account, AccountScope
from bot.model.request import FixRequest
from bot.storage.database import Database, open_database
from bot.storage.events import EventStore, KeyedEvent, Keys
from bot.storage.runs import RunStatus
from bot.storage.stored_json import dump_report, dump_request
from bot.storage.tables import accounts, attempts_made, events, runs
from bot.web.streams import send, stream

RUNS = 10_000
EVENTS_OF_EACH = 100
ROUNDS = 20
VIEWERS = 50
WATCHED = 100
SECONDS = 15.0
PAUSE = 0.5
"""Seconds between two events of a run that is watched."""

_PAGES = (
    "/", "/?status=done&verdict=fixed", "/?q=widgets", "/repositories",
    "/repositories/acme/widgets0", "/new", "/money", "/status", "/settings",
)  # fmt: skip
_BATCH = 20
_REPORT = dump_report(
    Report(
        "run",
        Verdict.GAVE_UP,
        "All attempts of the budget are used.",
        Problem(title="It says wrong.", body="It should say right. " * 1000),
        "ab" * 20,
    )
)
"""Some 20 kB, as reports have: pages of many runs must not read past them."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a page took: from asking to the end of the answer, and of the server's processor."""

    seconds: float
    cpu: float


async def main(*, rounds: int = ROUNDS, runs_there: int = RUNS) -> None:
    """Fill a database, ask for every page, watch runs, and print both tables."""
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as folder:
        await _pages(Path(folder), rounds, runs_there)
        await _viewers(Path(folder))


async def _pages(folder: Path, rounds: int, count: int) -> None:
    async with FixpointServer(folder / "server") as server:
        state = server.github.state
        state.add_repository("acme/widgets0", {".github/fixpoint.yml": "test: make test\n"})
        async with await open_database(_url(server.database), flushed=False) as database:
            names = await _fill(database, count, next(iter(state.installations)))
        paths = (*_PAGES, f"/runs/{names[0]}", f"/api/v1/runs/{names[0]}/events", "/api/v1/runs")
        taken: dict[str, list[Taken]] = {path: [] for path in paths}
        async with aiohttp.ClientSession(server.process.url) as session:
            for _ in range(rounds + 1):
                for path in paths:
                    taken[path].append(await _ask(session, path, server.process.process.pid))
    rows = [_row(path.replace(names[0], "ID"), key) for path, key in taken.items()]
    title = f"Pages with {count:,} runs and {count * EVENTS_OF_EACH:,} events, in ms; limit: 100"
    head = ["Page", "First view", "Median", "95 %", "Slowest", "CPU, first", "CPU, median"]
    print_table(title, head, rows)


def _row(path: str, taken: Sequence[Taken]) -> list[str]:
    first, *others = taken
    seconds, cpu = [item.seconds for item in others], [item.cpu for item in others]
    figures = (first.seconds, median(seconds), percentile(seconds, 95), max(seconds))
    return [path, *map(_ms, (*figures, first.cpu, median(cpu)))]


async def _ask(session: aiohttp.ClientSession, path: str, pid: int) -> Taken:
    before, started = processor_seconds(pid), time.perf_counter()
    async with session.get(path) as answer:
        await answer.read()
        if answer.status != HTTPStatus.OK:
            raise Failed(f"{path} was answered with {answer.status}.")
    return Taken(time.perf_counter() - started, processor_seconds(pid) - before)


async def _viewers(folder: Path) -> None:
    async with await open_database(_url(folder / "viewers.db"), flushed=False) as database:
        store = EventStore(database)
        async with _served(store) as url, aiohttp.ClientSession(url) as session:
            lags: list[float] = []
            watching = [
                asyncio.create_task(_watch(session, f"run{(viewer * 2 + n) % WATCHED}", lags))
                for viewer in range(VIEWERS)
                for n in range(WATCHED // VIEWERS)
            ]
            await asyncio.sleep(1)
            await asyncio.gather(*(_happen(store, f"run{n}") for n in range(WATCHED)))
            await asyncio.sleep(1)
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
    row = [f"{len(lags):,}", _ms(median(lags)), _ms(percentile(lags, 95)), _ms(max(lags))]
    title = f"From event to viewer, {VIEWERS} viewers of {WATCHED} runs, in ms; limit: 200"
    print_table(title, ["Events seen", "Median", "95 %", "Slowest"], [row])


@asynccontextmanager
async def _served(store: EventStore) -> AsyncIterator[str]:
    async def follow(request: web.Request) -> web.StreamResponse:
        async with stream(request) as response:
            async for batch in store.follow(request.match_info["id"]):
                for event in batch:
                    await send(response, event.data, number=event.number)
        return response

    app = web.Application()
    app.router.add_get("/{id}", follow)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _watch(session: aiohttp.ClientSession, run_id: str, lags: list[float]) -> None:
    async with session.get(f"/{run_id}", timeout=aiohttp.ClientTimeout(total=None)) as answer:
        async for line in answer.content:
            told = json.loads(line[6:]) if line.startswith(b"data: ") else None
            if told is not None:
                lags.append(time.time() - told["told"])


async def _happen(store: EventStore, run_id: str) -> None:
    """Let things happen in a run, not in step with the others."""
    keys = Keys()
    await asyncio.sleep(random.random() * PAUSE)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        event = RunEvent(EventType.NOTE, {"text": "x" * 200, "told": time.time()})
        await store.append(run_id, [KeyedEvent(keys.of(event), event)])
        await asyncio.sleep(PAUSE)


async def _fill(database: Database, count: int, installation: int) -> list[str]:
    """Store runs of 200 repositories and 40 days, and their events; return the runs' ids."""
    names: list[str] = []
    for start in range(0, count, _BATCH):
        made = [_run(n, installation) for n in range(start, min(start + _BATCH, count))]
        names += [item["id"] for item in made]
        told = [event for item in made for event in _events(item["id"], item["created_at"])]

        def act(connection: Connection, made: Any = made, told: Any = told) -> None:
            connection.execute(insert(runs), made)
            connection.execute(
                insert(accounts).prefix_with("OR IGNORE"),
                [key for item in made for key in _accounts(item)],
            )
            connection.execute(
                insert(attempts_made), [{"run_id": item["id"], "attempts": 2} for item in made]
            )
            connection.execute(insert(events), told)

        await database.write(act)
    return names


def _run(n: int, installation: int) -> dict[str, Any]:
    created = datetime.now(UTC) - timedelta(minutes=5 * n + 10)
    request = FixRequest(
        repository=f"acme/{'widgets' if n % 40 == 0 else 'app'}{n % 200}",
        installation_id=installation,
        number=n + 1,
        is_pull_request=False,
        actor="ada",
        comment_id=n + 1,
        asked_at=created,
    )
    verdict = tuple(Verdict)[n % len(Verdict)] if n % 2 else Verdict.FIXED
    return {
        "id": request.run_id,
        "repository": request.repository,
        "number": n + 1,
        "request": dump_request(request),
        "delivery_id": f"delivery-{n}",
        "status": RunStatus.DONE,
        "begun": 1,
        "verdict": verdict,
        "reason": "The failing command passes with the patch, and nothing broke.",
        "head": f"{n:040x}",
        "stop_requested": False,
        "report": _REPORT,
        "cost_usd": f"0.{n % 97:02}",
        "tokens": n,
        "created_at": created,
        "updated_at": created + timedelta(seconds=30 + n % 300),
    }


def _accounts(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a run was charged to: itself, its thread, and once its repository's day."""
    day = run["created_at"].date().isoformat()
    names = [Account(AccountScope.RUN, run["id"])]
    names.append(Account(AccountScope.THREAD, f"{run['repository']}#{run['number']}"))
    names.append(Account(AccountScope.REPOSITORY, f"{run['repository']}", day))
    for name in names:
        yield {
            "key": name.key,
            "spent": 10**7,
            "reserved": 0,
            "spent_tokens": run["tokens"],
            "reserved_tokens": 0,
            "sandbox_ms": 1000,
            "unpriced": 0,
        }


def _events(run_id: str, at: datetime) -> Iterator[dict[str, Any]]:
    """Yield a run of three attempts: two thirds of its events are output."""
    for number in range(1, EVENTS_OF_EACH + 1):
        kind, data = (
            (EventType.OUTPUT, {"text": "tests/test_app.py::test_it PASSED\n" * 5})
            if number % 3
            else _told(number // 3)
        )
        yield {
            "run_id": run_id,
            "number": number,
            "type": kind.value,
            "key": f"k{number}",
            "at": at + timedelta(seconds=number),
            "data": json.dumps(data),
        }


_PATCH = (
    "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,30 +1,30 @@\n"
    + "".join(f"     total = total + price[{n}]  # of the cart\n" for n in range(28))
    + '-    return "wrong"\n+    return "right"\n'
)


def _told(number: int) -> tuple[EventType, dict[str, Any]]:
    """Return what is told tenth by tenth of a run: an attempt, its turns, its end."""
    attempt, place = divmod(number, 10)
    match place:
        case 0:
            return EventType.PHASE, {"phase": "attempt", "attempt": attempt + 1, "detail": "agent"}
        case 9:
            return EventType.ATTEMPT, {
                "n": attempt + 1, "proposer": "agent", "model": "model", "patch": _PATCH,
                "exit_code": 1, "failing_before": ["a", "b"], "failing_after": ["a"],
                "guard_findings": [], "tokens": 900, "cost_usd": 0.01, "seconds": 30.0,
                "summary": "It should say right.", "accepted": False, "outcome": "failed",
                "ended": "", "output": "FAILED a\n" * 20,
            }  # fmt: skip
        case _ if place % 2:
            return EventType.TURN, {
                "attempt": attempt + 1, "turn": place, "model": "model", "action": "bash",
                "said": "I look at the file first.", "tokens": 100, "cost_usd": 0.001,
            }  # fmt: skip
        case _:
            return EventType.TOOL, {
                "attempt": attempt + 1, "turn": place, "tool": "bash", "action": "$ cat app.py",
                "asked": {"command": "cat app.py"}, "answer": "x = 1\n" * 40, "failed": False,
                "path": "", "operation": "",
            }  # fmt: skip


def _url(path: Path) -> SecretStr:
    return SecretStr(f"sqlite:///{path}")


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of each page")
    parser.add_argument("--runs", type=int, default=RUNS, help="in the database")
    chosen = parser.parse_args()
    print_machine()
    asyncio.run(main(rounds=chosen.rounds, runs_there=chosen.runs))
