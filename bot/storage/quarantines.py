"""Remember which flaky tests are in quarantine, until when, and how far each of them came."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from bot.model.quarantine import (
    CodeOwner,
    MarkKind,
    OwnerSource,
    Quarantine,
    QuarantineState,
    same_id,
)
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import quarantines, repositories

_MOST = 200
"""That are looked at in one go, and that a page shows."""

_LONGEST = 1_000
_NAME = 255
_LIVE = (QuarantineState.OPENING, QuarantineState.OPEN, QuarantineState.ENDING)


@dataclass(frozen=True, slots=True)
class StoredQuarantine:
    """A quarantine and its repository, under the name that it had when it began."""

    repo: Repo
    quarantine: Quarantine


class QuarantineStore:
    """The table of quarantines. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, repo: Repo, new: Quarantine) -> Quarantine:
        """Return the quarantine of a test: what there is, of this run or another, else a new one."""
        columns = quarantines.c
        there = (
            select(quarantines)
            .where(
                columns.identity == repo.identity,
                columns.digest == _digest(new.test),
                columns.state.in_([state.value for state in _LIVE])
                | (columns.run_id == new.run_id),
            )
            .order_by(columns.opened_at)
        )

        def act(connection: Connection) -> Quarantine:
            found = connection.execute(there).first()
            if found is None:
                insert_if_new(connection, quarantines, _values(repo, new))
                found = connection.execute(there).one()
            return _quarantine(found)

        return await self._database.write(act)

    async def note(
        self,
        repo: Repo,
        quarantine: Quarantine,
        *,
        state: QuarantineState | None = None,
        issue: int | None = None,
        pull: int | None = None,
        removal: int | None = None,
    ) -> None:
        """Note how far a quarantine came; what is None stays."""
        given = {"issue": issue, "pull": pull, "removal": removal,
                 "state": state.value if state is not None else None}  # fmt: skip
        values = {name: value for name, value in given.items() if value is not None}
        which = _test(repo, quarantine.test) & (quarantines.c.run_id == quarantine.run_id)
        changed = update(quarantines).where(which).values(values)
        await self._database.write(lambda connection: connection.execute(changed))

    async def earlier_issue(self, repo: Repo, quarantine: Quarantine) -> int | None:
        """Return the issue of the last quarantine of a test before this one; None without one."""
        columns = quarantines.c
        which = _test(repo, quarantine.test), columns.run_id != quarantine.run_id
        known = select(columns.issue).where(*which, columns.issue.is_not(None))
        newest = known.order_by(columns.opened_at.desc()).limit(1)
        return await self._database.read(lambda connection: connection.scalar(newest))

    async def repaired(self, repo: Repo, tests: Collection[str], pull: int, at: datetime) -> bool:
        """Have the quarantines of tests end now, because a pull request repaired them."""
        columns = quarantines.c
        which = columns.identity == repo.identity, columns.digest.in_(map(_digest, tests)), \
            columns.state == QuarantineState.OPEN.value  # fmt: skip
        changed = update(quarantines).where(*which).values(until=at, repaired_by=pull)
        return await self._database.write(
            lambda connection: connection.execute(changed).rowcount > 0
        )

    async def due(self, now: datetime) -> tuple[StoredQuarantine, ...]:
        """Return the quarantines whose end came, and those whose mark is being taken away."""
        columns = quarantines.c
        over = (columns.state != QuarantineState.ENDED.value) & (columns.until <= now)
        statement = select(quarantines).where(over).order_by(columns.until).limit(_MOST)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(
            StoredQuarantine(Repo(row.repository, row.installation_id, _id(row.identity)), _quarantine(row))
            for row in rows
        )  # fmt: skip

    async def of(self, repo: Repo | str) -> tuple[Quarantine, ...]:
        """Return the quarantines of a repository that did not end, the newest first."""
        columns = quarantines.c
        live = columns.state.in_([state.value for state in _LIVE])
        statement = select(quarantines).where(_here(repo), live)
        newest = statement.order_by(columns.opened_at.desc()).limit(_MOST)
        rows = await self._database.read(lambda connection: connection.execute(newest).all())
        return tuple(map(_quarantine, rows))

    async def prune(self, older_than: datetime) -> int:
        """Delete what ended and was to end before that moment; return how many."""
        over = quarantines.c.state == QuarantineState.ENDED.value
        old = delete(quarantines).where(over, quarantines.c.until < older_than)
        return await self._database.write(lambda connection: connection.execute(old).rowcount)


def _id(identity: str) -> int | None:
    """Return the id of a repository by its identity, which is its name where no id is known."""
    return int(identity) if identity.isdecimal() else None


def _here(repo: Repo | str) -> ColumnElement[bool]:
    if isinstance(repo, Repo):
        return quarantines.c.identity == repo.identity
    named = select(repositories.c.identity).where(repositories.c.name == repo.lower())
    return quarantines.c.identity.in_(named) | (quarantines.c.identity == repo.lower())


def _test(repo: Repo, test: str) -> ColumnElement[bool]:
    return (quarantines.c.identity == repo.identity) & (quarantines.c.digest == _digest(test))


def _digest(test: str) -> str:
    return hashlib.sha256(same_id(test).encode("utf-8", "replace")).hexdigest()[:32]


def _values(repo: Repo, new: Quarantine) -> dict[str, object]:
    owner = new.owner
    told = {"names": owner.names, "source": owner.source.value} if owner is not None else None
    return {
        "identity": repo.identity,
        "digest": _digest(new.test),
        "run_id": new.run_id,
        "repository": repo.full_name[:_NAME],
        "installation_id": repo.installation_id,
        "test": new.test[:_LONGEST],
        "path": new.path[:_LONGEST],
        "kind": new.kind.value if new.kind is not None else "",
        "owner": json.dumps(told) if told is not None else "",
        "state": new.state.value,
        "until": new.until,
        "opened_at": new.opened_at,
    }


def _quarantine(row: Row[tuple[object, ...]]) -> Quarantine:
    told = json.loads(row.owner) if row.owner else None
    return Quarantine(
        run_id=row.run_id,
        test=row.test,
        path=row.path,
        kind=MarkKind(row.kind) if row.kind else None,
        owner=CodeOwner(tuple(told["names"]), OwnerSource(told["source"])) if told else None,
        until=row.until,
        state=QuarantineState(row.state),
        opened_at=row.opened_at,
        issue=row.issue,
        pull=row.pull,
        removal=row.removal,
        repaired_by=row.repaired_by,
    )
