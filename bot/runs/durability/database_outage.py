"""Hold it against no run that the database was away: say so once that is back."""

from __future__ import annotations

import asyncio

from bot.errors import StorageError
from bot.storage.proofs import ProofStore
from bot.storage.runs import RunStore

EVERY_SECONDS = 1.0
_MOST_TRIES = 600
"""After that the interruption counts; most databases are back in less than ten minutes."""


class Excuses:
    """Notes interruptions that were not the run's doing, as soon as they can be noted."""

    def __init__(self, runs: RunStore | ProofStore, *, every: float = EVERY_SECONDS) -> None:
        self._runs = runs
        self._every = every
        self._waiting: set[asyncio.Task[None]] = set()

    def excuse(self, run_id: str) -> None:
        """Excuse a run that its process leaves at this moment."""
        task = asyncio.create_task(self._note(run_id))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def noted(self) -> None:
        """Return once nothing waits to be noted any more."""
        await asyncio.gather(*self._waiting)

    async def _note(self, run_id: str) -> None:
        for _ in range(_MOST_TRIES):
            try:
                await self._runs.handed_over(run_id)
            except StorageError:
                await asyncio.sleep(self._every)
            else:
                return
