"""Keep what people with write access said about how a repository wants things done."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, select, update

from bot.model.memory import Lesson, LessonState
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import memory_lessons as lessons

MOST_TEXT = 500
"""Characters of a lesson."""


class LessonStore:
    """The table of lessons. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def propose(self, repo: Repo, lesson: Lesson, comment_id: int, most: int) -> bool:
        """Keep a lesson that does not count yet; return whether it is new and there is room for it."""
        row = {
            "identity": repo.identity,
            "id": lesson.id,
            "full_name": repo.full_name,
            "installation_id": repo.installation_id,
            "text": lesson.text[:MOST_TEXT],
            "url": lesson.url,
            "author": lesson.author,
            "state": lesson.state.value,
            "confirmed_by": lesson.confirmed_by,
            "pull_request": lesson.pull_request,
            "comment_id": comment_id,
            "made_at": lesson.made_at,
        }

        def act(connection: Connection) -> bool:
            count = select(func.count()).select_from(lessons).where(_of(repo))
            if (connection.scalar(count) or 0) >= most:
                return False
            return insert_if_new(connection, lessons, row)

        return await self._database.write(act)

    async def confirm(self, repo: Repo, ids: tuple[str, ...], by: str) -> tuple[Lesson, ...]:
        """Let lessons count; return those that do now and did not before."""
        which = and_(
            _of(repo), lessons.c.id.in_(ids), lessons.c.state == LessonState.PROPOSED.value
        )

        def act(connection: Connection) -> tuple[Lesson, ...]:
            found = connection.execute(select(lessons).where(which)).all()
            values = {"state": LessonState.CONFIRMED.value, "confirmed_by": by}
            connection.execute(update(lessons).where(which).values(values))
            return tuple(map(_lesson, found))

        return await self._database.write(act)

    async def of_pull_request(self, repo: Repo, number: int) -> tuple[Lesson, ...]:
        """Return what was proposed in a pull request."""
        return await self._select(_of(repo) & (lessons.c.pull_request == number))

    async def of_comment(self, repo: Repo, comment_id: int) -> Lesson | None:
        """Return what was proposed from a comment."""
        found = await self._select(_of(repo) & (lessons.c.comment_id == comment_id))
        return found[0] if found else None

    async def list(self, repo: Repo | str) -> tuple[Lesson, ...]:
        """Return all lessons of a repository, oldest first; of a name, those of all installations."""
        return await self._select(_of(repo))

    async def confirmed(self, repo: Repo) -> tuple[Lesson, ...]:
        """Return those that count, oldest first."""
        return await self._select(_of(repo) & (lessons.c.state == LessonState.CONFIRMED.value))

    async def forget(self, repo: Repo | str, lesson_id: str | None = None) -> int:
        """Forget one lesson, or all; return how many there were."""
        which = _of(repo)
        if lesson_id is not None:
            which &= lessons.c.id == lesson_id
        return await self._database.write(
            lambda connection: connection.execute(delete(lessons).where(which)).rowcount
        )

    async def prune(self, proposed_before: datetime) -> int:
        """Forget proposals that nobody confirmed; return how many."""
        old = lessons.c.made_at < proposed_before
        statement = delete(lessons).where(old, lessons.c.state == LessonState.PROPOSED.value)
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _select(self, which: ColumnElement[bool]) -> tuple[Lesson, ...]:
        statement = select(lessons).where(which).order_by(lessons.c.made_at, lessons.c.id)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_lesson, rows))


def lesson_id(repo: Repo, comment_id: int) -> str:
    """Return the id of the lesson of a comment: the same however often it is read."""
    key = f"{repo.identity}/{comment_id}"
    return hashlib.sha256(key.encode()).hexdigest()[:8]


def _of(repo: Repo | str) -> ColumnElement[bool]:
    if isinstance(repo, str):
        return func.lower(lessons.c.full_name) == repo.lower()
    return and_(
        lessons.c.identity == repo.identity, lessons.c.installation_id == repo.installation_id
    )


def _lesson(row: Row[Any]) -> Lesson:
    return Lesson(
        id=row.id,
        text=row.text,
        url=row.url,
        author=row.author,
        state=LessonState(row.state),
        made_at=row.made_at,
        confirmed_by=row.confirmed_by,
        pull_request=row.pull_request,
    )
