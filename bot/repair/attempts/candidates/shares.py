"""What one of several attempts side by side pays from: its share of the run's budget."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model import Usage
from bot.model.money.accounts import Amount, Balance
from bot.model.money.budget import Shortage, affordable
from bot.model.money.reservations import Reservations


class Share:
    """`Reservations` of one attempt: a call has to fit into its share, and into the run's accounts.

    What it reserved is known here, so that an attempt that is stopped leaves no call open.
    """

    def __init__(self, whole: Reservations) -> None:
        """Say what pays in the end."""
        self._whole = whole
        self._open: dict[str, Amount] = {}
        self.sandbox_seconds = whole.sandbox_seconds

    async def reserve(self, call: str, offers: Sequence[Amount], own: Balance) -> int:
        """Reserve the first offer that the share and the run's accounts cover; see `Reservations`."""
        first = affordable([own], offers)
        if isinstance(first, Shortage):
            first.refuse()
        chosen = first + await self._whole.reserve(call, offers[first:], own)
        self._open[call] = offers[chosen]
        return chosen

    def settle(self, call: str, usage: Usage | None) -> None:
        """Say what a call cost; see `Reservations`."""
        self._open.pop(call, None)
        self._whole.settle(call, usage)

    def use_sandbox(self, seconds: float) -> None:
        """Record how long a command ran."""
        self._whole.use_sandbox(seconds)

    def abandon(self) -> Usage:
        """Take what calls under way reserved for spent, and return it: nobody tells their cost."""
        lost = Usage()
        for call, amount in self._open.items():
            self._whole.settle(call, None)
            lost += Usage(input=amount.tokens, cost_usd=amount.usd, calls=1)
        self._open = {}
        return lost
