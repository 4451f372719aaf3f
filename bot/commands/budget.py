"""`fixpoint budget`: what was spent, what is reserved and what is left, from the ledger."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.commands import event_loop
from bot.model.money.accounts import Balance
from bot.reporting.balances import HEADER, as_object, row
from bot.reporting.plain import print_table
from bot.server.limits import caps_of
from bot.settings.environment import load_store_settings
from bot.storage.database import open_database
from bot.storage.ledger import Ledger

if TYPE_CHECKING:
    from rich.table import Table


def run_budget(name: str | None, *, as_json: bool) -> None:
    """Print the accounts of today, or those that are called like `name`.

    Args:
        name: A repository, `owner/name#12` or a run's id; a part of one will do.
        as_json: Print one JSON object on stdout.

    Raises:
        UsageError: When the settings or the database can't be used.
        StorageError: When the database fails.
    """
    from rich.console import Console

    balances = event_loop.run(_balances(name))
    if as_json:
        print(json.dumps({"accounts": [as_object(balance) for balance in balances]}, indent=2))  # noqa: T201 - what was asked for
        return
    console = Console()
    if balances:
        print_table(_table(balances), console)
    else:
        console.print("Nothing has been charged yet." if name is None else "No such account.")


async def _balances(name: str | None) -> tuple[Balance, ...]:
    settings = load_store_settings(os.environ)
    async with await open_database(settings.database_url) as database:
        ledger = Ledger(database)
        today = datetime.now(UTC).date().isoformat()
        return await ledger.listed(caps_of(settings), name=name, day=today)


def _table(balances: tuple[Balance, ...]) -> Table:
    from rich import box
    from rich.table import Table

    shown = Table(*HEADER, box=box.SIMPLE)
    for balance in balances:
        shown.add_row(*row(balance))
    return shown
