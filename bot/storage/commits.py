"""Remember commits whose checks failed, or that we published, until it is decided what they mean.

One row per repository and commit, whatever number of webhooks speaks of it. A row that waits says
when it is due, so that a restart loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    Row,
    delete,
    func,
    select,
    update,
)

from bot.model.repository import Repo
from bot.storage.claims import claim, free, released
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import commits, repo_of


class CommitState(StrEnum):
    """What became of a commit."""

    WAITING = "waiting"
    PASSED_BY = "passed by"
    STARTED = "started"


_EXPLANATION = "explain"
"""What is asked for, where it is no repair."""

_NOBODY: Mapping[str, Any] = MappingProxyType({"asked_by": "", "asked_for": None})
"""Columns of a commit that nobody asks about."""


@dataclass(frozen=True, slots=True)
class WatchedCommit:
    """One commit.

    Attributes:
        repo: Where it is.
        sha: 40 hex digits.
        branch: That had it as its head, as the first webhook says; may be "".
        state: What became of it.
        due_at: When to look at it, UTC.
        first_at: When the wait began, UTC.
        looks: How often it was looked at since then.
        changes: Counts what was heard of it, so that a look notices news that came meanwhile.
        asked_by: Login of the person who pressed a button for it, or "".
        only_explains: Whether that person wants to know what changed, and no repair.
        published_by: Id of the run that made the commit, or had its flaky jobs run once more; else
            None.
        note: What was decided, for the log.
    """

    repo: Repo
    sha: str
    branch: str
    state: CommitState
    due_at: datetime
    first_at: datetime
    looks: int
    changes: int
    asked_by: str = ""
    only_explains: bool = False
    published_by: str | None = None
    note: str = ""


class CommitStore:
    """The table of watched commits. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def failed(self, repo: Repo, sha: str, branch: str) -> None:
        """Note that a check of a commit failed: it is due now, unless a run was started for it."""
        now = datetime.now(UTC)
        await self._note(
            _row(repo, sha, branch, now),
            again={"due_at": now},
            anew={CommitState.PASSED_BY},
        )

    async def ask(
        self, repo: Repo, sha: str, branch: str, actor: str, *, only_explains: bool = False
    ) -> None:
        """Note that a person asks for a run on a commit, whatever became of it before."""
        now = datetime.now(UTC)
        asked = {"asked_by": actor, "asked_for": _EXPLANATION if only_explains else None}
        await self._note(
            {**_row(repo, sha, branch, now), **asked},
            again={"due_at": now, **asked},
            anew={CommitState.PASSED_BY, CommitState.STARTED},
        )

    async def reconsider(self, repo: Repo, sha: str) -> None:
        """Look once more at a commit that was passed by; others stay as they are."""
        now = datetime.now(UTC)
        statement = (
            update(commits)
            .where(*_is(repo, sha), commits.c.state == CommitState.PASSED_BY)
            .values(_anew(now))
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def published(
        self, repo: Repo, sha: str, branch: str, run_id: str, due_at: datetime
    ) -> None:
        """Note that a run made a commit, whose checks are to be looked at."""
        row = {**_row(repo, sha, branch, datetime.now(UTC)), "published_by": run_id}
        await self._note(
            {**row, "due_at": due_at},
            again={"published_by": run_id},
            anew={CommitState.PASSED_BY},
        )

    async def rerun(self, repo: Repo, sha: str, branch: str, run_id: str, due_at: datetime) -> None:
        """Note that the failed jobs of a commit run once more, for a run that found them flaky."""
        row = {**_row(repo, sha, branch, datetime.now(UTC)), "published_by": run_id}
        await self._note(
            {**row, "due_at": due_at},
            again={"published_by": run_id, "due_at": due_at},
            anew={CommitState.PASSED_BY, CommitState.STARTED},
        )

    async def get(self, repo: Repo, sha: str) -> WatchedCommit | None:
        """Return a commit."""
        statement = select(commits).where(*_is(repo, sha))
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        return None if row is None else _commit(row)

    async def known(self, repo: Repo, shas: Iterable[str]) -> frozenset[str]:
        """Return which of some commits were heard of."""
        statement = select(commits.c.sha).where(
            commits.c.identity == repo.identity, commits.c.sha.in_(list(shas))
        )
        return await self._database.read(
            lambda connection: frozenset(connection.scalars(statement))
        )

    async def due(self, moment: datetime, limit: int = 50) -> tuple[WatchedCommit, ...]:
        """Return waiting commits whose time has come, the earliest first."""
        statement = (
            select(commits)
            .where(commits.c.state == CommitState.WAITING, commits.c.due_at <= moment)
            .order_by(commits.c.due_at, commits.c.identity, commits.c.sha)
            .limit(limit)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(_commit(row) for row in rows)

    async def claim_due(
        self, server_id: str, moment: datetime, limit: int = 5
    ) -> tuple[WatchedCommit, ...]:
        """Claim waiting commits whose time has come for a server, and return them.

        They are its own until it says what became of them, or is no more.
        """
        due = (
            select(commits)
            .where(commits.c.state == CommitState.WAITING, commits.c.due_at <= moment)
            .order_by(commits.c.due_at, commits.c.identity, commits.c.sha)
            .limit(limit)
        )
        rows = await self._database.write(
            lambda connection: claim(connection, due, commits, server_id)
        )
        return tuple(map(_commit, rows))

    async def release(self, server_id: str) -> None:
        """Let other servers have what this one claimed and did not decide."""
        statement = released(commits, server_id)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def next_due(self, server_id: str = "") -> datetime | None:
        """Return when the next waiting commit is due that no other living server has claimed."""
        statement = select(func.min(commits.c.due_at)).where(
            commits.c.state == CommitState.WAITING, free(commits, server_id)
        )
        found: datetime | None = await self._database.read(
            lambda connection: connection.scalar(statement)
        )
        return found

    async def wait(self, commit: WatchedCommit, due_at: datetime, note: str) -> None:
        """Look at a commit again later; at once when there is news of it."""
        values = {"due_at": due_at, "looks": commits.c.looks + 1, "note": note}
        await self._change(commit, values)

    async def decided(self, commit: WatchedCommit, state: CommitState, note: str) -> None:
        """Say what became of a commit, unless there is news of it: then it is due still."""
        await self._change(commit, {"state": state, "note": note, **_NOBODY})

    async def prune(self, older_than: datetime) -> int:
        """Delete commits that were decided and first heard of before `older_than`; return how many.

        One that is deleted could start a second run if one of its checks failed once more.
        """
        statement = delete(commits).where(
            commits.c.state != CommitState.WAITING, commits.c.first_at < older_than
        )
        return await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _change(self, commit: WatchedCommit, values: dict[str, Any]) -> None:
        statement = (
            update(commits)
            .where(*_is(commit.repo, commit.sha), commits.c.changes == commit.changes)
            .values({**values, "claimed_by": None})
        )
        await self._database.write(lambda connection: connection.execute(statement).rowcount)

    async def _note(
        self, row: dict[str, Any], *, again: dict[str, Any], anew: set[CommitState]
    ) -> None:
        """Insert a row; one that is there gets `again`, and waits anew from one of some states."""
        here = (commits.c.identity == row["identity"], commits.c.sha == row["sha"])
        heard = {"changes": commits.c.changes + 1, **again}
        waiting = update(commits).where(*here, commits.c.state == CommitState.WAITING).values(heard)
        begin = (
            update(commits)
            .where(*here, commits.c.state.in_(anew))
            .values({**_anew(row["first_at"]), **again})
        )
        await self._database.write(
            lambda connection: (
                insert_if_new(connection, commits, row)
                or connection.execute(waiting).rowcount
                or connection.execute(begin).rowcount
            )
        )


def _anew(moment: datetime) -> dict[str, Any]:
    return {
        "state": CommitState.WAITING,
        "due_at": moment,
        "first_at": moment,
        "looks": 0,
        "changes": commits.c.changes + 1,
    }


def _row(repo: Repo, sha: str, branch: str, now: datetime) -> dict[str, Any]:
    return {
        "identity": repo.identity,
        "sha": sha,
        "full_name": repo.full_name,
        "installation_id": repo.installation_id,
        "branch": branch,
        "state": CommitState.WAITING,
        "due_at": now,
        "first_at": now,
        "looks": 0,
        "changes": 0,
        **_NOBODY,
        "published_by": None,
        "note": "",
    }


def _is(repo: Repo, sha: str) -> tuple[Any, ...]:
    return commits.c.identity == repo.identity, commits.c.sha == sha


def _commit(row: Row[Any]) -> WatchedCommit:
    return WatchedCommit(
        repo=repo_of(row),
        sha=row.sha,
        branch=row.branch,
        state=CommitState(row.state),
        due_at=row.due_at,
        first_at=row.first_at,
        looks=row.looks,
        changes=row.changes,
        asked_by=row.asked_by,
        only_explains=row.asked_for == _EXPLANATION,
        published_by=row.published_by,
        note=row.note,
    )
