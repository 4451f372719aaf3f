"""Outlast passing faults of sandboxes: a step that one stopped is repeated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import stamina

from bot.model.steps import Steps
from sandbox.base import SandboxFault, SandboxGone

T = TypeVar("T")

_TRIES = 4
_FIRST_WAIT = 1.0
"""Seconds before the second try; each further one waits twice as long."""


class StepsBeyondFaults:
    """Steps that are repeated when a sandbox fails, as they are after a crash in the middle.

    A sandbox that ended is opened anew by the step itself. Light steps are not repeated: whoever
    asked for one, such as a model for a command, is told what happened.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self.lasting = steps.lasting
        self.light = steps.light

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name` and return its result.

        Raises:
            SandboxError: The last one, where trying again did not help.
        """
        return await self._steps(name, partial(_insisted, act), *args)


async def _insisted(act: Callable[..., Awaitable[T]], *args: object) -> T:
    async for attempt in stamina.retry_context(
        on=(SandboxFault, SandboxGone),
        attempts=_TRIES,
        timeout=None,
        wait_initial=_FIRST_WAIT,
        wait_jitter=_FIRST_WAIT / 5,
    ):
        with attempt:
            return await act(*args)
    raise AssertionError("stamina ends with a result or an exception")
