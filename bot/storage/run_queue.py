"""Keep what waits for a place and what has one, so that all servers let runs through in one order."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, or_, select, text, update

from bot.model.fair_queue import (
    ConcurrencyLimits,
    FairQueue,
    NextRun,
    Priority,
    QueuedRun,
    QueueTurn,
)
from bot.model.request import FixRequest, priority_of
from bot.model.waiting_time import QueuePosition, position
from bot.storage.database import Database, database_time, insert_if_new
from bot.storage.servers import LIVING
from bot.storage.stored_json import load_request
from bot.storage.tables import queue_turns, run_queue, runs, server_places

NO_LIMITS = ConcurrencyLimits()

MOST_POSITIONS = 1000
"""Of so many runs the position is worked out; who is behind them waits for long anyway."""

_LATEST = 50
"""Runs from whose durations waiting times are estimated."""

_LOCK = 7216457
"""Of PostgreSQL's advisory locks, for who lets runs through; the number is arbitrary."""


class QueueState(StrEnum):
    """Where a run is in the queue."""

    WAITING = "waiting"
    ADMITTED = "admitted"
    WITHDRAWN = "withdrawn"
    """It was stopped while it waited."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class LetThrough:
    """What leaves the queue: runs that have a place, and those that were stopped before."""

    admitted: tuple[FixRequest, ...] = ()
    withdrawn: tuple[FixRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Untold:
    """A person's run that waits, whose position is to be shown.

    Attributes:
        request: Of the run.
        position: Of it now.
        waited: Seconds, since it was queued.
        told: What was shown last; None before the first time.
        told_ago: Seconds since the last try; None before the first.
        comment: Id of the comment where it was; None without one.
    """

    request: FixRequest
    position: QueuePosition
    waited: float
    told: str | None
    told_ago: float | None
    comment: int | None


_COLUMNS = (
    run_queue.c.run_id,
    run_queue.c.installation_id,
    run_queue.c.repository,
    run_queue.c.number,
    run_queue.c.priority,
    run_queue.c.state,
    run_queue.c.queued_at,
    run_queue.c.admitted_at,
    run_queue.c.telling_until,
)
_QUEUE = select(*_COLUMNS).where(run_queue.c.state.in_([QueueState.WAITING, QueueState.ADMITTED]))
_WAITS = run_queue.c.state == QueueState.WAITING


def queue_run(connection: Connection, request: FixRequest) -> bool:
    """Have a run wait for its place; return whether it does so only now."""
    row = {
        "run_id": request.run_id,
        "installation_id": request.installation_id,
        "repository": request.repo.identity,
        "number": request.number or 0,
        "priority": priority_of(request),
        "state": QueueState.WAITING,
        "queued_at": database_time(connection),
    }
    return insert_if_new(connection, run_queue, row)


def take_place(connection: Connection, run_id: str) -> None:
    """Note that a run is at work, whoever let it through."""
    now = database_time(connection)
    values = {"state": QueueState.ADMITTED, "admitted_at": now}
    connection.execute(update(run_queue).where(run_queue.c.run_id == run_id, _WAITS).values(values))


def leave_queue(connection: Connection, run_id: str) -> None:
    """Note that a run is over, or waits for a person: its place is free."""
    values = {"state": QueueState.OVER, "ended_at": database_time(connection)}
    wanted = run_queue.c.run_id == run_id, run_queue.c.state != QueueState.OVER
    connection.execute(update(run_queue).where(*wanted).values(values))


class RunQueue:
    """The queue of all servers. Every method raises `StorageError` when the database fails.

    Moments are those of the database's clock.
    """

    def __init__(
        self, database: Database, limits: ConcurrencyLimits = NO_LIMITS, full: int = sys.maxsize
    ) -> None:
        """Describe the queue.

        Args:
            database: Of runs.
            limits: That hold beside the places that the servers have.
            full: So many runs may wait before failed checks start no more.
        """
        self._database = database
        self._limits = limits
        self._full = full

    async def set_places(self, server_id: str, places: int) -> None:
        """Say how many runs a server may work on at once."""
        row = {"server_id": server_id, "places": places}

        def act(connection: Connection) -> None:
            connection.execute(
                delete(server_places).where(
                    or_(
                        server_places.c.server_id == server_id,
                        server_places.c.server_id.not_in(LIVING),
                    )
                )
            )
            insert_if_new(connection, server_places, row)

        await self._database.write(act)

    async def let_through(self) -> LetThrough:
        """Let those runs through for which there is a place now, and those that were stopped."""

        def act(connection: Connection) -> LetThrough:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            stopped = select(runs.c.id).where(runs.c.stop_requested)
            withdrawn = _waiting_ids(connection, run_queue.c.run_id.in_(stopped))
            _change(connection, withdrawn, state=QueueState.WITHDRAWN)
            places = _places(connection, self._limits)
            at_work = select(func.count()).where(run_queue.c.state == QueueState.ADMITTED)
            is_free = (connection.scalar(at_work) or 0) < places.total
            chosen = list(_queue(connection, places).admitted()) if is_free else []
            _note_turns(connection, chosen)
            ids = [choice.run.run_id for choice in chosen]
            now = database_time(connection)
            _change(connection, ids, state=QueueState.ADMITTED, admitted_at=now)
            return LetThrough(_requests(connection, ids), _requests(connection, withdrawn))

        if not await self.waiting():
            return LetThrough()
        return await self._database.write(act)

    async def waiting(self) -> int:
        """Return how many runs wait for a place."""
        statement = select(func.count()).select_from(run_queue).where(_WAITS)
        return await self._database.read(lambda connection: connection.scalar(statement)) or 0

    async def is_full(self) -> bool:
        """Return whether so many runs wait that failed checks start no more."""
        return await self.waiting() >= self._full

    async def left_over(self) -> LetThrough:
        """Return what was let through and is not over, for a server that begins.

        Runs that an earlier version accepted are put into the queue.
        """

        def act(connection: Connection) -> LetThrough:
            active = select(runs.c.id, runs.c.request, runs.c.status).where(runs.c.status != "done")
            there = {row.run_id: row.state for row in connection.execute(_STATES)}
            admitted, withdrawn = [], []
            for row in connection.execute(active).all():
                request = load_request(row.request)
                state = there.get(row.id)
                if state is None and row.status == "queued":
                    queue_run(connection, request)
                elif state == QueueState.WITHDRAWN:
                    withdrawn.append(request)
                elif state != QueueState.WAITING:
                    admitted.append(request)
            return LetThrough(tuple(admitted), tuple(withdrawn))

        return await self._database.write(act)

    async def positions(self) -> Mapping[str, QueuePosition]:
        """Return where runs are that wait for a place, of the first `MOST_POSITIONS`."""
        return await self._database.read(lambda connection: _positions(connection, self._limits))

    async def untold(self) -> tuple[Untold, ...]:
        """Return the positions of the runs that people wait for, in order."""

        def act(connection: Connection) -> tuple[Untold, ...]:
            people = connection.execute(_PEOPLE).all()
            places = _positions(connection, self._limits) if people else {}
            now = database_time(connection)
            found = (
                Untold(
                    load_request(row.request),
                    places[row.run_id],
                    (now - row.queued_at).total_seconds(),
                    row.told,
                    None if row.told_at is None else (now - row.told_at).total_seconds(),
                    row.progress_comment_id,
                )
                for row in people
                if row.run_id in places
            )
            return tuple(sorted(found, key=lambda item: item.position.place))

        return await self._database.read(act)

    async def begin_telling(self, run_id: str, seconds: float) -> bool:
        """Keep a run in the queue while people are told of its position.

        False if it has left, or if somebody else tells them at the moment.
        """

        def act(connection: Connection) -> bool:
            now = database_time(connection)
            until = now + timedelta(seconds=seconds)
            wanted = update(run_queue).where(run_queue.c.run_id == run_id, _WAITS, _untold(now))
            return connection.execute(wanted.values(telling_until=until)).rowcount == 1

        return await self._database.write(act)

    async def told(self, run_id: str, words: str | None) -> None:
        """Note what people were told, None if that failed; the run may leave the queue again."""

        def act(connection: Connection) -> int:
            values: dict[str, Any] = {"telling_until": None}
            values["told_at"] = database_time(connection)
            if words is not None:
                values["told"] = words
            wanted = update(run_queue).where(run_queue.c.run_id == run_id)
            return connection.execute(wanted.values(values)).rowcount

        await self._database.write(act)

    async def prune(self, older_than: datetime) -> int:
        """Forget runs that were over before `older_than`, and whose turn it was before."""
        over = delete(run_queue).where(
            run_queue.c.state == QueueState.OVER, run_queue.c.ended_at < older_than
        )
        turns = delete(queue_turns).where(queue_turns.c.served_at < older_than)
        return await self._database.write(
            lambda connection: (
                connection.execute(over).rowcount + connection.execute(turns).rowcount
            )
        )


_PEOPLE = (
    select(
        run_queue.c.run_id, run_queue.c.queued_at, run_queue.c.told, run_queue.c.told_at,
        runs.c.request, runs.c.progress_comment_id,
    )
    .select_from(run_queue.join(runs, runs.c.id == run_queue.c.run_id))
    .where(_WAITS, run_queue.c.priority == Priority.PERSON, run_queue.c.number != 0)
)  # fmt: skip

_STATES = select(run_queue.c.run_id, run_queue.c.state).where(run_queue.c.state != QueueState.OVER)


def _waiting_ids(connection: Connection, *conditions: Any) -> list[str]:
    now = database_time(connection)
    waits = select(run_queue.c.run_id).where(_WAITS, _untold(now), *conditions)
    return list(connection.scalars(waits))


def _untold(now: datetime) -> ColumnElement[bool]:
    """Whether nobody is being told of a run's position."""
    return or_(run_queue.c.telling_until.is_(None), run_queue.c.telling_until < now)


def _places(connection: Connection, limits: ConcurrencyLimits) -> ConcurrencyLimits:
    """Return the limits, with the places of all living servers at most."""
    living = server_places.c.server_id.in_(LIVING)
    total = connection.scalar(select(func.sum(server_places.c.places)).where(living)) or 0
    return ConcurrencyLimits(min(total, limits.total), limits.installation, limits.repository)


def _queue(
    connection: Connection, places: ConcurrencyLimits, *, all_of_it: bool = False
) -> FairQueue:
    """Return the queue as it is now; who is being told of a position is left out, unless asked."""
    now = database_time(connection)
    rows: Sequence[Any] = connection.execute(_QUEUE).all()
    waiting = [
        _queued(row, row.queued_at)
        for row in rows
        if row.state == QueueState.WAITING
        and (all_of_it or row.telling_until is None or row.telling_until < now)
    ]
    working = [
        _queued(row, row.admitted_at or row.queued_at)
        for row in rows
        if row.state == QueueState.ADMITTED
    ]
    turns = {
        row.flow: QueueTurn(row.served_at.timestamp(), row.passed)
        for row in connection.execute(select(queue_turns))
    }
    return FairQueue(waiting, working, turns, places, now.timestamp())


def _queued(row: Row[Any], since: datetime) -> QueuedRun:
    return QueuedRun(
        row.run_id,
        row.installation_id,
        row.repository,
        row.number,
        Priority(row.priority),
        since.timestamp(),
    )


def _positions(connection: Connection, limits: ConcurrencyLimits) -> dict[str, QueuePosition]:
    places = _places(connection, limits)
    order = islice(_queue(connection, places, all_of_it=True).in_order(), MOST_POSITIONS)
    durations = _durations(connection)
    return {
        run.run_id: position(place, places.total, durations)
        for place, run in enumerate(order, start=1)
    }


def _durations(connection: Connection) -> list[float]:
    """Return how long the latest runs were at work, in seconds."""
    latest = (
        select(run_queue.c.admitted_at, run_queue.c.ended_at)
        .where(run_queue.c.state == QueueState.OVER, run_queue.c.admitted_at.is_not(None))
        .order_by(run_queue.c.ended_at.desc())
        .limit(_LATEST)
    )
    return [(row.ended_at - row.admitted_at).total_seconds() for row in connection.execute(latest)]


def _note_turns(connection: Connection, chosen: Iterable[NextRun]) -> None:
    turns = {flow: turn for choice in chosen for flow, turn in choice.turns.items()}
    for flow, turn in turns.items():
        served = datetime.fromtimestamp(turn.served, UTC)
        row = {"flow": flow, "served_at": served, "passed": turn.passed}
        if not insert_if_new(connection, queue_turns, row):
            connection.execute(update(queue_turns).where(queue_turns.c.flow == flow).values(row))


def _change(connection: Connection, run_ids: list[str], **values: object) -> None:
    if run_ids:
        connection.execute(update(run_queue).where(run_queue.c.run_id.in_(run_ids)).values(values))


def _requests(connection: Connection, run_ids: list[str]) -> tuple[FixRequest, ...]:
    """Return the requests of runs, in their order."""
    if not run_ids:
        return ()
    found = connection.execute(select(runs.c.id, runs.c.request).where(runs.c.id.in_(run_ids)))
    requests = {row.id: load_request(row.request) for row in found}
    return tuple(requests[item] for item in run_ids if item in requests)
