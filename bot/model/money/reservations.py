"""How a run pays for its model calls: reserved before a call, settled after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.model import Usage
from bot.model.deadline import StopSign
from bot.model.money.accounts import Amount, Balance
from bot.model.money.budget import Shortage, affordable


class Reservations(Protocol):
    """Pays for one run.

    Every reservation is settled, or counts as spent in full: a call whose answer was lost may
    have been billed all the same.

    Attributes:
        sandbox_seconds: That commands of the run took in earlier processes.
    """

    sandbox_seconds: float

    async def reserve(self, call: str, offers: Sequence[Amount], own: Balance) -> int:
        """Reserve money for the first offer that is covered, and return its index.

        Args:
            call: Names the call, uniquely in its run. A name that comes again is the same call,
                made again after a crash: what its first try reserved counts as spent.
            offers: The most that the call can cost in each of its forms, the preferred one first.
            own: How the run itself stands, as it knows from its calls.

        Raises:
            BudgetExhausted: When no offer is covered; the text names the cap.
        """
        ...

    def settle(self, call: str, usage: Usage | None) -> None:
        """Say what a call cost, its failed tries included; None takes the most that it could."""
        ...

    def use_sandbox(self, seconds: float) -> None:
        """Record how long a command ran."""
        ...


class OwnReservations:
    """Pays for a run that has its own budget and no other: `fixpoint fix` on this machine."""

    sandbox_seconds = 0.0

    async def reserve(self, call: str, offers: Sequence[Amount], own: Balance) -> int:  # noqa: ARG002 - calls come one after the other, so none needs its name
        """See that the run's own budget covers the call; see `Reservations`."""
        chosen = affordable([own], offers)
        if isinstance(chosen, Shortage):
            chosen.refuse()
        return chosen

    def settle(self, call: str, usage: Usage | None) -> None:
        """Do nothing: the run knows what it spent."""

    def use_sandbox(self, seconds: float) -> None:
        """Do nothing: the run's limits count it."""


@dataclass(frozen=True, slots=True)
class Money:
    """What one call is paid from.

    Attributes:
        reservations: Pays.
        call: Names the call, uniquely in its run.
        own: How the run itself stands.
        stopped: Set once the run must stop: then the call ends too.
    """

    reservations: Reservations
    call: str
    own: Balance
    stopped: StopSign = field(default_factory=StopSign)
