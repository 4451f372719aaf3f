"""The real server in a process of its own, to be killed and started again; its log is the window.

server = ServerProcess(scene.variables(tmp_path / "data"), tmp_path)
async with server.running():
    await scene.github.deliver(event, server.webhook)
    await server.logged("phase started", phase="set up")
    await server.kill()
    await server.start()
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.flows import forked
from tests.flows.forked import ForkedProcess, Streams

PATIENCE = 600.0
"""Seconds that a story waits for what must come, on the busiest of machines."""

Line = dict[str, Any]


class ServerProcess:
    """`python -m bot serve`, or another part of it, with an environment of nothing but what is given.

    Attributes:
        lives: How often it was started.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        folder: Path,
        *,
        role: str = "serve",
        imports_anew: bool = False,
    ) -> None:
        """With `imports_anew` it is what `/proc` shows of a server too, and starts slowly."""
        fixed = {
            "HOST": "127.0.0.1",
            "PORT": "0",
            "FIXPOINT_WORKER_PORT": "0",
            "HOME": str(folder),
        }
        self.variables = {"PATH": os.environ["PATH"], **fixed, **variables}
        self.lives = 0
        self._role = role
        self._file = folder / "server.log"
        self._begin = 0
        self._url = ""
        self._folder = folder
        self._imports_anew = imports_anew
        self._process: asyncio.subprocess.Process | ForkedProcess | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start it, and see to it that it ends."""
        await self.start()
        try:
            yield
        finally:
            await self.kill()

    @property
    def webhook(self) -> str:
        """Where it takes webhooks in this life."""
        return self.address("/webhook")

    def address(self, path: str) -> str:
        """Where it answers in this life."""
        return f"{self._url}{path}"

    @property
    def pid(self) -> int:
        """Of the living process."""
        assert self._process is not None
        return self._process.pid

    @property
    def lives_on(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        self._file.touch()
        self._begin = self._file.stat().st_size
        if self._imports_anew:
            self._process = await self._interpreted()
        else:
            streams = Streams(Path(os.devnull), self._file, self._file)
            self._process = await forked.start([self._role], self.variables, self._folder, streams)
        self.lives += 1
        listening = await self.logged("listening")
        self._url = f"http://127.0.0.1:{listening['port']}"

    async def _interpreted(self) -> asyncio.subprocess.Process:
        with self._file.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", self._role),
                cwd=self._folder,
                env=self.variables,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def status(self, path: str) -> int:
        """Return with which status it answers."""
        async with aiohttp.ClientSession() as session, session.get(self.address(path)) as answer:
            return answer.status

    async def until_status(self, path: str, status: int) -> None:
        """Wait until it answers with that status."""
        async with asyncio.timeout(PATIENCE):
            while await self.status(path) != status:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """End it at once, wherever it is."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        await self._end(signal.SIGTERM)

    def ask_to_stop(self) -> None:
        """Ask it to end, as a platform does."""
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def exit_code(self) -> int:
        """Wait for its end."""
        assert self._process is not None
        return await asyncio.wait_for(self._process.wait(), PATIENCE)

    async def _end(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)
            await asyncio.wait_for(self._process.wait(), PATIENCE)

    @property
    def text(self) -> str:
        """All that it wrote, in every life."""
        return self._file.read_text()

    def lines(self) -> list[Line]:
        """Return the log of this life."""
        with self._file.open("rb") as log:
            log.seek(self._begin)
            written = log.read().decode().splitlines(keepends=True)
        # the last one may be half-written, and what is no JSON is no line of the log
        return [json.loads(line) for line in written if line.startswith("{") and line[-1] == "\n"]

    async def logged(self, event: str, **fields: object) -> Line:
        """Wait for a line of this life that has the event and these fields."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for line in self.lines():
                    if line["event"] == event and fields.items() <= line.items():
                        return line
                assert self._process is not None
                assert self._process.returncode is None, self.text
                await asyncio.sleep(0.02)
