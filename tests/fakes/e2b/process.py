"""One command in a machine, with E2B's manners: it outlives whoever listens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.e2b import wire

_PIECE = 32 * 1024
_WAITING_EVENTS = 64
_DRAIN_SECONDS = 1.0
_POLL_SECONDS = 0.003


@dataclass(slots=True, eq=False)
class Process:
    """A command, running or ended.

    Attributes:
        pid: As the machine's API says it.
        arguments: Program and arguments.
        environment: What the caller gave.
        user: Account.
        signals: Names of the signals that it got.
        returncode: None while it runs; negative when a signal ended it.
        events: For the one stream; None says that the machine is gone.
    """

    pid: int
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    user: str
    child: asyncio.subprocess.Process
    init: int
    signals: list[str] = field(default_factory=list)
    returncode: int | None = None
    events: asyncio.Queue[dict[str, Any] | None] = field(
        default_factory=lambda: asyncio.Queue(_WAITING_EVENTS)
    )
    heard: bool = True
    _main: int = 0
    _pump: asyncio.Task[None] | None = None

    def follow(self) -> None:
        """Start to pass its output on."""
        self._pump = asyncio.ensure_future(self._follow())

    async def _follow(self) -> None:
        await self._tell(wire.started(self.pid))
        readers = [
            asyncio.ensure_future(self._read(stream, kind))
            for stream, kind in ((self.child.stdout, "stdout"), (self.child.stderr, "stderr"))
        ]
        while self.child.returncode is None:  # noqa: ASYNC110 - wait() waits for the pipes, too
            await asyncio.sleep(_POLL_SECONDS)
        # What it started may hold its output open; as in envd, nobody waits for that.
        await asyncio.wait(readers, timeout=_DRAIN_SECONDS if self.heard else 0)
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        killed = "SIGNAL_SIGKILL" in self.signals
        self.returncode = -signal.SIGKILL if killed else self.child.returncode
        await self._tell(wire.ended(self.returncode))

    async def _read(self, stream: asyncio.StreamReader | None, kind: str) -> None:
        while stream is not None and (piece := await stream.read(_PIECE)):
            await self._tell(wire.wrote(kind, piece))

    async def _tell(self, event: dict[str, Any]) -> None:
        if self.heard:
            await self.events.put(event)

    def ignore(self) -> None:
        """Note that nobody listens any more; whoever waits for room in the queue goes on."""
        self.heard = False
        while not self.events.empty():
            self.events.get_nowait()

    def send(self, name: str) -> None:
        """Send a signal to this process and to no other."""
        self.signals.append(name)
        number = signal.Signals[name.removeprefix("SIGNAL_")]
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._main_pid(), number)

    def _main_pid(self) -> int:
        """Return the host's pid of the command: the first child of bubblewrap's process 1."""
        if not self._main:
            with contextlib.suppress(OSError, IndexError):
                children = f"/proc/{self.init}/task/{self.init}/children"
                with open(children, encoding="ascii") as file:  # noqa: PTH123 - no file
                    self._main = int(file.read().split()[0])
        return self._main or self.init

    async def destroy(self) -> None:
        """End it with everything it left behind, as when the machine loses power."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.init, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self.child.kill()
        self.ignore()
        if self._pump is not None:
            await self._pump
        await self.child.wait()
        self.events.put_nowait(None)


async def launch(
    bwrap: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str], user: str
) -> Process:
    """Start a command behind bubblewrap."""
    reader, writer = os.pipe()
    try:
        child = await asyncio.create_subprocess_exec(
            *(*bwrap, "--info-fd", str(writer), "--", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(environment),
            pass_fds=(writer,),
        )
    finally:
        os.close(writer)
    said = await asyncio.to_thread(_read_all, reader)
    if not said:
        _, errors = await child.communicate()
        raise RuntimeError(f"bubblewrap did not start: {errors.decode(errors='replace')}")
    init = int(json.loads(said)["child-pid"])
    return Process(child.pid, tuple(arguments), dict(environment), user, child, init)


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
