"""Follow what became of the repairs that were published: for memory, for figures, for routing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, or_, select, update

from bot.model.memory import Became
from bot.model.repository import Repo
from bot.storage.database import Database, insert_if_new
from bot.storage.tables import memory_entries as entries
from bot.storage.tables import repair_outcomes as outcomes

OPEN = (Became.VERIFIED.value, Became.CLOSED.value)
"""What a pull request can still be merged from: GitHub lets people open a closed one again."""


class OutcomeStore:
    """What became of each run's repair, and of what memory keeps of it, which may be forgotten.

    Every method raises `StorageError` when the database fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def published(
        self,
        repo: Repo,
        run_id: str,
        entry_id: str,
        *,
        pull_request: int | None,
        url: str,
        commit: str,
    ) -> None:
        """Note where a verified patch was published; noting it again changes nothing."""
        place = {"pull_request": pull_request, "commit_sha": commit}
        row = {
            **place,
            "run_id": run_id,
            "repository": repo.full_name.lower(),
            "identity": repo.identity,
            "installation_id": repo.installation_id,
            "merge_sha": "",
            "became": Became.VERIFIED.value,
            "published_at": datetime.now(UTC),
        }

        def act(connection: Connection) -> None:
            insert_if_new(connection, outcomes, row)
            entry = update(entries).where(entries.c.id == entry_id)
            connection.execute(entry.values(**place, url=url))

        await self._database.write(act)

    async def closed(
        self,
        repo: Repo,
        number: int,
        *,
        merge_commit: str | None,
        superseded: Collection[str] = (),
    ) -> bool:
        """Note that a pull request was merged, or closed without that; return whether it has a repair.

        What memory keeps of it stays as long from then on as it was to stay from its run on.

        Args:
            repo: Where.
            number: Of the pull request.
            merge_commit: By which it was merged; None when it was not.
            superseded: Ids of what memory keeps whose patch is not what was merged.
        """
        became = Became.CLOSED if merge_commit is None else Became.MERGED
        values: dict[str, Any] = {"became": became.value}
        if merge_commit is not None:
            values["merge_sha"] = merge_commit
        gone = {**values, "became": Became.SUPERSEDED.value}
        now = datetime.now(UTC)

        def which(table: Table) -> ColumnElement[bool]:
            return and_(_of(table, repo), table.c.pull_request == number, table.c.became.in_(OPEN))

        def act(connection: Connection) -> bool:
            changed = update(outcomes).where(which(outcomes)).values(values)
            runs = connection.execute(changed).rowcount
            kept = select(entries.c.number, entries.c.id, entries.c.made_at, entries.c.expires_at)
            found = connection.execute(kept.where(which(entries))).all()
            for row in found:
                until = {"expires_at": now + (row.expires_at - row.made_at)}
                one = update(entries).where(entries.c.number == row.number)
                kept_as = gone if row.id in superseded else values
                connection.execute(one.values({**kept_as, **until}))
            return bool(runs or found)

        return await self._database.write(act)

    async def reopened(self, repo: Repo, number: int) -> bool:
        """Note that a closed pull request is open again; return whether it has a repair."""

        def act(connection: Connection) -> bool:
            changed = 0
            for table in (outcomes, entries):
                closed = table.c.became == Became.CLOSED.value
                which = and_(_of(table, repo), table.c.pull_request == number, closed)
                one = update(table).where(which).values(became=Became.VERIFIED.value)
                changed += connection.execute(one).rowcount
            return changed > 0

        return await self._database.write(act)

    async def reverted(self, repo: Repo, numbers: Sequence[int], commits: Sequence[str]) -> bool:
        """Note that pull requests or commits were reverted; return whether one had a merged repair.

        Args:
            repo: Where.
            numbers: Of pull requests.
            commits: Whole, or the first digits of them, at least seven.
        """

        def which(table: Table) -> ColumnElement[bool]:
            named: list[ColumnElement[bool]] = [table.c.pull_request.in_(numbers)]
            for commit in commits:
                named += (
                    table.c.merge_sha.startswith(commit, autoescape=True),
                    table.c.commit_sha.startswith(commit, autoescape=True),
                )
            return and_(_of(table, repo), table.c.became == Became.MERGED.value, or_(*named))

        def act(connection: Connection) -> bool:
            values = {"became": Became.REVERTED.value}
            changes = (
                update(item).where(which(item)).values(values) for item in (outcomes, entries)
            )
            return sum(connection.execute(change).rowcount for change in changes) > 0

        return await self._database.write(act)

    async def counts(self, within: timedelta) -> Mapping[Became, int]:
        """Return what became of the repairs that were published within that time, in any repository."""
        statement = (
            select(outcomes.c.became, func.count())
            .where(outcomes.c.published_at > datetime.now(UTC) - within)
            .group_by(outcomes.c.became)
        )
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {Became(became): count for became, count in rows}


def _of(table: Table, repo: Repo) -> ColumnElement[bool]:
    return and_(
        table.c.identity == repo.identity,
        table.c.installation_id == repo.installation_id,
    )
