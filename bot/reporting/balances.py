"""How accounts stand, as a table: spent, reserved, left."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, assert_never

from bot.model.money.accounts import Account, AccountScope, Balance
from bot.reporting.example import example
from bot.reporting.figures import cap, count, duration, money
from bot.reporting.markdown import Section, details, escape, table

HEADER = ("Account", "Spent", "Reserved", "Left", "Cap", "Tokens", "Sandbox")


def section(balances: Sequence[Balance]) -> Section:
    """Return the run's own account, folded; nothing for a run without one.

    Those that it shares are for who may see them on the dashboard: a pull request may be public.
    """
    own = [balance for balance in balances if balance.account.scope is AccountScope.RUN]
    if not own:
        return Section(("",))
    cells = map(row, own)
    rows = [(escape(first), *figures) for first, *figures in cells]
    return Section((details("Budget", table(HEADER, rows)),), rank=1)


def row(balance: Balance) -> tuple[str, ...]:
    """Return the cells of an account, as plain text."""
    spent, unpriced = money(balance.spent.usd), balance.unpriced
    if unpriced:
        spent += f" and {count(unpriced, 'call')} with unknown price"
    return (
        name(balance.account),
        spent,
        money(balance.reserved.usd),
        "no cap" if balance.left is None else money(balance.left),
        "none" if balance.cap.usd is None else cap(balance.cap.usd),
        f"{balance.tokens:,}",
        duration(balance.sandbox_seconds),
    )


@example(Account(AccountScope.SERVER, day="2026-11-21"))
@example(Account(AccountScope.INSTALLATION, "7", "2026-11-21"))
@example(Account(AccountScope.REPOSITORY, "acme/app", "2026-11-21"))
@example(Account(AccountScope.THREAD, "acme/app#7"))
@example(Account(AccountScope.RUN, "3fa9c1d20b7e"))
def name(account: Account) -> str:
    """Return what an account is called."""
    match account.scope:
        case AccountScope.SERVER:
            return f"server on {account.day}"
        case AccountScope.INSTALLATION:
            return f"installation {account.name} on {account.day}"
        case AccountScope.REPOSITORY:
            return f"{account.label} on {account.day}"
        case AccountScope.THREAD:
            return account.label
        case AccountScope.RUN:
            return f"run {account.name}"
        case _:
            assert_never(account.scope)


def as_object(balance: Balance) -> dict[str, Any]:
    """Return an account for JSON; money is decimal text."""
    return {
        "scope": balance.account.scope.value,
        "name": balance.account.label,
        "day": balance.account.day or None,
        "spent_usd": _plain(balance.spent.usd),
        "reserved_usd": _plain(balance.reserved.usd),
        "left_usd": _plain(balance.left),
        "cap_usd": _plain(balance.cap.usd),
        "tokens": balance.tokens,
        "sandbox_seconds": balance.sandbox_seconds,
        "calls_of_unknown_price": balance.unpriced,
    }


def _plain(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount.normalize():f}"
