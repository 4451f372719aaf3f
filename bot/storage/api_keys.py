"""Keys of the API: made, shown once, remembered by a digest, looked up, revoked."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, Row, insert, or_, select, update

from bot.errors import UsageError
from bot.model.repository import Repo
from bot.storage.database import Database
from bot.storage.tables import api_keys

PREFIX = "fxp_"
"""By which people and scanners for secrets know a key; `bot.redaction` knows it, too."""

_KEY = re.compile(r"fxp_(?P<id>[0-9a-f]{12})_[0-9a-f]{64}", re.ASCII)
_LONGEST_NAME = 60
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@/-]*", re.ASCII)
_USED_EVERY = timedelta(minutes=1)
"""How exact `used_at` is: a busy client is not one write per request."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key, without what makes it one.

    Attributes:
        id: 12 hex digits, which the key shows.
        name: What people call it; unique among those that are not revoked.
        scopes: Names of what it allows.
        repositories: Names of the repositories that it is limited to, as they were called; None for
            all.
        identities: Of these; none of a key that was made when only names were kept, unless it was
            sure which they are. None for all.
        created_at: UTC.
        expires_at: UTC; None for never.
        revoked_at: UTC; None unless it is revoked.
        used_at: UTC, to the minute or so; None if it never was.
    """

    id: str
    name: str
    scopes: frozenset[str]
    repositories: frozenset[str] | None
    identities: frozenset[str] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None

    def standing(self, now: datetime) -> str:
        """Return `active`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "active"


class ApiKeyStore:
    """The table of keys. Every method raises `StorageError` when the database fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        name: str,
        scopes: Iterable[str],
        repositories: Iterable[Repo] | None,
        expires_at: datetime | None,
    ) -> tuple[ApiKey, SecretStr]:
        """Make a key; the second value is the key itself, which nobody can show again.

        Raises:
            UsageError: When the name is taken, or none.
        """
        if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
            raise UsageError(
                f"A key's name has 1 to {_LONGEST_NAME} letters, digits, spaces and ._@/-, "
                "and begins with a letter or digit."
            )
        key_id = secrets.token_hex(6)
        secret = f"{PREFIX}{key_id}_{secrets.token_hex(32)}"
        among = None if repositories is None else tuple(repositories)
        key = ApiKey(
            key_id,
            name,
            frozenset(scopes),
            None if among is None else frozenset(repo.full_name for repo in among),
            None if among is None else frozenset(repo.identity for repo in among),
            datetime.now(UTC),
            expires_at,
            None,
            None,
        )
        await self._database.write(lambda connection: _insert(connection, key, _digest(secret)))
        return key, SecretStr(secret)

    async def list(self) -> tuple[ApiKey, ...]:
        """Return all keys that ever were, the youngest first."""
        statement = select(api_keys).order_by(api_keys.c.created_at.desc(), api_keys.c.id)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(map(_key, rows))

    async def revoke(self, named: str) -> ApiKey | None:
        """Revoke the key of that id or name; return it, or None when there is none in force."""
        statement = (
            update(api_keys)
            .where(
                or_(api_keys.c.id == named, api_keys.c.name == named),
                api_keys.c.revoked_at.is_(None),
            )
            .values(revoked_at=datetime.now(UTC))
            .returning(*api_keys.c)
        )
        row = await self._database.write(lambda connection: connection.execute(statement).first())
        return None if row is None else _key(row)

    async def find(self, given: str) -> ApiKey | None:
        """Return the key that was given, whether it is still good or not; None for any other text."""
        parsed = _KEY.fullmatch(given)
        if parsed is None:
            return None
        statement = select(api_keys).where(api_keys.c.id == parsed["id"])
        row = await self._database.read(lambda connection: connection.execute(statement).first())
        if row is None or not hmac.compare_digest(row.digest, _digest(given)):
            return None
        return _key(row)

    async def note_use(self, key: ApiKey) -> None:
        """Remember that a key was just used, unless that was remembered a moment ago."""
        now = datetime.now(UTC)
        if key.used_at is not None and now - key.used_at < _USED_EVERY:
            return
        statement = update(api_keys).where(api_keys.c.id == key.id).values(used_at=now)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _insert(connection: Connection, key: ApiKey, digest: str) -> None:
    taken = select(api_keys.c.id).where(
        api_keys.c.name == key.name, api_keys.c.revoked_at.is_(None)
    )
    if connection.execute(taken).first() is not None:
        raise UsageError(
            f"There is a key named {key.name} already. Choose another name, or revoke that one."
        )
    row = {
        "id": key.id,
        "name": key.name,
        "digest": digest,
        "scopes": json.dumps(sorted(key.scopes)),
        "repositories": _written(key.repositories),
        "identities": _written(key.identities),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
    }
    connection.execute(insert(api_keys).values(row))


def _digest(secret: str) -> str:
    """Return the digest of a key; its 256 random bits need no slow hash, unlike a password."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _written(among: frozenset[str] | None) -> str | None:
    return None if among is None else json.dumps(sorted(among))


def _key(row: Row[Any]) -> ApiKey:
    among = None if row.repositories is None else frozenset(json.loads(row.repositories))
    identities = frozenset(json.loads(row.identities or "[]"))
    return ApiKey(
        row.id,
        row.name,
        frozenset(json.loads(row.scopes)),
        among,
        None if among is None else identities,
        row.created_at,
        row.expires_at,
        row.revoked_at,
        row.used_at,
    )
