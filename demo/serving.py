"""`fixpoint serve` as a process of its own: start it, know its address, end it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.05
_TAIL_LINES = 25


class DemoFailed(Exception):
    """The demo can't go on; the text says why, the log's end may follow."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A running server.

    Attributes:
        process: Of the server, head of its own process group.
        log: The file that it logs to.
        url: Where it listens.
        started_in: Seconds until it did.
    """

    process: Process
    log: Path
    url: str
    started_in: float

    def check(self) -> None:
        """Raise `DemoFailed` when the server has ended."""
        _check(self.process, self.log)


@asynccontextmanager
async def serve(
    environment: Mapping[str, str], log: Path, role: str = "serve"
) -> AsyncIterator[Serving]:
    """Run the server while the block lasts; nothing of it is left behind.

    Raises:
        DemoFailed: When it does not start.
    """
    started = time.monotonic()
    with log.open("wb") as written:
        process = await create_subprocess_exec(
            *(sys.executable, "-m", "bot", role),
            env=environment,
            stdin=DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,  # Ctrl-C is for the demo, which ends the server in order
        )
    try:
        port = await _listening(process, log)
        yield Serving(process, log, f"http://127.0.0.1:{port}", time.monotonic() - started)
    finally:
        await _end(process)


def tail(log: Path) -> str:
    """Return the last lines of the log."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-_TAIL_LINES:])


async def _listening(process: Process, log: Path) -> int:
    """Return the server's port once its log names it."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        _check(process, log)
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                event = json.loads(line)
                if event.get("event") == "listening":
                    return int(event["port"])
        await asyncio.sleep(_POLL_SECONDS)
    raise DemoFailed(f"The server did not start within {_START_SECONDS:.0f} s.\n{tail(log)}")


def _check(process: Process, log: Path) -> None:
    if process.returncode is not None:
        raise DemoFailed(f"The server ended with status {process.returncode}.\n{tail(log)}")


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            pass
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
