"""Let many concurrent writers share one transaction, and so one wait for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError

T = TypeVar("T")
Act = Callable[[Connection], T]
"""Reads and writes through the connection and does nothing else, so that it can run again."""

Outcome = tuple[object, Exception | None]

BATCH = 256
"""Acts in one transaction at most: bounds how long the first of them waits for the last."""


class GroupCommit:
    """One writer thread. What arrives while it commits goes together into the next transaction.

    One thread is no loss: SQLite has one writer at a time anyway, and waiting for its lock in
    several threads is slower than queueing. Used from one event loop.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="storage-writer")
        self._waiting: list[tuple[Act[object], asyncio.Future[object]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many acts wait for the next transaction."""
        return len(self._waiting)

    async def run(self, act: Act[T]) -> T:
        """Return what `act` returns, once its transaction is on disk.

        Raises:
            StorageError: When the act or the commit failed; nothing of it was kept.
        """
        return await self.submit(act)

    def submit(self, act: Act[T]) -> asyncio.Future[T]:
        """Take an act up, behind all earlier ones; its future ends once its transaction has.

        The future fails with `StorageError` when the act or the commit failed; nothing of it was
        kept then.

        Raises:
            StorageError: When the database is closed.
        """
        if self._closed:
            raise StorageError("The database is closed because the server is shutting down.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((act, future))  # type: ignore[arg-type] # the pair agrees on T
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
            outcomes = await loop.run_in_executor(self._thread, _commit, self._engine, acts)
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


def _commit(engine: Engine, acts: Sequence[Act[object]]) -> list[Outcome]:
    """Run the acts in one transaction; when that fails, each in its own.

    So one act that can't succeed spoils nobody else's.
    """
    try:
        with engine.begin() as connection:
            return [(act(connection), None) for act in acts]
    except Exception as error:  # noqa: BLE001 - a bug in one act must reach its caller, and only it
        if len(acts) == 1:
            return [(None, failed(error) if isinstance(error, SQLAlchemyError) else error)]
    return [outcome for act in acts for outcome in _commit(engine, [act])]


def failed(error: SQLAlchemyError) -> StorageError:
    """Return the error to raise for one of the database's, without the values it was given."""
    origin = getattr(error, "orig", None)
    reason = str(origin or type(error).__name__).strip().splitlines()[0]
    problem = StorageError(f"Database error: {reason}. Nothing was changed.")
    problem.__cause__ = error
    return problem
