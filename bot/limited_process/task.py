"""A piece of work with its limits, and how it ends."""

from __future__ import annotations

import resource
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bot.errors import FixpointError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a piece of work may use.

    Attributes:
        seconds: Processor time.
        memory: Bytes of address space.
    """

    seconds: int = 20
    memory: int = 2**30


class TooMuch(FixpointError):
    """Work took more than its allowance; what it was for is up to the caller."""

    def __init__(self, allowance: Allowance) -> None:
        super().__init__(
            f"Reading it takes more than {allowance.seconds} s of processor time or "
            f"{allowance.memory // 2**20} MiB of memory."
        )
        self.allowance = allowance

    def __reduce__(self) -> tuple[type[TooMuch], tuple[Allowance]]:
        return type(self), (self.allowance,)


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[T]):
    """How work ended.

    Attributes:
        value: What it returned.
        error: What it raised on purpose.
        bug: The traceback of what it raised otherwise, or "".
    """

    value: T | None = None
    error: FixpointError | None = None
    bug: str = ""

    def result(self) -> T:
        """Return the value, or raise what the work raised."""
        if self.error is not None:
            raise self.error
        if self.bug:
            raise RuntimeError(f"Work apart raised an exception.\n{self.bug}")
        return self.value  # type: ignore[return-value]  # None only where the work returned it


@dataclass(frozen=True, slots=True)
class LimitedTask:
    """Work to be done in this process, the last thing that it does."""

    work: Callable[..., Any]
    args: tuple[Any, ...]
    allowance: Allowance

    def done(self) -> TaskResult[Any]:
        """Return how it ended; what takes too much of the processor ends the process."""
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, self.allowance.seconds),
            (resource.RLIMIT_AS, self.allowance.memory),
        ):
            resource.setrlimit(kind, (most, most))
        try:
            return TaskResult(self.work(*self.args))
        except FixpointError as error:
            return TaskResult(error=error)
        except (MemoryError, RecursionError):
            return TaskResult(error=TooMuch(self.allowance))
        except Exception:  # noqa: BLE001 - a bug, told where bugs are told
            return TaskResult(bug=traceback.format_exc())
