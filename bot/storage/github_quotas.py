"""Share between servers what GitHub grants each installation, and whose turn it is to write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Row, select, update

from bot.model.quota import Quota, WritePace
from bot.storage.database import Database, database_time, insert_if_new
from bot.storage.tables import github_creations, github_quotas

_NEVER = datetime.fromtimestamp(0, UTC)


class GitHubQuotas:
    """The table of quotas. Every method raises `StorageError` when the database fails.

    Moments are those of the database's clock, so that servers need not agree on the time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def exchange(self, installation: int, known: Quota) -> Quota:
        """Note what this server knows; return what all know."""

        def act(connection: Connection) -> Quota:
            now, row = _locked(connection, installation)
            found = Quota(
                row.allowed,
                row.remaining,
                _seconds(now, row.resets_at),
                _seconds(now, row.paused_until),
            )
            merged = found.with_news(known)
            if merged != found:
                _change(
                    connection,
                    installation,
                    allowed=merged.allowed,
                    remaining=merged.remaining,
                    resets_at=now + timedelta(seconds=merged.resets_in),
                    paused_until=now + timedelta(seconds=merged.paused_for),
                )
            return merged

        return await self._database.write(act)

    async def reserve(
        self, installation: int, pace: WritePace, longest: float, *, creates: bool = False
    ) -> float | None:
        """Take the next turn to write, or to create content; return the seconds until then.

        None, and no turn is taken, where that would be more than `longest` seconds.
        """

        def act(connection: Connection) -> float | None:
            now, row = _locked(connection, installation)
            start, due = pace.slot(row.write_due.timestamp(), now.timestamp())
            if creates:
                earlier = _creation_due(connection, installation)
                created, next_due = pace.creation_slot(earlier, now.timestamp())
                start = max(start, created)
            seconds = start - now.timestamp()
            if seconds > longest:
                return None
            _change(connection, installation, write_due=datetime.fromtimestamp(due, UTC))
            if creates:
                _note_creation(connection, installation, next_due)
            return seconds

        return await self._database.write(act)


def _locked(connection: Connection, installation: int) -> tuple[datetime, Row[tuple[object, ...]]]:
    """Return the time and the row of an installation, which nobody else changes until the end."""
    new = {
        "installation_id": installation,
        "allowed": 0,
        "remaining": 0,
        "resets_at": _NEVER,
        "paused_until": _NEVER,
        "write_due": _NEVER,
    }
    wanted = select(github_quotas).where(github_quotas.c.installation_id == installation)
    row = connection.execute(wanted.with_for_update()).first()
    if row is None:
        insert_if_new(connection, github_quotas, new)
        row = connection.execute(wanted.with_for_update()).one()
    return database_time(connection), row


def _creation_due(connection: Connection, installation: int) -> float:
    wanted = github_creations.c.installation_id == installation
    due = connection.scalar(select(github_creations.c.due).where(wanted))
    return 0.0 if due is None else due.timestamp()


def _note_creation(connection: Connection, installation: int, due: float) -> None:
    row = {"installation_id": installation, "due": datetime.fromtimestamp(due, UTC)}
    if not insert_if_new(connection, github_creations, row):
        wanted = github_creations.c.installation_id == installation
        connection.execute(update(github_creations).where(wanted).values(row))


def _change(connection: Connection, installation: int, **values: object) -> None:
    chosen = update(github_quotas).where(github_quotas.c.installation_id == installation)
    connection.execute(chosen.values(values))


def _seconds(now: datetime, moment: datetime) -> float:
    return max(0.0, (moment - now).total_seconds())
