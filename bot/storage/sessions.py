"""Remember sessions: several prompts about one repository, each a run, in order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import number_of, session_runs, sessions


@dataclass(frozen=True, slots=True)
class Session:
    """A session.

    Attributes:
        id: 12 hex digits.
        repo: What it is about; its installation is not known.
        title: What people call it, or "".
        started_by: Name of who created it.
        created_at: UTC.
    """

    id: str
    repo: Repo
    title: str
    started_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SessionRun:
    """A prompt of a session.

    Attributes:
        place: From 1.
        run_id: Of the run that answers it.
        key: By which the client may repeat it, or "".
    """

    place: int
    run_id: str
    key: str


@dataclass(frozen=True, slots=True)
class SessionPageOf:
    """Some sessions, and how many there are of them."""

    sessions: tuple[Session, ...]
    total: int


class SessionStore:
    """The tables of sessions. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, session: Session) -> None:
        """Keep a session, unless one of its id is there."""
        row = {
            "id": session.id,
            "repository": session.repo.full_name.lower(),
            "full_name": session.repo.full_name,
            "identity": session.repo.identity,
            "title": session.title,
            "started_by": session.started_by,
            "created_at": session.created_at,
        }
        await self._database.write(lambda connection: insert_if_new(connection, sessions, row))

    async def get(self, session_id: str) -> Session | None:
        """Return a session."""
        statement = select(sessions).where(sessions.c.id == session_id)
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _session(row)

    async def page(
        self, offset: int, limit: int, among: frozenset[str] | None = None
    ) -> SessionPageOf:
        """Return some sessions, the youngest first.

        Args:
            offset: How many to leave out.
            limit: How many at most.
            among: Identities of the repositories of which all are; None for all there are.
        """
        wanted = () if among is None else (sessions.c.identity.in_(sorted(among)),)
        listed = (
            select(sessions)
            .where(*wanted)
            .order_by(sessions.c.created_at.desc(), sessions.c.id)
            .offset(offset)
            .limit(limit)
        )
        count = select(func.count()).select_from(sessions).where(*wanted)

        def read(connection: Connection) -> SessionPageOf:
            rows = connection.execute(listed).all()
            return SessionPageOf(tuple(map(_session, rows)), connection.scalar(count) or 0)

        return await self._database.read(read)

    async def runs(self, session_id: str) -> tuple[SessionRun, ...]:
        """Return the prompts of a session, in order."""
        statement = (
            select(session_runs)
            .where(session_runs.c.session_id == session_id)
            .order_by(session_runs.c.place)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(SessionRun(row.place, row.run_id, row.key) for row in rows)

    async def add(self, session_id: str, run: SessionRun) -> bool:
        """Keep a prompt; return whether its place was free."""
        row = {
            "session_id": session_id,
            "place": run.place,
            "run_id": run.run_id,
            "key": run.key,
        }
        return await self._database.write(
            lambda connection: insert_if_new(connection, session_runs, row)
        )


def _session(row: Row[Any]) -> Session:
    return Session(
        row.id,
        Repo(row.full_name, 0, number_of(row.identity)),
        row.title,
        row.started_by,
        row.created_at,
    )
