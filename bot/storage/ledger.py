"""The ledger: what model calls cost and may cost, by run, thread, repository, installation, day.

A call reserves the most that it can cost on all of its accounts in one transaction, or not at all,
so that no order of events spends more than a cap, on one server or on several.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy import ColumnElement, Connection, or_, select

from bot.errors import StorageError
from bot.model import Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, named
from bot.model.money.budget import Shortage, affordable
from bot.model.money.caps import Caps
from bot.storage.database import Database
from bot.storage.ledger_tables import Books, Capped, standing
from bot.storage.names import names_of
from bot.storage.runs import RunStatus
from bot.storage.tables import accounts, reservations, runs

_KEYS = select(accounts.c.key).order_by(accounts.c.key)

_WRITTEN_WITHIN = 0.5
"""Seconds after which is written what no reservation took along."""

_MOST_CALLED = 200
"""Repositories whose accounts are looked for by a part of their names."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Said:
    """What a run has said and what is not written yet."""

    settled: list[tuple[str, Usage | None]] = field(default_factory=list)
    sandbox_ms: Counter[str] = field(default_factory=Counter)

    def enter(self, books: Books) -> None:
        """Enter it; the books must hold its calls and accounts."""
        for call, usage in self.settled:
            books.settle(call, usage)
        for key, spent in self.sandbox_ms.items():
            books.add([key], sandbox_ms=spent)

    @property
    def calls(self) -> list[str]:
        """Calls that are settled."""
        return [call for call, _ in self.settled]


class Ledger:
    """What all runs of all servers on one database may spend, reserve and have spent.

    What a run says of its past calls and commands is written with its next reservation, or soon.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._said: dict[str, _Said] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: set[asyncio.Future[None]] = set()

    async def reserve(
        self, run_id: str, call: str, capped: Capped, offers: Sequence[Amount]
    ) -> int | Shortage:
        """Reserve the first offer that all accounts cover; on disk when this returns.

        A reservation of the same call that is still open was made by a process that ended during
        the call: what it reserved is taken for spent, and the call reserves anew.

        Returns:
            The offer's index, or an account that covers none.

        Raises:
            StorageError: When the database fails; nothing is reserved.
        """
        said = self._said.pop(run_id, _Said())
        keys = [account.key for account in capped]

        def act(connection: Connection) -> int | Shortage:
            held = Books(connection, run_id, {call, *said.calls}, {*keys, *said.sandbox_ms})
            said.enter(held)
            held.close()
            chosen = affordable(held.balances(capped), offers)
            if isinstance(chosen, int):
                held.open(run_id, call, keys, offers[chosen])
            held.write()
            return chosen

        try:
            return await self._database.write(act)
        except StorageError:
            self._write(run_id, said)
            raise

    def settle(self, run_id: str, call: str, usage: Usage | None) -> None:
        """Replace a reservation by what the call cost; None takes all that was reserved.

        Returns before that is on disk. When the process ends before it is, the reservation stays
        and is taken for spent at the run's end.
        """
        self._of(run_id).settled.append((call, usage))

    def use_sandbox(self, run_id: str, capped: Iterable[Account], seconds: float) -> None:
        """Add the time of a command to the accounts; returns before that is on disk."""
        self._of(run_id).sandbox_ms.update(
            {account.key: round(seconds * 1000) for account in capped}
        )

    def _of(self, run_id: str) -> _Said:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_WRITTEN_WITHIN, self._write_all)
        return self._said.setdefault(run_id, _Said())

    def _write_all(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for run_id, said in self._said.items():
            self._write(run_id, said)
        self._said = {}

    def _write(self, run_id: str, said: _Said) -> None:
        def act(connection: Connection) -> None:
            books = Books(connection, run_id, said.calls, said.sandbox_ms)
            said.enter(books)
            books.write()

        try:
            writing = self._database.submit(act)
        except StorageError as error:
            _log.warning("ledger not written", problem=str(error))
            return
        self._writing.add(writing)
        writing.add_done_callback(self._written)

    async def close_run(self, run_id: str, capped: Capped) -> tuple[Balance, ...]:
        """Take what a run left reserved for spent, and return how its accounts stand.

        Raises:
            StorageError: When the database fails.
        """
        await self.written()

        def act(connection: Connection) -> tuple[Balance, ...]:
            books = Books(connection, run_id, keys=[account.key for account in capped])
            books.close()
            books.write()
            return tuple(books.balances(capped))

        return await self._database.write(act)

    async def close_ended_runs(self) -> None:
        """Take for spent what runs left reserved that are over, as a crash may have left them.

        Raises:
            StorageError: When the database fails.
        """
        ended = (
            select(reservations.c.run_id)
            .join(runs, runs.c.id == reservations.c.run_id)
            .where(reservations.c.is_open, runs.c.status == RunStatus.DONE)
            .distinct()
        )
        for run_id in await self._database.read(lambda connection: connection.scalars(ended).all()):
            await self.close_run(run_id, {})

    async def balances(self, capped: Capped) -> tuple[Balance, ...]:
        """Return how accounts stand; those that were never charged stand at nothing.

        Raises:
            StorageError: When the database fails.
        """
        await self.written()
        return await self._database.read(lambda connection: standing(connection, capped))

    async def listed(self, caps: Caps, *, name: str | None, day: str) -> tuple[Balance, ...]:
        """Return the accounts of a day, or those that have `name` in theirs, the widest first.

        Args:
            caps: To show them with; budgets of single runs are not known here.
            name: Part of a name; None for all of the day.
            day: Such as `2026-03-01`.

        Raises:
            StorageError: When the database fails.
        """

        def act(connection: Connection) -> tuple[Balance, ...]:
            within = accounts.c.key
            names = names_of(connection)
            like = within.endswith(f"/{day}") if name is None else _may_be_called(name, names)
            keys = connection.scalars(_KEYS.where(like))
            found = [named(Account.of_key(key), names) for key in keys]
            # the database looks at whole keys, and SQLite not at capitals
            wanted = [
                account
                for account in found
                if (account.day == day if name is None else name in account.label)
            ]
            return standing(connection, {account: caps.of(account.scope) for account in wanted})

        return await self._database.read(act)

    async def written(self) -> None:
        """Return once everything is on disk that was said so far."""
        self._write_all()
        while self._writing:
            await asyncio.wait(self._writing)

    def _written(self, writing: asyncio.Future[None]) -> None:
        self._writing.discard(writing)
        if not writing.cancelled() and (error := writing.exception()) is not None:
            # What was reserved stays reserved, so that no cap is passed.
            _log.warning("ledger not written", problem=str(error))


def _may_be_called(part: str, names: Mapping[str, str]) -> ColumnElement[bool]:
    """Return what picks the accounts that may have a part of a name in what they are called."""
    where = re.split("[#@]", part, maxsplit=1)[0]
    whose = [identity for identity, name in names.items() if where in name][:_MOST_CALLED]
    keys = (
        key
        for item in whose
        for key in (
            Account(AccountScope.REPOSITORY, item).key,
            Account(AccountScope.THREAD, f"{item}#").key.removesuffix("/"),
            Account(AccountScope.THREAD, f"{item}@").key.removesuffix("/"),
        )
    )
    called = (accounts.c.key.startswith(key, autoescape=True) for key in keys)
    return or_(accounts.c.key.contains(part, autoescape=True), *called)
