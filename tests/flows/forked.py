"""`python -m bot` without its imports: a process that has them forks one for each start.

Starting Python and importing what a server needs takes three seconds of processor time, as much as
the rest of a story. What is forked is a process of its own in all that stories look at: it has its
environment, folder and files, can be killed, and shares nothing with another one.
"""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from signal import SIGKILL, Signals

IMPORTED = (
    "bot.commands.cli",
    "bot.commands.doctor",
    "bot.commands.fix",
    "bot.commands.localise",
    "bot.commands.verify",
    "bot.llm.build",
    "bot.repair.proposers.agent",
    "bot.repair.proposers.mechanical",
    "bot.server.lifecycle",
    "bot.storage.database",
    "sandbox.bubblewrap",
)
"""What commands import when they run. One that is missing here is imported then, and is slower."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The files that are a process's standard input, output and errors."""

    given: Path
    out: Path
    err: Path


class ForkedProcess:
    """A started `python -m bot`; its methods are those of `asyncio.subprocess.Process`."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it lives."""
        return self._process.exitcode

    def send_signal(self, number: Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    async def wait(self) -> int:
        """Wait for its end, and return how it ended."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self._process.exitcode is not None
        return self._process.exitcode

    async def end(self) -> None:
        """Kill it if it lives still."""
        if self.returncode is None:
            self.send_signal(SIGKILL)
            await self.wait()


async def start(
    arguments: Sequence[str], variables: Mapping[str, str], folder: Path, streams: Streams
) -> ForkedProcess:
    """Start it with nothing but these variables, in a folder."""
    given = (tuple(arguments), dict(variables), str(folder), streams)
    process = _context().Process(target=_become, args=given)
    await asyncio.to_thread(process.start)  # the first one of a test process waits for the imports
    return ForkedProcess(process)


@functools.cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*IMPORTED])
    return context


def _become(
    arguments: tuple[str, ...], variables: dict[str, str], folder: str, streams: Streams
) -> None:
    """Be what `python -m bot` would be."""
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    appending = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, path, flags in (
        (0, streams.given, os.O_RDONLY),
        (1, streams.out, appending),
        (2, streams.err, appending),
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process lives
    sys.argv = ["fixpoint", *arguments]
    runpy.run_module("bot", run_name="__main__", alter_sys=True)
