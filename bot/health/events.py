"""What changes in the health of a server, as it is told to runs, logs and metrics."""

from __future__ import annotations

from dataclasses import dataclass

from bot.health.service import ServiceKind, ServiceView


@dataclass(frozen=True, slots=True)
class ServiceChanged:
    """A circuit opened, is probed or closed; or a service became slow, or is no longer.

    Attributes:
        view: How it stands now.
        instead: The first of its kind that works, itself included; None when none does.
    """

    view: ServiceView
    instead: str | None


@dataclass(frozen=True, slots=True)
class Escalated:
    """A person has to look at it.

    Attributes:
        kind: Of the services.
        services: Which ones fail.
        all_out: Whether these are all of their kind that there are.
        seconds: For which the first of them has failed.
        reason: Of the last failure, as a sentence.
    """

    kind: ServiceKind
    services: tuple[str, ...]
    all_out: bool
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class EscalationOver:
    """What a person was told to look at works again, or at least one service of its kind does.

    Attributes:
        kind: Of the services.
        services: Which ones work again.
    """

    kind: ServiceKind
    services: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConcurrencyChanged:
    """The server works on fewer runs at once, or on more again.

    Attributes:
        limit: How many from now on.
        most: How many the settings allow.
        why: What is scarce or fails, in words; empty when there is more again.
    """

    limit: int
    most: int
    why: tuple[str, ...] = ()


HealthEvent = ServiceChanged | Escalated | EscalationOver | ConcurrencyChanged
