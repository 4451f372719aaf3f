"""Keep a jail ready for a sandbox's next command: most of what a command costs is its jail.

A sandbox that is used again and again, by a model for instance, gets its next jail while the
command before it still runs. What is to be run is told by a script on stdin, at the last moment.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass

from sandbox.bubblewrap.processes import Jail, Jailed
from sandbox.spawn import through


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A jail that was told to start, and the descriptor at which it reads what to run."""

    jail: Jail
    starting: asyncio.Task[None]
    script: int

    async def end(self) -> None:
        self.starting.cancel()
        await asyncio.gather(self.starting, return_exceptions=True)
        os.close(self.script)
        await self.jail.end()


class Spare:
    """At most one waiting jail, for the first of those who ask at the same time.

    Args:
        prepare: Describes a jail that runs the script at the given descriptor.
    """

    def __init__(self, prepare: Callable[[int], Jailed]) -> None:
        self._prepare = prepare
        self._waiting: _Waiting | None = None

    def make(self) -> None:
        """Begin to start a jail, unless there is one."""
        if self._waiting is None:
            script = os.memfd_create("fixpoint")
            jail = Jail(self._prepare(script))
            self._waiting = _Waiting(jail, asyncio.create_task(jail.start()), script)

    async def take(self, script: str) -> Jail | None:
        """Return the jail, which is the caller's to run or end; None if there is no working one.

        Args:
            script: Shell code for it to run.
        """
        taken, self._waiting = self._waiting, None
        if taken is None:
            return None
        try:
            await asyncio.shield(taken.starting)
        except OSError:
            await _ended(taken)
            return None
        except asyncio.CancelledError:
            await _ended(taken)
            raise
        if not taken.jail.waits:
            await _ended(taken)
            return None
        os.write(taken.script, os.fsencode(script))
        os.close(taken.script)
        return taken.jail

    async def drop(self) -> None:
        """End the waiting jail."""
        dropped, self._waiting = self._waiting, None
        if dropped is not None:
            await _ended(dropped)


async def _ended(waiting: _Waiting) -> None:
    """End a jail, also when nobody waits for that any more."""
    await through(asyncio.ensure_future(waiting.end()))
