"""Turn a key of the API into whoever has it."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from http import HTTPStatus

from bot.errors import StorageError
from bot.storage.api_keys import ApiKeyStore
from bot.web.access import WrongTokens
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem

_SCOPES = {scope.value: scope for scope in Scope}


class KeyAccess:
    """Knows keys."""

    def __init__(self, keys: ApiKeyStore, wrong: WrongTokens) -> None:
        self._keys = keys
        self._wrong = wrong

    async def caller(self, token: str) -> Caller:
        """Return who shows that key, which was used now.

        Raises:
            ApiProblem: When it is no key, or no longer one.
            StorageError: When the database does not tell.
        """
        key = await self._keys.find(token)
        if key is None and self._wrong.too_many():
            raise ApiProblem(
                HTTPStatus.TOO_MANY_REQUESTS,
                "Too many wrong tokens and keys were sent. Check yours, and try again in a minute.",
                {"Retry-After": "60"},
            )
        if key is None:
            raise unknown("This token or key isn't known here. Check it, or create another key.")
        match key.standing(datetime.now(UTC)):
            case "revoked":
                raise unknown(f"The key {key.name} is revoked. Create another one.")
            case "expired":
                raise unknown(f"The key {key.name} has expired. Create another one.")
            case _:
                with contextlib.suppress(StorageError):  # the request matters more
                    await self._keys.note_use(key)
        scopes = frozenset(_SCOPES[scope] for scope in key.scopes if scope in _SCOPES)
        return Caller(f"key {key.name}", key.identities, scopes)

    async def is_good(self, token: str) -> bool:
        """Whether a key that let somebody in would still do so; a database that is away says yes."""
        try:
            key = await self._keys.find(token)
        except StorageError:
            return True
        return key is not None and key.standing(datetime.now(UTC)) == "active"


def unknown(detail: str) -> ApiProblem:
    """Return why nobody is let in: https://www.rfc-editor.org/rfc/rfc6750#section-3."""
    return ApiProblem(
        HTTPStatus.UNAUTHORIZED, detail, {"WWW-Authenticate": 'Bearer realm="fixpoint"'}
    )
