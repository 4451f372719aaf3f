"""Amounts, and the accounts that they are charged to: a run, its thread, and three kinds of day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

_BEHIND = re.compile(r"[#@]")
"""Before the number of a thread or a branch; neither is in a repository's name."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What model calls cost or may cost.

    Attributes:
        usd: US dollars; None when the price is unknown, which no cap in dollars can hold.
        tokens: Read and written, whatever their price.
    """

    usd: Decimal | None = Decimal(0)
    tokens: int = 0


class AccountScope(StrEnum):
    """What a cap is for, the widest first; a day is one of UTC."""

    SERVER = "server"
    INSTALLATION = "installation"
    REPOSITORY = "repository"
    THREAD = "thread"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Account:
    """Something that is charged.

    Attributes:
        scope: Its kind.
        name: Which one: a run's id, a repository's identity, alone or with `#12` or `@branch` behind
            it, an installation's id, or "".
        day: `2026-03-01`, or "" for what is not counted by days.
        shown: What people read instead of an identity: `owner/name#12` and so on; else "".
    """

    scope: AccountScope
    name: str = ""
    day: str = ""
    shown: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """Which one, as people read it."""
        return self.shown or self.name

    @property
    def identity(self) -> str:
        """Of the repository that it belongs to; "" for what belongs to none."""
        of_one = self.scope in {AccountScope.REPOSITORY, AccountScope.THREAD}
        return _BEHIND.split(self.name, maxsplit=1)[0] if of_one else ""

    @property
    def key(self) -> str:
        """Its unique name; sorted, the widest come first, and so they are locked first."""
        return f"{tuple(AccountScope).index(self.scope)}/{self.name}/{self.day}"

    @classmethod
    def of_key(cls, key: str) -> Account:
        """Return the account of a key."""
        rank, _, rest = key.partition("/")
        name, _, day = rest.rpartition("/")
        return cls(tuple(AccountScope)[int(rank)], name, day)


def named(account: Account, names: Mapping[str, str]) -> Account:
    """Return an account as people read it, given the names of repositories by identity."""
    whose = account.identity
    return replace(account, shown=account.name.replace(whose, names.get(whose, whose), 1))


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that an account may hold; None where there is no such cap."""

    usd: Decimal | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Balance:
    """The state of an account.

    Attributes:
        account: Which one.
        cap: Its limit.
        spent: Settled; calls whose answer was lost count with the most that they can have cost.
        reserved: For calls in progress.
        sandbox_seconds: Of commands in the sandbox.
        unpriced: Calls whose price is unknown, which `spent` lacks.
    """

    account: Account
    cap: Cap = Cap()
    spent: Amount = Amount()
    reserved: Amount = Amount()
    sandbox_seconds: float = 0.0
    unpriced: int = 0

    @property
    def usd(self) -> Decimal:
        """Dollars spent and reserved."""
        return (self.spent.usd or Decimal(0)) + (self.reserved.usd or Decimal(0))

    @property
    def tokens(self) -> int:
        """Tokens spent and reserved."""
        return self.spent.tokens + self.reserved.tokens

    @property
    def left(self) -> Decimal | None:
        """Dollars that may still be reserved; None without a cap."""
        return None if self.cap.usd is None else max(Decimal(0), self.cap.usd - self.usd)

    def covers(self, amount: Amount) -> bool:
        """Whether that much may be reserved on top."""
        in_dollars = (
            self.cap.usd is None or amount.usd is None or self.usd + amount.usd <= self.cap.usd
        )
        return in_dollars and (
            self.cap.tokens is None or self.tokens + amount.tokens <= self.cap.tokens
        )
