"""Decide which accounts a run is charged to, and the cap of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import TypeVar, assert_never

from bot.model import Limits
from bot.model.money.accounts import Account, AccountScope, Cap
from bot.model.request import FixRequest

T = TypeVar("T", Decimal, int, float)


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that may be spent, beyond the budget of one run. None means no cap of that kind.

    Attributes:
        run_usd: Dollars of one run, whatever its repository allows.
        thread_usd: Dollars of all runs on one issue or pull request, or on a branch that has none.
        repository_usd: Dollars a day for one repository.
        installation_usd: Dollars a day for one installation.
        day_usd: Dollars a day in all.
        run_tokens: Tokens of one run.
        sandbox_seconds: Of all commands of one run.
        runs_per_hour: That one repository may start.
    """

    run_usd: Decimal | None = None
    thread_usd: Decimal | None = None
    repository_usd: Decimal | None = None
    installation_usd: Decimal | None = None
    day_usd: Decimal | None = None
    run_tokens: int | None = None
    sandbox_seconds: float | None = None
    runs_per_hour: int | None = None

    def of(self, scope: AccountScope) -> Cap:
        """Return the cap of accounts of a kind."""
        match scope:
            case AccountScope.SERVER:
                return Cap(self.day_usd)
            case AccountScope.INSTALLATION:
                return Cap(self.installation_usd)
            case AccountScope.REPOSITORY:
                return Cap(self.repository_usd)
            case AccountScope.THREAD:
                return Cap(self.thread_usd)
            case AccountScope.RUN:
                return Cap(self.run_usd, self.run_tokens)
            case _:
                assert_never(scope)

    def within(self, other: Caps) -> Caps:
        """Return the stricter of both, cap by cap."""
        return Caps(
            run_usd=stricter(self.run_usd, other.run_usd),
            thread_usd=stricter(self.thread_usd, other.thread_usd),
            repository_usd=stricter(self.repository_usd, other.repository_usd),
            installation_usd=stricter(self.installation_usd, other.installation_usd),
            day_usd=stricter(self.day_usd, other.day_usd),
            run_tokens=stricter(self.run_tokens, other.run_tokens),
            sandbox_seconds=stricter(self.sandbox_seconds, other.sandbox_seconds),
            runs_per_hour=stricter(self.runs_per_hour, other.runs_per_hour),
        )


NO_CAPS = Caps()


def stricter(one: T | None, other: T | None) -> T | None:
    """Return the smaller cap; None is no cap."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def limited(limits: Limits, caps: Caps) -> Limits:
    """Return a run's budget within the caps."""
    return replace(
        limits,
        cost_usd=stricter(limits.cost_usd, caps.run_usd),
        tokens=stricter(limits.tokens, caps.run_tokens),
        sandbox_seconds=stricter(limits.sandbox_seconds, caps.sandbox_seconds),
    )


def charged(
    request: FixRequest, limits: Limits, caps: Caps, now: datetime
) -> Mapping[Account, Cap]:
    """Return the accounts of a run's calls, each with its cap.

    Args:
        request: Of the run.
        limits: Its budget, within the caps.
        caps: Of the server and the repository.
        now: UTC; its day is the one that is charged.
    """
    day, repository = now.date().isoformat(), request.repo.identity
    branch = request.failed.branch if request.failed else ""
    thread = f"@{branch}" if request.number is None else f"#{request.number}"
    name = request.repository
    shared = (
        Account(AccountScope.SERVER, "", day),
        Account(AccountScope.INSTALLATION, str(request.installation_id), day),
        Account(AccountScope.REPOSITORY, repository, day, name),
        Account(AccountScope.THREAD, f"{repository}{thread}", shown=f"{name}{thread}"),
    )
    own = Account(AccountScope.RUN, request.run_id)
    return {
        **{account: caps.of(account.scope) for account in shared},
        own: Cap(limits.cost_usd, limits.tokens),
    }
