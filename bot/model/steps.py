"""How the engine does anything that must not happen twice: through a named step."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Steps(Protocol):
    """Runs an act once, remembers its result, and returns the remembered one after a restart.

    Acts must be awaitable methods or functions whose arguments and results pickle. An act that
    was in flight at a crash runs again, so every act is idempotent.

    Attributes:
        lasting: Whether a later process goes on with a run that is cancelled in this one.
    """

    lasting: bool

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name` and return its result."""
        ...

    async def light(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Do the same for one of many; `name` is unique in the run."""
        ...


class PlainSteps:
    """Steps of a run that lives and dies with its process, as in `fixpoint fix`."""

    lasting = False

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:  # noqa: ARG002 - names matter to durable steps
        """Run `act(*args)`."""
        return await act(*args)

    light = __call__


async def now() -> float:
    """Return `time.time()`: as a step, so that a restarted run sees the same clock."""
    return time.time()
