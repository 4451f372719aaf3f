"""Ask the person at the terminal whether the specification is right."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from bot.errors import UsageError
from bot.model import Specification
from bot.model.deadline import StopSign, unless_stopped
from bot.reporting.reasons import specification as reasons

_YES = frozenset({"y", "yes"})


class TerminalApprover:
    """A `SpecificationApprover` for who started the command; the specification is shown already."""

    def __init__(
        self, paused: Callable[[], AbstractContextManager[None]], stopped: StopSign
    ) -> None:
        """Say what keeps the terminal free meanwhile, and what ends the waiting."""
        self._paused = paused
        self._stopped = stopped

    async def approves(self, specification: Specification) -> bool:
        """Return whether the person agrees; anything but a yes is a no.

        Raises:
            UsageError: Without a terminal.
            RunStopped: When the run is stopped meanwhile.
        """
        del specification
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError(reasons.no_terminal())
        with self._paused():
            sys.stderr.write("Write tests for these points and continue? [y/N] ")
            sys.stderr.flush()
            answer = await unless_stopped(_line, self._stopped)
        return answer.strip().lower() in _YES


async def _line() -> str:
    """Return the next line of stdin, without a thread that nobody could end."""
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()
    read: asyncio.Future[str] = loop.create_future()

    def take() -> None:
        if not read.done():
            read.set_result(sys.stdin.readline())

    loop.add_reader(fd, take)
    try:
        return await read
    finally:
        loop.remove_reader(fd)
