"""Steps of attempts side by side: known by their names, in whatever order they end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.model.steps import Steps

T = TypeVar("T")


class StepsAtOnce:
    """Every step a light one: those are kept by name, the others by their order in the run."""

    def __init__(self, steps: Steps) -> None:
        """Say where they are kept."""
        self._steps = steps
        self.lasting = steps.lasting

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name`; see `bot.model.steps.Steps`."""
        return await self._steps.light(name, act, *args)

    light = __call__
