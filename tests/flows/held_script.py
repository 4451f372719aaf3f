"""A model that can be made to think for as long as a story wants."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from tests.fakes.model import Request, Step
from tests.flows.server_process import PATIENCE


class HeldScript:
    """A script by turns whose answers can be held back.

    Attributes:
        asked: How often each turn was asked for.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.asked: Counter[int] = Counter()
        self._steps = steps
        self._held: dict[int, asyncio.Event] = {}
        self._met: dict[int, asyncio.Event] = {}

    async def __call__(self, request: Request) -> Step:
        turn = request.turn
        self.asked[turn] += 1
        if turn in self._held:
            self._met[turn].set()
            await self._held[turn].wait()
        return self._steps[min(turn, len(self._steps)) - 1]

    def hold(self, turn: int) -> None:
        """Let this turn wait."""
        self._held[turn], self._met[turn] = asyncio.Event(), asyncio.Event()

    async def reached(self, turn: int) -> None:
        """Wait until a model is asked for this turn."""
        await asyncio.wait_for(self._met[turn].wait(), PATIENCE)

    def let_go(self, turn: int) -> None:
        """Answer it."""
        self._held.pop(turn).set()
