"""Decide whether a run may spend more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn, assert_never

from bot.errors import BudgetExhausted
from bot.model import Limits, Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap


@dataclass(frozen=True, slots=True)
class Shortage:
    """An account that covers a call in none of its forms.

    Attributes:
        balance: Its state.
        amount: The most that the cheapest form of the call can cost.
    """

    balance: Balance
    amount: Amount

    def refuse(self) -> NoReturn:
        """Raise `BudgetExhausted`, which names the cap.

        Of an account that other runs share it gives no figures: the text may be public.
        """
        cap, account = self.balance.cap, self.balance.account
        spent, amount = self.balance.spent, self.amount
        if account.scope is not AccountScope.RUN:
            raise BudgetExhausted(
                f"The next model call could cost more than what is left of the {_shared(account)}. "
                "The dashboard shows what was spent."
            )
        if cap.usd is None or amount.usd is None or self.balance.usd + amount.usd <= cap.usd:
            raise BudgetExhausted(
                f"The next model call could take {amount.tokens:,} tokens, which the "
                f"budget of {cap.tokens or 0:,} tokens no longer covers "
                f"({spent.tokens:,} spent)."
            )
        reserved = self.balance.reserved.usd or Decimal(0)
        pending = f", ${reserved:.4f} reserved by calls in progress" if reserved else ""
        raise BudgetExhausted(
            f"The next model call could cost ${amount.usd:.4f}, which the "
            f"budget of ${cap.usd} no longer covers "
            f"(${spent.usd or Decimal(0):.4f} spent{pending})."
        )


def check_budget(limits: Limits, spent: Usage, *, now: float, deadline: float) -> None:
    """Raise `BudgetExhausted` when a cap of the run's own budget is reached.

    Args:
        limits: Of the run.
        spent: By the whole run so far.
        now: `time.time()`.
        deadline: When the run's wall time is over, on the same clock.
    """
    if now >= deadline:
        raise BudgetExhausted(f"The time budget of {limits.seconds:g} s is used up.")
    if limits.tokens is not None and spent.tokens >= limits.tokens:
        raise BudgetExhausted(
            f"The token budget of {limits.tokens:,} is used up ({spent.tokens:,} spent)."
        )
    if limits.cost_usd is not None and (spent.cost_usd or Decimal(0)) >= limits.cost_usd:
        raise BudgetExhausted(
            f"The budget of ${limits.cost_usd} is used up (${spent.cost_usd:.4f} spent)."
        )


def own_balance(limits: Limits, spent: Usage) -> Balance:
    """Return the balance of a run that is charged only to itself."""
    # A sum with an unknown part can't be held to a cap; what is known of it still is, by `check_budget`.
    cap = Cap(None if spent.cost_usd is None else limits.cost_usd, limits.tokens)
    return Balance(Account(AccountScope.RUN), cap, Amount(spent.cost_usd, spent.tokens))


def affordable(balances: Sequence[Balance], offers: Sequence[Amount]) -> int | Shortage:
    """Return which offer every account covers, as its index, or an account that covers none.

    Args:
        balances: Of every account that pays; each has to cover the whole call.
        offers: The most that the call can cost in each of its forms, the preferred one first.
    """
    for index, offer in enumerate(offers):
        if all(balance.covers(offer) for balance in balances):
            return index
    smallest = offers[-1]
    return next(Shortage(item, smallest) for item in balances if not item.covers(smallest))


def _shared(account: Account) -> str:
    match account.scope:
        case AccountScope.RUN:
            return "budget of this run"
        case AccountScope.THREAD:
            return f"budget for all runs on {account.label}"
        case AccountScope.REPOSITORY:
            return f"daily budget for {account.label}"
        case AccountScope.INSTALLATION:
            return "daily budget for this installation"
        case AccountScope.SERVER:
            return "daily budget for this server"
        case _:
            assert_never(account.scope)
