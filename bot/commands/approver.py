"""Ask the person at the terminal whether the specification is right."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TextIO

from bot.errors import UsageError
from bot.model import Specification
from bot.model.deadline import StopSign, unless_stopped
from bot.reporting.reasons import test_first as reasons

_YES = frozenset({"y", "yes"})


class TerminalApprover:
    """A `SpecificationApprover` for who started the command; the specification is shown already."""

    def __init__(
        self,
        paused: Callable[[], AbstractContextManager[None]],
        stopped: StopSign,
        *,
        given: TextIO | None = None,
        shown: TextIO | None = None,
    ) -> None:
        """Describe the terminal.

        Args:
            paused: Keeps it free while the question stands there.
            stopped: Ends the waiting.
            given: What the person types; stdin when None.
            shown: Where the question goes; stderr when None.
        """
        self._paused = paused
        self._stopped = stopped
        self._given = sys.stdin if given is None else given
        self._shown = sys.stderr if shown is None else shown

    async def approves(self, specification: Specification) -> bool:
        """Return whether the person agrees; anything but a yes is a no.

        Raises:
            UsageError: Without a terminal.
            RunStopped: When the run is stopped meanwhile.
        """
        del specification
        if not (self._given.isatty() and self._shown.isatty()):
            raise UsageError(reasons.NO_TERMINAL)
        with self._paused():
            self._shown.write("Write tests for these points and continue? [y/N] ")
            self._shown.flush()
            answer = await unless_stopped(self._line, self._stopped)
        return answer.strip().lower() in _YES

    async def _line(self) -> str:
        """Return the next line that is typed, without a thread that nobody could end."""
        loop = asyncio.get_running_loop()
        read: asyncio.Future[str] = loop.create_future()

        def take() -> None:
            if not read.done():
                read.set_result(self._given.readline())

        loop.add_reader(self._given, take)
        try:
            return await read
        finally:
            loop.remove_reader(self._given)
