"""What a run on GitHub pays from: the ledger that it shares with all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from bot.model import Usage
from bot.model.money.accounts import AccountScope, Amount, Balance
from bot.model.money.budget import Shortage
from bot.storage.ledger import Ledger
from bot.storage.ledger_tables import Capped


class LedgerReservations:
    """A `bot.model.money.reservations.Reservations` on the ledger. Build it with `open_reservations`."""

    def __init__(
        self,
        ledger: Ledger,
        run_id: str,
        charged: Callable[[datetime], Capped],
        sandbox_seconds: float,
    ) -> None:
        self.sandbox_seconds = sandbox_seconds
        self._ledger = ledger
        self._run_id = run_id
        self._charged = charged

    async def reserve(self, call: str, offers: Sequence[Amount], own: Balance) -> int:  # noqa: ARG002 - the run's own account is in the ledger too
        """Reserve on every account of the run; see `Reservations`.

        Raises:
            BudgetExhausted: When one of them covers no offer.
            StorageError: When the database fails.
        """
        capped = self._charged(datetime.now(UTC))
        chosen = await self._ledger.reserve(self._run_id, call, capped, offers)
        if isinstance(chosen, Shortage):
            chosen.refuse()
        return chosen

    def settle(self, call: str, usage: Usage | None) -> None:
        """Say what a call cost; see `Reservations`."""
        self._ledger.settle(self._run_id, call, usage)

    def use_sandbox(self, seconds: float) -> None:
        """Say that a command ran for so long."""
        self._ledger.use_sandbox(self._run_id, self._charged(datetime.now(UTC)), seconds)

    async def close(self) -> tuple[Balance, ...]:
        """Take what is still reserved for spent, and return how the run's accounts stand.

        Raises:
            StorageError: When the database fails.
        """
        return await self._ledger.close_run(self._run_id, self._charged(datetime.now(UTC)))


async def open_reservations(
    ledger: Ledger, run_id: str, charged: Callable[[datetime], Capped]
) -> LedgerReservations:
    """Return the reservations of a run, which other processes may have worked on before.

    Args:
        ledger: Keeps it.
        run_id: Of the run.
        charged: Returns the accounts of a moment.

    Raises:
        StorageError: When the database fails.
    """
    balances = await ledger.balances(charged(datetime.now(UTC)))
    [own] = [balance for balance in balances if balance.account.scope is AccountScope.RUN]
    return LedgerReservations(ledger, run_id, charged, own.sandbox_seconds)
