"""Wake those who wait for news of a run, in this process and, on PostgreSQL, in every server's."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import psycopg
import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

CHANNEL = "fixpoint_run_events"
"""Of PostgreSQL's NOTIFY; the payload is a run's id, or `DELIVERIES`."""

DELIVERIES = "deliveries"
"""Stands in a run's place where the news is a delivery that waits."""

_LISTEN_SECONDS = 0.5
"""How long the listening thread is deaf to the end of the server."""

_AGAIN_SECONDS = 2.0
"""Before a lost connection is made anew."""

_log = structlog.get_logger(__name__)


class Signals:
    """Who waits for which run. Used from one event loop, but for `wake_from_thread`."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str | None, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def heard(self, run_id: str | None = None) -> Iterator[asyncio.Event]:
        """Yield what is set whenever a run has news, or any run; clear it before looking."""
        event = asyncio.Event()
        self._waiting[run_id].add(event)
        try:
            yield event
        finally:
            self._waiting[run_id].discard(event)
            if not self._waiting[run_id]:
                del self._waiting[run_id]

    def is_heard(self, run_id: str) -> bool:
        """Whether somebody in this process waits for news of that run, or of any."""
        return run_id in self._waiting or None in self._waiting

    def wake(self, run_id: str) -> None:
        """Wake those who wait for that run or for any."""
        for key in (run_id, None):
            for event in self._waiting.get(key, ()):
                event.set()

    def wake_all(self) -> None:
        """Wake everybody: what was missed can't be known."""
        for events in self._waiting.values():
            for event in events:
                event.set()


def announce(connection: Connection, run_id: str) -> None:
    """Have every server told of a run's news once this transaction is committed.

    See https://www.postgresql.org/docs/current/sql-notify.html
    """
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_notify(:channel, :run)"), {"channel": CHANNEL, "run": run_id}
        )


@asynccontextmanager
async def news_of_other_servers(engine: Engine, signals: Signals) -> AsyncIterator[None]:
    """Pass on, while the block lasts, what other servers announce; nothing to do on SQLite."""
    if engine.dialect.name != "postgresql":
        yield
        return
    ended = threading.Event()
    loop = asyncio.get_running_loop()
    listening = loop.run_in_executor(None, _listen, engine, signals, loop, ended)
    try:
        yield
    finally:
        ended.set()
        await listening


def _listen(
    engine: Engine, signals: Signals, loop: asyncio.AbstractEventLoop, ended: threading.Event
) -> None:
    """Listen until the end; a lost connection is made anew, and then everybody looks."""
    while not ended.is_set():
        try:
            _pass_on(engine, signals, loop, ended)
        except (SQLAlchemyError, psycopg.Error) as error:
            _log.warning("news of other servers interrupted", problem=str(error))
            ended.wait(_AGAIN_SECONDS)


def _pass_on(
    engine: Engine, signals: Signals, loop: asyncio.AbstractEventLoop, ended: threading.Event
) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"LISTEN {CHANNEL}"))
        driver = connection.connection.driver_connection
        if not isinstance(driver, psycopg.Connection):
            raise TypeError("PostgreSQL is spoken to with another driver than psycopg.")
        loop.call_soon_threadsafe(signals.wake_all)
        while not ended.is_set():
            for notice in driver.notifies(timeout=_LISTEN_SECONDS):
                loop.call_soon_threadsafe(signals.wake, notice.payload)
                if ended.is_set():
                    break
