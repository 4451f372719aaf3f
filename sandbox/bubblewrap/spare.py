"""Keep a jail ready for a sandbox's next command: most of what a command costs is its jail.

A sandbox that is used again and again, by a model for instance, gets its next jail while the
command before it still runs. What is to be run is told by a script on stdin, at the last moment.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from sandbox.bubblewrap.processes import Jail, Jailed
from sandbox.spawn import through


class Spare:
    """At most one waiting jail.

    Args:
        prepare: Describes a jail that runs the script at the given descriptor.
    """

    def __init__(self, prepare: Callable[[int], Jailed]) -> None:
        self._prepare = prepare
        self._script: int | None = None
        self._jail: Jail | None = None
        self._starting: asyncio.Task[None] | None = None

    def make(self) -> None:
        """Begin to start a jail, unless there is one."""
        if self._jail is not None:
            return
        self._script = os.memfd_create("fixpoint")
        self._jail = Jail(self._prepare(self._script))
        self._starting = asyncio.create_task(self._jail.start())

    async def take(self, script: str) -> Jail | None:
        """Return the jail, which is the caller's to run or end; None if there is no working one.

        Args:
            script: Shell code for it to run.
        """
        if self._jail is None or self._starting is None or self._script is None:
            return None
        try:
            await asyncio.shield(self._starting)
        except OSError:
            await self.drop()
            return None
        if not self._jail.waits:
            await self.drop()
            return None
        os.write(self._script, os.fsencode(script))
        os.close(self._script)
        jail = self._jail
        self._jail = self._starting = self._script = None
        return jail

    async def drop(self) -> None:
        """End the waiting jail."""
        if self._jail is None or self._starting is None or self._script is None:
            return
        ending = _end(self._jail, self._starting, self._script)
        self._jail = self._starting = self._script = None
        await through(asyncio.ensure_future(ending))


async def _end(jail: Jail, starting: asyncio.Task[None], script: int) -> None:
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    os.close(script)
    await jail.end()
