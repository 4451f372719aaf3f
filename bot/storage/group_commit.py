"""Let many concurrent writers share one transaction, and so one wait for the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError, SQLAlchemyError

from bot.errors import DatabaseUnavailable, StorageError

T = TypeVar("T")
Act = Callable[[Connection], T]
"""Reads and writes through the connection and does nothing else, so that it can run again."""

Outcome = tuple[object, Exception | None]
Fence = Callable[[Connection], None]
"""Raises `StorageError` where this process may not write any more."""

Fenced = tuple[Act[object], bool]
"""An act, and whether it is done only behind the fence."""

BATCH = 256
"""Acts in one transaction at most: bounds how long the first of them waits for the last."""


class GroupCommit:
    """One writer thread. What arrives while it commits goes together into the next transaction.

    One thread is no loss: SQLite has one writer at a time anyway, and waiting for its lock in
    several threads is slower than queueing. Used from one event loop.
    """

    def __init__(self, engine: Engine) -> None:
        self.fence: Fence | None = None
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="storage-writer")
        self._waiting: list[tuple[Fenced, asyncio.Future[object]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many acts wait for the next transaction."""
        return len(self._waiting)

    async def run(self, act: Act[T], *, fenced: bool = True) -> T:
        """Return what `act` returns, once its transaction is on disk.

        Raises:
            StorageError: When the act or the commit failed; nothing of it was kept.
        """
        return await self.submit(act, fenced=fenced)

    def submit(self, act: Act[T], *, fenced: bool = True) -> asyncio.Future[T]:
        """Take an act up, behind all earlier ones; its future ends once its transaction has.

        One that is `fenced` is done in a transaction that passed the fence, if there is one.

        The future fails with `StorageError` when the act or the commit failed; nothing of it was
        kept then.

        Raises:
            StorageError: When the database is closed.
        """
        if self._closed:
            raise DatabaseUnavailable("The database is closed because the server is shutting down.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(((act, fenced), future))  # type: ignore[arg-type] # the pair agrees on T
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return future

    async def close(self) -> None:
        """Finish what was begun, then end the thread."""
        self._closed = True
        if self._writer is not None:
            await self._writer
        await asyncio.to_thread(self._thread.shutdown)

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            acts = [act for act, _ in batch]
            outcomes = await loop.run_in_executor(
                self._thread, _commit, self._engine, acts, self.fence
            )
            for (_, future), (result, error) in zip(batch, outcomes, strict=True):
                _settle(future, result, error)
        self._writer = None


def _settle(future: asyncio.Future[object], result: object, error: Exception | None) -> None:
    if future.done():  # nobody waits for it: the client hung up
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _commit(engine: Engine, acts: Sequence[Fenced], fence: Fence | None) -> list[Outcome]:
    """Run the acts in one transaction; when that fails, each in its own.

    So one act that can't succeed spoils nobody else's.
    """
    try:
        with engine.begin() as connection:
            if fence is not None and any(fenced for _, fenced in acts):
                fence(connection)
            return [(act(connection), None) for act, _ in acts]
    except Exception as error:  # noqa: BLE001 - a bug in one act must reach its caller, and only it
        if len(acts) == 1:
            return [(None, failed(error) if isinstance(error, SQLAlchemyError) else error)]
    return [outcome for act in acts for outcome in _commit(engine, [act], fence)]


_AWAY = tuple(f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "READONLY", "IOERR"))


def failed(error: SQLAlchemyError) -> StorageError:
    """Return the error to raise for one of the database's, without the values it was given."""
    origin = getattr(error, "orig", None)
    reason = str(origin or type(error).__name__).strip().splitlines()[0]
    kind = DatabaseUnavailable if _is_away(error) else StorageError
    problem = kind(f"Database error: {reason}. Nothing was changed.")
    problem.__cause__ = error
    return problem


def _is_away(error: SQLAlchemyError) -> bool:
    """Whether the same may work later: no connection, no place, no right to write for a while."""
    if isinstance(origin := getattr(error, "orig", None), sqlite3.Error):
        return getattr(origin, "sqlite_errorname", "").startswith(_AWAY)
    return isinstance(error, InterfaceError | InternalError | OperationalError)
