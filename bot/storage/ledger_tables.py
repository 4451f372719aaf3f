"""The ledger's tables, and one transaction's hold of them.

The rows of the accounts are locked for the transaction, the widest first: every transaction meets
the others at the server's row of the day, where it holds nothing yet that they could wait for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    select,
    update,
)

from bot.model import Usage
from bot.model.money.accounts import Account, Amount, Balance, Cap
from bot.storage.database import insert_if_new
from bot.storage.tables import accounts, reservations

Capped = Mapping[Account, Cap]
"""The accounts that a call is charged to, each with its cap."""

_NANO = Decimal(10) ** 9
"""Dollars are kept as whole billionths: exact sums in both databases."""


_FIGURES = ("spent", "reserved", "spent_tokens", "reserved_tokens", "sandbox_ms", "unpriced")
_RENEWED = ("accounts", "reserved", "reserved_tokens", "priced", "is_open", "at")

# Built once: that takes longer than carrying them out, and a model turn waits for six of them.
_UPDATE = (
    update(accounts)
    .where(accounts.c.key == bindparam("of"))
    .values({name: bindparam(f"new_{name}") for name in _FIGURES})
)
# SQLite, whose writers are alone anyway, is asked without the lock.
_LOCKED = (
    select(accounts)
    .where(accounts.c.key.in_(bindparam("keys", expanding=True)))
    .order_by(accounts.c.key)
    .with_for_update()
)
_OPEN_OF_RUN = select(reservations).where(
    reservations.c.is_open, reservations.c.run_id == bindparam("of_run")
)
_OPEN_OF_CALLS = _OPEN_OF_RUN.where(reservations.c.call.in_(bindparam("calls", expanding=True)))
_OF_CALL = update(reservations).where(
    reservations.c.run_id == bindparam("of_run"), reservations.c.call == bindparam("of_call")
)
_RENEW = _OF_CALL.values({name: bindparam(f"new_{name}") for name in _RENEWED})
_CLOSE = _OF_CALL.values(is_open=False)


class Books:
    """The locked rows of some accounts, with the open reservations of a run or of some calls.

    Figures are reckoned here and written back by `write`, in the same transaction.
    """

    def __init__(
        self,
        connection: Connection,
        run_id: str = "",
        calls: Collection[str] | None = None,
        keys: Iterable[str] = (),
    ) -> None:
        self._connection = connection
        found = self._open_of(run_id, calls)
        wanted = sorted({*keys, *(key for row in found for key in _charged(row))})
        rows = connection.execute(_LOCKED, {"keys": wanted}).all()
        if len(rows) < len(wanted):
            for key in wanted:
                insert_if_new(connection, accounts, {"key": key, **dict.fromkeys(_FIGURES, 0)})
            rows = connection.execute(_LOCKED, {"keys": wanted}).all()
        self._figures = {row.key: _figures(row) for row in rows}
        self._changed: set[str] = set()
        if found and connection.dialect.name != "sqlite":  # whose writers are alone anyway
            # Once more, now that nobody else can settle them.
            found = self._open_of(run_id, calls)
        self._open = found

    def _open_of(self, run_id: str, calls: Collection[str] | None) -> Sequence[Row[Any]]:
        if calls is None:
            return self._connection.execute(_OPEN_OF_RUN, {"of_run": run_id}).all()
        values = {"of_run": run_id, "calls": list(calls)}
        return self._connection.execute(_OPEN_OF_CALLS, values).all()

    def balances(self, capped: Capped) -> list[Balance]:
        """Return how accounts stand."""
        return [
            _balance(account, cap, self._figures[account.key]) for account, cap in capped.items()
        ]

    def open(self, run_id: str, call: str, keys: Sequence[str], amount: Amount) -> None:
        """Reserve an amount on accounts."""
        nano = _nano(amount.usd)
        row = {
            "run_id": run_id,
            "call": call,
            "accounts": json.dumps(keys),
            "reserved": nano,
            "reserved_tokens": amount.tokens,
            "priced": amount.usd is not None,
            "is_open": True,
            "at": datetime.now(UTC),
        }
        if not insert_if_new(self._connection, reservations, row):
            renewed = {f"new_{name}": row[name] for name in _RENEWED}
            self._connection.execute(_RENEW, {"of_run": run_id, "of_call": call, **renewed})
        self.add(keys, reserved=nano, reserved_tokens=amount.tokens)

    def settle(self, call: str, usage: Usage | None) -> None:
        """Replace a call's open reservation by what it cost; None takes what was reserved."""
        self._close([row for row in self._open if row.call == call], usage)

    def close(self) -> None:
        """Take what is still reserved for spent."""
        self._close(self._open, None)

    def _close(self, rows: Sequence[Row[Any]], usage: Usage | None) -> None:
        for row in rows:
            nano, tokens = row.reserved, row.reserved_tokens
            if usage is not None:
                tokens = usage.tokens
                # A cost that nobody knows may have been the most, where the price is known.
                nano = row.reserved if usage.cost_usd is None else _nano(usage.cost_usd)
            self.add(
                _charged(row),
                spent=nano,
                spent_tokens=tokens,
                reserved=-row.reserved,
                reserved_tokens=-row.reserved_tokens,
                unpriced=0 if row.priced else 1,
            )
        if rows:
            closed = [{"of_run": row.run_id, "of_call": row.call} for row in rows]
            self._connection.execute(_CLOSE, closed)
        self._open = [row for row in self._open if row not in rows]

    def add(self, keys: Iterable[str], **figures: int) -> None:
        """Add to figures of accounts."""
        for key in keys:
            for name, value in figures.items():
                self._figures[key][name] += value
            self._changed.add(key)

    def write(self) -> None:
        """Write back what changed."""
        rows = [
            {"of": key, **{f"new_{name}": self._figures[key][name] for name in _FIGURES}}
            for key in sorted(self._changed)
        ]
        if rows:
            self._connection.execute(_UPDATE, rows)


def standing(connection: Connection, capped: Capped) -> tuple[Balance, ...]:
    """Return how accounts stand, without a lock; those never charged stand at nothing."""
    keys = [account.key for account in capped]
    rows = connection.execute(select(accounts).where(accounts.c.key.in_(keys))).all()
    known = {row.key: _figures(row) for row in rows}
    nothing = dict.fromkeys(_FIGURES, 0)
    return tuple(_balance(key, cap, known.get(key.key, nothing)) for key, cap in capped.items())


def _charged(row: Row[Any]) -> list[str]:
    keys: list[str] = json.loads(row.accounts)
    return keys


def _figures(row: Row[Any]) -> dict[str, int]:
    return {name: getattr(row, name) for name in _FIGURES}


def _nano(usd: Decimal | None) -> int:
    return int(((usd or Decimal(0)) * _NANO).to_integral_value(ROUND_CEILING))


def _balance(account: Account, cap: Cap, figures: Mapping[str, int]) -> Balance:
    return Balance(
        account,
        cap,
        spent=Amount(figures["spent"] / _NANO, figures["spent_tokens"]),
        reserved=Amount(figures["reserved"] / _NANO, figures["reserved_tokens"]),
        sandbox_seconds=figures["sandbox_ms"] / 1000,
        unpriced=figures["unpriced"],
    )
