"""Before each step: may this process still act, and should its runs stop here?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Stopping:
    """Runs of this process pass here before each step.

    Attributes:
        wanted: Whether they are to go no further.
    """

    def __init__(self, held: Callable[[], Awaitable[None]]) -> None:
        """Let nobody pass before `held` returns: see `bot.server.membership`."""
        self.wanted = False
        self._held = held
        self._tasks: dict[str, asyncio.Task[object]] = {}

    @property
    def tasks(self) -> frozenset[asyncio.Task[object]]:
        """What carries runs at the moment."""
        return frozenset(self._tasks.values())

    def entered(self, workflow_id: str, task: asyncio.Task[object]) -> None:
        """Take note of who carries a run; a later one takes the place of an earlier one."""
        self._tasks[workflow_id] = task

    def left(self, workflow_id: str, task: asyncio.Task[object]) -> None:
        """Take note that it does no more."""
        if self._tasks.get(workflow_id) is task:
            del self._tasks[workflow_id]

    async def pass_on(self, workflow_id: str) -> None:
        """Return when the run's next step may begin. A run that is to stop is cancelled here."""
        if self.wanted:
            if (task := self._tasks.get(workflow_id)) is not None:
                task.cancel()
            await asyncio.Event().wait()  # for that
        await self._held()
