"""The services that runs depend on, and what can be told of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bot.health.window import Figures


class ServiceKind(StrEnum):
    """What a service does for runs; those of one kind stand in for each other."""

    MODEL = "model"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True)
class Service:
    """A provider of models, or a kind of sandbox, by the name that people configure."""

    kind: ServiceKind
    name: str


class CircuitState(StrEnum):
    """Whether a service is called: https://martinfowler.com/bliki/CircuitBreaker.html."""

    CLOSED = "closed"
    """It works, and is called."""
    HALF_OPEN = "half-open"
    """One call finds out whether it works again; the others don't wait for that."""
    OPEN = "open"
    """It fails, and is not called."""


@dataclass(frozen=True, slots=True)
class ServiceFailure:
    """Why a service failed.

    Attributes:
        reason: As a sentence.
        certain: Whether every call will fail for a while, so that one says it all.
        passing: Whether it may end by itself; a bad key does not.
    """

    reason: str
    certain: bool = False
    passing: bool = True


@dataclass(frozen=True, slots=True)
class ServiceView:
    """How a service stands.

    Attributes:
        service: Which one.
        state: Of its circuit.
        slow: It answers, and much slower than usual.
        figures: Of the last minutes; those that opened the circuit while it is not closed.
        since: Seconds for which it has been so.
        out_for: Seconds for which it has not been called, probes apart; None while it is called.
        failure: The last one, while the circuit is not closed.
    """

    service: Service
    state: CircuitState = CircuitState.CLOSED
    slow: bool = False
    figures: Figures = field(default_factory=Figures)
    since: float = 0.0
    out_for: float | None = None
    failure: ServiceFailure | None = None

    @property
    def works(self) -> bool:
        """Whether it is called."""
        return self.state is CircuitState.CLOSED
