"""What runs do, and how many of them there are at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.model.proof_request import ProofRequest
from bot.model.request import FixRequest

RunBody = Callable[[FixRequest], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RunBodies:
    """What runs do.

    Attributes:
        run: Carries a run to its end, or to a question for a person.
        go_on: Carries it from the answer to its end.
        outdated: Ends a run whose stored steps this version can't read.
        withdrawn: Ends a run that was stopped while it waited for its place.
        prove: Carries the proof of a pull request to its end.
    """

    run: RunBody
    go_on: RunBody
    outdated: RunBody
    withdrawn: RunBody
    prove: Callable[[ProofRequest], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How many runs there are at a time.

    Attributes:
        server: On each server.
        total: On all of them together; None for no limit.
        proofs: Proofs on each server, which take no place of a run.
    """

    server: int
    total: int | None = None
    proofs: int = 1


async def _elsewhere(_: object) -> None:
    raise RuntimeError("a process that carries no runs was given one")


NOT_HERE = RunBodies(_elsewhere, _elsewhere, _elsewhere, _elsewhere, _elsewhere)
"""Of a process that only queues runs."""
