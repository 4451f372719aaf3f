"""Notice when a run gets further, so that one that keeps ending its server can be told apart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.model.steps import Steps

T = TypeVar("T")

MOST_INTERRUPTIONS = 5
"""How often in a row a run may be interrupted without having got further."""


class CountedSteps:
    """Steps that say, once, that one of them was done in this process and not before."""

    def __init__(self, steps: Steps, got_further: Callable[[], Awaitable[None]]) -> None:
        self.lasting = steps.lasting
        self._steps = steps
        self._got_further = got_further
        self._told = False

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name` and return its result."""
        return await self._counted(self._steps, name, act, *args)

    async def light(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the light step `name` and return its result."""
        return await self._counted(self._steps.light, name, act, *args)

    async def _counted(
        self,
        step: Callable[..., Awaitable[T]],
        name: str,
        act: Callable[..., Awaitable[T]],
        *args: object,
    ) -> T:
        done = False

        async def noted(*given: object) -> T:
            nonlocal done
            result = await act(*given)
            done = True
            return result

        result = await step(name, noted, *args)
        if done and not self._told:
            self._told = True
            await self._got_further()
        return result
