"""How fast `fixpoint serve` acknowledges webhooks once they are on disk, under a steady load."""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from bench.processes import Failed, clean_environment
from bench.serving import FixpointServer
from bench.tables import percentile, print_machine, print_table
from bench.task import TASK
from tests.fakes.github import Event, GitHubServer

RATE = 200.0
SECONDS = 20.0
_WARM_UP = 3.0
_PROJECT = Path(__file__).resolve().parent.parent


async def main(*, rate: float = RATE, seconds: float = SECONDS) -> None:
    """Load a server of its own, check that it kept everything, and print the latencies."""
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        folder = Path(name)
        async with FixpointServer(folder / "server") as server:
            deliveries = folder / "deliveries.json"
            deliveries.write_text(json.dumps(_deliveries(server)))
            await send(server.webhook, deliveries, rate, _WARM_UP)
            found = await send(server.webhook, deliveries, rate, seconds)
            missing = set(found["accepted"]) - kept(server.database)
    if missing:
        raise Failed(f"{len(missing)} deliveries were acknowledged and are not in the database.")
    _print(found, rate)


def _deliveries(server: FixpointServer) -> list[dict[str, Any]]:
    """Return twenty deliveries as an App gets them all day: hardly any asks for something.

    Seventeen comments, one of which comes again and again, and two events that mean nothing to us.
    """
    issue = server.github.state.open_issue(server.repository, "ada", TASK, "It should say right.")
    talk = [
        server.github.comment(
            issue, "ada", f"`/fix` has not helped on machine {number}.\n" * number
        )
        for number in range(1, 18)
    ]
    opened = server.github.event(issue, "opened")
    again = {"X-GitHub-Delivery": str(uuid.uuid4())}
    return [
        *(signed(server.github, event) for event in (*talk, opened, opened)),
        signed(server.github, talk[0], again),
    ]


def signed(
    github: GitHubServer, event: Event, more: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return a delivery of an event, as `bench.load` takes it."""
    body = json.dumps(event.payload)
    headers = github.headers(event.name, body.encode(), "")
    del headers["X-GitHub-Delivery"]
    return {"headers": headers | (more or {}), "body": body}


async def send(url: str, deliveries: Path, rate: float, seconds: float) -> dict[str, Any]:
    """Send deliveries from a process of its own, see `bench.load`; return what it reports.

    Raises:
        Failed: When one was not taken.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.load", url),
        *(str(deliveries), str(rate), str(seconds)),
        cwd=_PROJECT,
        env=clean_environment({}),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise Failed("The load generator failed.")
    found: dict[str, Any] = json.loads(out)
    strange = {status for status in found["statuses"] if not status.startswith("20")}
    if strange:
        raise Failed(f"Not every delivery was taken: {found['statuses']}")
    return found


def kept(database: Path) -> set[str]:
    """Return the ids of all deliveries in a database."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return {row[0] for row in connection.execute("SELECT id FROM deliveries")}


def _print(found: dict[str, Any], rate: float) -> None:
    latencies = found["latencies"]
    shown = [f"{percentile(latencies, percent) * 1000:.1f}" for percent in (50, 90, 99, 99.9)]
    row = (f"{rate:.0f}/s", f"{len(latencies)}", *shown, f"{max(latencies) * 1000:.1f}")
    title = "Signed deliveries, from due to acknowledged"
    print_table(title, ("", "count", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"), [row])
    answers = ", ".join(f"{count} {status}" for status, count in sorted(found["statuses"].items()))
    print(f"\nAnswers: {answers}. All that were accepted are in the database.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    print_machine()
    asyncio.run(main(rate=given.rate, seconds=given.seconds))
