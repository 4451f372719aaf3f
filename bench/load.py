"""Send signed deliveries at a steady rate, whatever the answers do, and report every latency.

A process of its own, so that it takes no time from the server's. Latency counts from the moment at
which a delivery was due, not from when it could be sent: a server that stalls is charged for all
that waited meanwhile (no coordinated omission).

    python -m bench.load URL DELIVERIES RATE SECONDS

Without a rate (0) it keeps some connections busy: each sends the next delivery once the last one was
answered, which shows how many a server takes at most.

DELIVERIES is a JSON file: a list of {"headers": {...}, "body": "..."}, sent in turn. One with the
header `X-GitHub-Delivery` keeps that id, as a redelivery does; the others get new ones. On stdout: a
JSON object with `latencies` in seconds, `statuses` by count, and `accepted` ids.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import uuid
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import aiohttp

_ID = "X-GitHub-Delivery"
_CONNECTIONS = 64
_BUSY = 32


class Load:
    """What was sent so far, and what came back."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url
        self.latencies: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.accepted: set[str] = set()

    async def send(self, due: float, headers: dict[str, str], body: bytes) -> None:
        """Send one delivery that was due at that moment of `time.perf_counter()`."""
        try:
            async with self._session.post(self._url, data=body, headers=headers) as response:
                said = await response.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            self.statuses[type(error).__name__] += 1
            return
        answer = json.loads(said) if said.startswith("{") else {}
        self.latencies.append(time.perf_counter() - due)
        self.statuses[f"{response.status} {answer.get('status', '')}".strip()] += 1
        if answer.get("status") == "accepted":
            self.accepted.add(headers[_ID])


async def run(url: str, deliveries: list[dict[str, Any]], rate: float, seconds: float) -> Load:
    """Send for some seconds, then wait for what is under way."""
    prepared = cycle([(delivery["headers"], delivery["body"].encode()) for delivery in deliveries])
    connector = aiohttp.TCPConnector(limit=_CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        load = Load(session, url)
        started = time.perf_counter()
        async with asyncio.TaskGroup() as sending:
            for number in range(round(rate * seconds)):
                due = started + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                headers, body = next(prepared)
                sending.create_task(load.send(due, {_ID: str(uuid.uuid4())} | headers, body))
    return load


async def fill(url: str, deliveries: list[dict[str, Any]], seconds: float) -> Load:
    """Send as much as is answered."""
    prepared = cycle([(delivery["headers"], delivery["body"].encode()) for delivery in deliveries])
    connector = aiohttp.TCPConnector(limit=_BUSY)
    async with aiohttp.ClientSession(connector=connector) as session:
        load = Load(session, url)
        until = time.perf_counter() + seconds

        async def keep_sending() -> None:
            while (now := time.perf_counter()) < until:
                headers, body = next(prepared)
                await load.send(now, {_ID: str(uuid.uuid4())} | headers, body)

        await asyncio.gather(*(keep_sending() for _ in range(_BUSY)))
    return load


def main() -> None:
    """Run as the command line says."""
    url, file, rate, seconds = sys.argv[1:]
    deliveries = json.loads(Path(file).read_text())
    sending = (
        run(url, deliveries, float(rate), float(seconds))
        if float(rate)
        else fill(url, deliveries, float(seconds))
    )
    load = asyncio.run(sending)
    found = {
        "latencies": load.latencies,
        "statuses": load.statuses,
        "accepted": sorted(load.accepted),
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
