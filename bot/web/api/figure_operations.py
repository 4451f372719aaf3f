"""Figures: how runs went by repository, and what was spent."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus

from aiohttp import web

from bot.model.money.accounts import Account, AccountScope
from bot.model.money.caps import Caps
from bot.storage.ledger import Ledger
from bot.storage.run_figures import RunFigures
from bot.web.api.exchange import answer
from bot.web.api.models import BudgetPart, RepositoryPage, account_part, repository_part
from bot.web.api.operation import PREFIX, Operation
from bot.web.api.parameters import Parameter, Words
from bot.web.caller import CALLER, Caller, Scope

_NAME = Parameter(
    "name",
    "Part of a repository, `owner/name#12` or a run's id; without it, the accounts of today.",
    Words(400),
)


class FigureOperations:
    """Answers programs that look at many runs at once."""

    def __init__(self, figures: RunFigures, ledger: Ledger, caps: Caps) -> None:
        self._figures = figures
        self._ledger = ledger
        self._caps = caps

    def operations(self) -> tuple[Operation, ...]:
        """Return what this does."""
        return (
            Operation(
                "GET", f"{PREFIX}/repositories", self.list_repositories, Scope.READ,
                "Show how the runs of the last 30 days went, by repository.",
                None, RepositoryPage,
            ),
            Operation(
                "GET", f"{PREFIX}/budget", self.show_budget, Scope.READ,
                "Show what was spent, is reserved, and is left. The accounts that repositories "
                "share, and those of single runs, require the scope `admin`.",
                None, BudgetPart, query=(_NAME,), problems=(HTTPStatus.UNPROCESSABLE_ENTITY,),
            ),
        )  # fmt: skip

    async def list_repositories(self, request: web.Request) -> web.Response:
        """Show how runs went."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        found = await self._figures.repositories(caller.sees)
        return answer(RepositoryPage(repositories=tuple(map(repository_part, found))))

    async def show_budget(self, request: web.Request) -> web.Response:
        """Show accounts."""
        caller = request[CALLER]
        caller.demand(Scope.READ)
        today = datetime.now(UTC).date().isoformat()
        balances = await self._ledger.listed(self._caps, name=_NAME.of(request) or None, day=today)
        shown = [balance for balance in balances if may_see(caller, balance.account)]
        return answer(BudgetPart(accounts=tuple(map(account_part, shown))))


def may_see(caller: Caller, account: Account) -> bool:
    """Whether an account is of a repository that the caller sees, or theirs to watch."""
    if account.identity:
        return caller.may_see(account.identity)
    return caller.may(Scope.ADMIN) and (
        caller.sees is None or account.scope is not AccountScope.RUN
    )
