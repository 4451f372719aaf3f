"""Remember the pull requests of ours that are open, and which have to be looked at for conflicts.

Their bases move without a webhook that tells of conflicts. A row that waits says when it is due, so
that a restart loses nothing; pushes that come meanwhile are one look.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    case,
    delete,
    exists,
    func,
    literal,
    select,
    update,
)

from bot.model.repository import Repo
from bot.storage.claims import claim, free, released
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import open_pulls, repo_of


@dataclass(frozen=True, slots=True)
class OpenPull:
    """A pull request of ours.

    Attributes:
        repo: Where it is.
        number: Of it.
        base: Branch that it merges into, as was last seen.
        seen: Head of the base when it was last looked at to the end, or "".
        due_at: When to look, UTC; None when nothing is to be seen.
        looks: How often it was looked at since the base moved.
        changes: Counts what was heard of it, so that a look notices news that came meanwhile.
        note: What the last look found, for the log.
    """

    repo: Repo
    number: int
    base: str
    seen: str = ""
    due_at: datetime | None = None
    looks: int = 0
    changes: int = 0
    note: str = ""


class OpenPullStore:
    """The table of open pull requests. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def opened(self, repo: Repo, number: int, base: str) -> None:
        """Note that a pull request of ours is open."""
        row = {
            "identity": repo.identity,
            "number": number,
            "full_name": repo.full_name,
            "installation_id": repo.installation_id,
            "base": base,
            "seen": "",
            "looks": 0,
            "changes": 0,
            "note": "",
        }
        again = update(open_pulls).where(*_is(repo, number)).values(base=base)
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, open_pulls, row) or connection.execute(again).rowcount
            )
        )

    async def closed(self, repo: Repo, number: int) -> None:
        """Forget a pull request."""
        statement = delete(open_pulls).where(*_is(repo, number))
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def has_base(self, identity: str, branch: str) -> bool:
        """Return whether a pull request of ours merges into that branch of a repository."""
        statement = select(exists().where(*_on(identity, branch)))
        return bool(await self._database.read(lambda connection: connection.scalar(statement)))

    async def moved(self, repo: Repo, base: str, due_at: datetime) -> int:
        """Have those looked at whose base moved; return how many.

        One that waits keeps its time, so that pushes which follow each other don't put it off.
        """
        then = literal(due_at, open_pulls.c.due_at.type)
        waiting = func.coalesce(open_pulls.c.due_at, then)
        later = case((free(open_pulls, ""), waiting), else_=then)  # else it is being looked at
        statement = (
            update(open_pulls)
            .where(*_on(repo.identity, base))
            .values(due_at=later, looks=0, changes=open_pulls.c.changes + 1)
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def of(self, repo: Repo) -> tuple[OpenPull, ...]:
        """Return those of a repository."""
        statement = select(open_pulls).where(open_pulls.c.identity == repo.identity)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_pull(row) for row in rows)

    async def claim_due(
        self, server_id: str, moment: datetime, limit: int = 5
    ) -> tuple[OpenPull, ...]:
        """Claim those whose time has come for a server, and return them.

        They are its own until it says what it saw, or is no more.
        """
        due = (
            select(open_pulls)
            .where(open_pulls.c.due_at <= moment)
            .order_by(open_pulls.c.due_at, open_pulls.c.identity, open_pulls.c.number)
            .limit(limit)
        )
        rows = await self._database.write(
            lambda connection: claim(connection, due, open_pulls, server_id)
        )
        return tuple(map(_pull, rows))

    async def release(self, server_id: str) -> None:
        """Let other servers have what this one claimed."""
        statement = released(open_pulls, server_id)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def next_due(self, server_id: str = "") -> datetime | None:
        """Return when the next one is due that no other living server has claimed."""
        statement = select(func.min(open_pulls.c.due_at)).where(free(open_pulls, server_id))
        found: datetime | None = await self._database.read(
            lambda connection: connection.scalar(statement)
        )
        return found

    async def wait(self, pull: OpenPull, due_at: datetime, note: str) -> None:
        """Look at one again later."""
        again = {"due_at": due_at, "looks": pull.looks + 1, "note": note}
        await self._seen(pull, again)

    async def looked(self, pull: OpenPull, seen: str, note: str) -> None:
        """Note that one was looked at to the end, unless its base moved meanwhile: it is due still.

        Args:
            pull: As it was when the look began.
            seen: Head of the base; "" has it looked at again when somebody compares.
            note: What the look found.
        """
        await self._seen(pull, {"due_at": None, "seen": seen, "note": note})

    async def _seen(self, pull: OpenPull, values: dict[str, Any]) -> None:
        here = update(open_pulls).where(*_is(pull.repo, pull.number))
        same = here.where(open_pulls.c.changes == pull.changes)

        def act(connection: Connection) -> int:
            freed = connection.execute(here.values(claimed_by=None)).rowcount
            return connection.execute(same.values(values)).rowcount or freed

        await self._database.write(act)

    async def keep(self, repo: Repo, numbers: Iterable[int]) -> None:
        """Forget those of a repository that are not among the open ones."""
        gone = open_pulls.c.number.not_in(list(numbers))
        statement = delete(open_pulls).where(open_pulls.c.identity == repo.identity, gone)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _is(repo: Repo, number: int) -> tuple[ColumnElement[bool], ...]:
    return open_pulls.c.identity == repo.identity, open_pulls.c.number == number


def _on(identity: str, base: str) -> tuple[ColumnElement[bool], ...]:
    return open_pulls.c.identity == identity, open_pulls.c.base == base


def _pull(row: Row[Any]) -> OpenPull:
    return OpenPull(
        repo_of(row),
        row.number,
        row.base,
        row.seen,
        row.due_at,
        row.looks,
        row.changes,
        row.note,
    )
