"""The pages of figures: how runs went by repository and day, and what they cost."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from aiohttp import web

from bot.model.money.accounts import Account, AccountScope
from bot.model.money.caps import Caps
from bot.storage.ledger import Ledger
from bot.storage.run_figures import DayFigures, RunFigures
from bot.web.caller import CALLER, Caller, Scope
from bot.web.charts import (
    Chart,
    attempts_chart,
    cost_chart,
    runs_chart,
    time_chart,
    tokens_chart,
)
from bot.web.pages.frame import Frame


class FigurePages:
    """Answers with figures of the repositories that the caller sees."""

    def __init__(self, frame: Frame, figures: RunFigures, ledger: Ledger, caps: Caps) -> None:
        self._frame = frame
        self._figures = figures
        self._ledger = ledger
        self._caps = caps

    async def repositories(self, request: web.Request) -> web.Response:
        """Show how runs went, by repository and by day."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        found, days = await asyncio.gather(
            self._figures.repositories(caller.sees), self._figures.days(caller.sees)
        )
        context = {"repositories": found, "charts": charts(days)}
        return self._frame.page(request, "repositories.html", "Repositories", context)

    async def money(self, request: web.Request) -> web.Response:
        """Show what was spent; the accounts that all share only to administrators."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        today = datetime.now(UTC).date()
        days, balances = await asyncio.gather(
            self._figures.days(caller.sees),
            self._ledger.listed(self._caps, name=None, day=today.isoformat()),
        )
        shown = [balance for balance in balances if _may_see(caller, balance.account)]
        context = {"charts": [cost_chart(days), tokens_chart(days)], "balances": shown}
        return self._frame.page(request, "money.html", "Money", context)


def charts(figures: tuple[DayFigures, ...]) -> list[Chart]:
    """Return success, attempts, cost and latency over time."""
    return [
        runs_chart(figures),
        attempts_chart(figures),
        cost_chart(figures),
        time_chart(figures),
    ]


def _may_see(caller: Caller, account: Account) -> bool:
    """Whether an account of a day is of a repository that the caller sees, or theirs to watch."""
    if account.scope is AccountScope.REPOSITORY:
        return caller.may_see(account.identity)
    return caller.may(Scope.ADMIN)
