"""What a run may cost, and what it did cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Limits:
    """The budget of one run. None means no cap of that kind.

    Attributes:
        attempts: Candidate patches that may be verified.
        cost_usd: Money for model calls.
        seconds: Wall time of the whole run.
        tokens: Input and output tokens together.
        turns: Model turns in one attempt.
        command_seconds: Wall time of one command in the sandbox.
        setup_seconds: Wall time of the setup.
        sandbox_seconds: Wall time of all commands in sandboxes together.
    """

    attempts: int = 3
    cost_usd: Decimal | None = Decimal("2.00")
    seconds: float = 1800.0
    tokens: int | None = None
    turns: int = 60
    command_seconds: float = 600.0
    setup_seconds: float = 900.0
    sandbox_seconds: float | None = None

    @property
    def observation_seconds(self) -> float:
        """Seconds for a command that is verified: one that hangs must leave time for a fix.

        It runs several times, before and after the fix, so more than a quarter of the run does not
        help where it does end.
        """
        return min(self.command_seconds, self.seconds / 4)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What the search for a repair without a model may take.

    Attributes:
        edits: That are tried one by one; pairs of the best of them come on top.
        seconds: Wall time at most on a machine that does nothing else, and more of it on a busy one:
            it should not decide what is found.
        workers: Processes that try edits at the same time; None means one for each processor.
        confidence: Probability from which a patch counts as a repair; below, it is suggested.
    """

    seconds: float = 600.0
    workers: int | None = None
    confidence: float = 0.9
    edits: int = 10_000
