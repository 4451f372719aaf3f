"""Decide whether a run may spend more."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

from bot.model import Limits, Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap


def used_up(limits: Limits, spent: Usage, *, now: float, deadline: float) -> str | None:
    """Return which cap of the run's own budget is reached, as a sentence, or None.

    Args:
        limits: Of the run.
        spent: By the whole run so far.
        now: `time.time()`.
        deadline: When the run's wall time is over, on the same clock.
    """
    if now >= deadline:
        return f"The time budget of {limits.seconds:g} s is used up."
    if limits.tokens is not None and spent.tokens >= limits.tokens:
        return f"The token budget of {limits.tokens:,} is used up ({spent.tokens:,} spent)."
    if limits.cost_usd is not None and (spent.cost_usd or Decimal(0)) >= limits.cost_usd:
        return f"The budget of ${limits.cost_usd} is used up (${spent.cost_usd:.4f} spent)."
    return None


def own_balance(limits: Limits, spent: Usage) -> Balance:
    """Return how a run stands that is charged to nothing but itself."""
    # A sum with an unknown part can't be held to a cap; what is known of it still is, by `used_up`.
    cap = Cap(None if spent.cost_usd is None else limits.cost_usd, limits.tokens)
    return Balance(Account(AccountScope.RUN), cap, Amount(spent.cost_usd, spent.tokens))


def affordable(balances: Sequence[Balance], offers: Sequence[Amount]) -> int | str:
    """Return which offer every account covers, as its index, or why none is, as a sentence.

    Args:
        balances: Of every account that pays; nothing pays for a part.
        offers: The most that the call can cost in each of its forms, the preferred one first.
    """
    for index, offer in enumerate(offers):
        if all(balance.covers(offer) for balance in balances):
            return index
    smallest = offers[-1]
    return next(_shortage(one, smallest) for one in balances if not one.covers(smallest))


def _shortage(balance: Balance, amount: Amount) -> str:
    cap, whose = balance.cap, _whose(balance.account)
    if cap.usd is not None and amount.usd is not None and balance.usd + amount.usd > cap.usd:
        return (
            f"The next model call could cost ${amount.usd:.4f}, which the budget of ${cap.usd}"
            f"{whose} no longer covers (${balance.spent.usd or Decimal(0):.4f} spent"
            f"{_reserved(balance)})."
        )
    return (
        f"The next model call could take {amount.tokens:,} tokens, which the budget of "
        f"{cap.tokens or 0:,} tokens{whose} no longer covers ({balance.spent.tokens:,} spent)."
    )


def _reserved(balance: Balance) -> str:
    reserved = balance.reserved.usd or Decimal(0)
    return f", ${reserved:.4f} reserved by calls under way" if reserved else ""


def _whose(account: Account) -> str:
    match account.scope:
        case AccountScope.RUN:
            return ""
        case AccountScope.THREAD:
            return f" for all runs on {account.name}"
        case AccountScope.REPOSITORY:
            return f" a day for {account.name}"
        case AccountScope.INSTALLATION:
            return " a day for this installation"
        case AccountScope.SERVER:
            return " a day for this server"
        case _:
            assert_never(account.scope)
