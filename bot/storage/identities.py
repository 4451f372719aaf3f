"""Find out whose the rows are that an earlier version kept under the names of repositories.

Names are given up and taken by others, so that a name alone proves nothing. What proves it is what
GitHub itself delivered: the webhook that brought a run, or all webhooks that came under a name, from
before the row was made until now, if they agree. What stays unknown belongs to no repository: it is
found by who looks at all of them, on the server itself, and by nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError
from sqlalchemy import (
    BigInteger,
    Connection,
    MetaData,
    RowMapping,
    Table,
    cast,
    func,
    insert,
    inspect,
    select,
    update,
)

from bot.model.money.accounts import Account
from bot.model.repository import Repo
from bot.storage.tables import (
    accounts,
    api_keys,
    commits,
    deliveries,
    last_words,
    memory_entries,
    memory_lessons,
    open_pulls,
    repair_outcomes,
    repositories,
    runs,
    session_runs,
    sessions,
    stops,
    switches,
)

_KEPT_BY_NAME = (
    ("watched_commits", commits, "first_at"),
    ("auto_switches", switches, "set_at"),
    ("stops", stops, "asked_at"),
    ("memory_lessons", memory_lessons, "made_at"),
)
"""Tables of before whose keys were names, what took their places, and the moment of a row."""


class _Place(BaseModel):
    id: int
    full_name: str = ""


class _Installation(BaseModel):
    id: int


class _Payload(BaseModel):
    repository: _Place
    installation: _Installation


@dataclass
class _Heard:
    """What was delivered.

    Attributes:
        newest: Each repository as it was named last, with the moment, by identity.
        under: By name in lower case: whose deliveries came under it, and when the first did.
        by_delivery: By delivery: the repository that it was about.
    """

    newest: dict[str, tuple[Repo, datetime]] = field(default_factory=dict)
    under: dict[str, tuple[set[str], datetime]] = field(default_factory=dict)
    by_delivery: dict[str, str] = field(default_factory=dict)

    def sure(self, name: str, at: datetime) -> str | None:
        """Return whose a name was from a moment until now; None where that is not sure."""
        whose, since = self.under.get(name.lower(), (set[str](), at))
        return next(iter(whose)) if len(whose) == 1 and since <= at else None


def identify(connection: Connection) -> None:
    """Say of every row that was kept under a name whose it is, as far as that is sure."""
    heard = _heard(connection)
    for repo, at in heard.newest.values():
        row = {
            "identity": repo.identity,
            "full_name": repo.full_name,
            "name": repo.full_name.lower(),
            "installation_id": repo.installation_id,
            "seen_at": at,
        }
        _add(connection, repositories, row)
    _identify_runs(connection, heard)
    follow_runs(connection)
    for name, table, moment in _KEPT_BY_NAME:
        _move(connection, name, table, partial(_sure, heard, moment))
    _move(connection, "open_pulls", open_pulls, lambda row: _opened(connection, row))
    _identify_keys(connection, heard)
    _identify_accounts(connection)


def _heard(connection: Connection) -> _Heard:
    heard = _Heard()
    columns = (deliveries.c.id, deliveries.c.payload, deliveries.c.received_at)
    for row in connection.execute(select(*columns).order_by(deliveries.c.received_at)):
        try:
            told = _Payload.model_validate_json(row.payload)
        except ValidationError:  # of what version or event ever
            continue
        repo = Repo(told.repository.full_name, told.installation.id, told.repository.id)
        heard.by_delivery[row.id] = repo.identity
        heard.newest[repo.identity] = repo, row.received_at
        whose, _ = heard.under.setdefault(repo.full_name.lower(), (set(), row.received_at))
        whose.add(repo.identity)
    return heard


def _identify_runs(connection: Connection, heard: _Heard) -> None:
    columns = (runs.c.id, runs.c.request, runs.c.delivery_id, runs.c.created_at)
    unknown = connection.execute(select(*columns).where(runs.c.identity.is_(None))).all()
    for row in unknown:
        asked_of = json.loads(row.request)["request"]["repository"]
        whose = heard.by_delivery.get(row.delivery_id) or heard.sure(asked_of, row.created_at)
        if whose is not None:
            connection.execute(update(runs).where(runs.c.id == row.id).values(identity=whose))


def follow_runs(connection: Connection) -> None:
    """Give what belongs to a run the repository of that run."""
    for table in (memory_entries, repair_outcomes):
        whose = select(runs.c.identity).where(runs.c.id == table.c.run_id).scalar_subquery()
        connection.execute(update(table).where(table.c.identity.is_(None)).values(identity=whose))
    of_run = select(runs.c.identity).where(runs.c.id == last_words.c.run_id).scalar_subquery()
    unknown = update(last_words).where(last_words.c.repository_id.is_(None))
    connection.execute(unknown.values(repository_id=cast(of_run, BigInteger)))
    whose = (
        select(func.min(runs.c.identity))
        .join(session_runs, session_runs.c.run_id == runs.c.id)
        .where(session_runs.c.session_id == sessions.c.id)
        .having(func.count() == func.count(runs.c.identity))
        .having(func.min(runs.c.identity) == func.max(runs.c.identity))
        .scalar_subquery()
    )
    connection.execute(update(sessions).where(sessions.c.identity.is_(None)).values(identity=whose))


def _move(
    connection: Connection,
    before: str,
    table: Table,
    whose: Callable[[RowMapping], str | None],
) -> None:
    """Copy rows of a table that this version no longer uses into the one in its place.

    A lesson is copied also where nobody knows whose it is: it can be looked at on the server.
    """
    if not inspect(connection).has_table(before):
        return
    raw = MetaData()  # moments stay as they are
    today = Table(table.name, raw, autoload_with=connection)
    rows = connection.execute(select(Table(before, raw, autoload_with=connection))).mappings().all()
    for row in rows:
        identity, name = whose(row), row["repository"]
        if identity is not None or table is memory_lessons:
            values = {"full_name": name, **row, "identity": identity or name}
            _add(connection, today, {column.name: values.get(column.name) for column in today.c})


def _add(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert a row unless one of its key is there."""
    same = (column == row[column.name] for column in table.primary_key)
    if connection.execute(select(*table.primary_key).where(*same)).first() is None:
        connection.execute(insert(table).values(dict(row)))


def _sure(heard: _Heard, moment: str, row: RowMapping) -> str | None:
    at = datetime.fromtimestamp(row[moment] / 1_000_000, tz=UTC)
    return heard.sure(row["repository"], at)


def _opened(connection: Connection, row: RowMapping) -> str | None:
    """Return whose a pull request is: of the only repository whose run opened it."""
    opened = select(runs.c.identity).where(
        runs.c.repository == row["repository"], runs.c.pull_request == row["number"]
    )
    found = set(connection.scalars(opened))
    return found.pop() if len(found) == 1 else None


def _identify_keys(connection: Connection, heard: _Heard) -> None:
    limited = select(api_keys).where(
        api_keys.c.repositories.is_not(None), api_keys.c.identities.is_(None)
    )
    for row in connection.execute(limited).all():
        whose = (heard.sure(name, row.created_at) for name in json.loads(row.repositories))
        known = json.dumps(sorted(filter(None, whose)))
        connection.execute(update(api_keys).where(api_keys.c.id == row.id).values(identities=known))


def _identify_accounts(connection: Connection) -> None:
    """Let what was spent count on: under the repository that has the name now."""
    today: dict[str, list[str]] = {}
    for row in connection.execute(select(repositories.c.name, repositories.c.identity)):
        today.setdefault(row.name, []).append(row.identity)
    for kept in connection.execute(select(accounts)).mappings().all():
        account = Account.of_key(kept["key"])
        whose = today.get(account.identity, [])
        if len(whose) == 1:
            name = account.name.replace(account.identity, whose[0], 1)
            key = Account(account.scope, name, account.day).key
            _add(connection, accounts, {**kept, "key": key})
