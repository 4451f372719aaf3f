"""The ledger: what model calls cost and may cost, by run, thread, repository, installation, day.

A call reserves the most that it can cost on all of its accounts in one transaction, or not at all,
so that no order of events spends more than a cap, on one server or on several.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import structlog
from sqlalchemy import Connection, select

from bot.repair.accounts import Account, Amount, Balance
from bot.repair.budget import affordable
from bot.repair.caps import Caps
from bot.repair.model import Usage
from bot.storage.books import Books, Capped, accounts, reservations, standing
from bot.storage.database import Database
from bot.storage.group_commit import Act
from bot.storage.runs import RunStatus, runs

_KEYS = select(accounts.c.key).order_by(accounts.c.key)

_log = structlog.get_logger(__name__)


class Ledger:
    """What all runs of all servers on one database may spend, reserve and have spent."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writing: set[asyncio.Future[None]] = set()

    async def reserve(
        self, run_id: str, call: str, capped: Capped, offers: Sequence[Amount]
    ) -> int | str:
        """Reserve the first offer that all accounts cover; on disk when this returns.

        A reservation of the same call that is still open was made by a process that ended during
        the call: what it reserved is taken for spent, and the call reserves anew.

        Returns:
            The offer's index, or why none is covered, as a sentence.

        Raises:
            StorageError: When the database fails; nothing is reserved.
        """

        def act(connection: Connection) -> int | str:
            books = Books(connection, run_id, call, [account.key for account in capped])
            books.close()
            chosen = affordable(books.balances(capped), offers)
            if isinstance(chosen, int):
                books.open(run_id, call, [account.key for account in capped], offers[chosen])
            books.write()
            return chosen

        return await self._database.write(act)

    def settle(self, run_id: str, call: str, usage: Usage | None) -> None:
        """Replace a reservation by what the call cost; None takes all that was reserved.

        Returns before that is on disk. Whoever reserves next in this process waits for it; when
        the process ends before, the reservation stays and is taken for spent at the run's end.

        Raises:
            StorageError: When the database is closed.
        """

        def act(connection: Connection) -> None:
            books = Books(connection, run_id, call)
            books.close(usage)
            books.write()

        self._soon(act)

    def use_sandbox(self, capped: Iterable[Account], seconds: float) -> None:
        """Add the time of a command to the accounts; returns before that is on disk."""
        keys = [account.key for account in capped]

        def act(connection: Connection) -> None:
            books = Books(connection, keys=keys)
            books.add(keys, sandbox_ms=round(seconds * 1000))
            books.write()

        self._soon(act)

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
            found = [Account.of_key(key) for key in connection.scalars(_KEYS)]
            wanted = [
                one for one in found if (one.day == day if name is None else name in one.name)
            ]
            return standing(connection, {one: caps.of(one.scope) for one in wanted})

        return await self._database.read(act)

    async def written(self) -> None:
        """Return once everything is on disk that was said so far."""
        while self._writing:
            await asyncio.wait(self._writing)

    def _soon(self, act: Act[None]) -> None:
        writing = self._database.submit(act)
        self._writing.add(writing)
        writing.add_done_callback(self._written)

    def _written(self, writing: asyncio.Future[None]) -> None:
        self._writing.discard(writing)
        if not writing.cancelled() and (error := writing.exception()) is not None:
            # What was reserved stays reserved, so that no cap is passed.
            _log.warning("ledger not written", problem=str(error))
