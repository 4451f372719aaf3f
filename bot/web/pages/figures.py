"""The pages of figures: how runs went by repository and day, and what they cost."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from aiohttp import web
from cachetools import TTLCache

from bot.model.money.accounts import Account, AccountScope
from bot.model.money.caps import Caps
from bot.storage.ledger import Ledger
from bot.storage.run_figures import DayFigures, EndedRun, days, repositories
from bot.storage.run_lists import RunLists
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

_CHART_DAYS = 30
_KNOWN_SECONDS = 10.0
_KNOWN_VIEWS = 16


class FigurePages:
    """Answers with figures of the repositories that the caller sees."""

    def __init__(self, frame: Frame, lists: RunLists, ledger: Ledger, caps: Caps) -> None:
        self._frame = frame
        self._lists = lists
        self._ledger = ledger
        self._caps = caps
        self._known: TTLCache[frozenset[str] | None, tuple[EndedRun, ...]]
        self._known = TTLCache(_KNOWN_VIEWS, _KNOWN_SECONDS)

    async def _ended(self, caller: Caller) -> tuple[EndedRun, ...]:
        """Return the runs of the last days that a caller sees, as they were a few seconds ago."""
        found = self._known.get(caller.sees)
        if found is None:
            found = self._known[caller.sees] = await self._lists.ended(among=caller.sees)
        return found

    async def repositories(self, request: web.Request) -> web.Response:
        """Show how runs went, by repository and by day."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        ended = await self._ended(caller)
        context = {"repositories": repositories(ended), "charts": charts(month(ended))}
        return self._frame.page(request, "repositories.html", "Repositories", context)

    async def money(self, request: web.Request) -> web.Response:
        """Show what was spent; the accounts that all share only to administrators."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        today = datetime.now(UTC).date()
        ended, balances = await asyncio.gather(
            self._ended(caller),
            self._ledger.listed(self._caps, name=None, day=today.isoformat()),
        )
        shown = [one for one in balances if _may_see(caller, one.account)]
        figures = month(ended)
        context = {"charts": [cost_chart(figures), tokens_chart(figures)], "balances": shown}
        return self._frame.page(request, "money.html", "Money", context)


def month(ended: tuple[EndedRun, ...]) -> tuple[DayFigures, ...]:
    """Return the figures of each of the last days."""
    return days(ended, datetime.now(UTC).date(), _CHART_DAYS)


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
        return caller.may_see(account.name)
    return caller.may(Scope.ADMIN)
