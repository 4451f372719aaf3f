"""Installation tokens that can do no more, and live no longer, than their use asks for."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cachetools import TLRUCache
from pydantic import SecretStr

from bot.errors import Conflict, GitHubError, NotPermitted, RepositoryMoved
from bot.github.client import Connection
from bot.github.values import FileChange
from bot.model.repository import Repo

CACHED_TOKENS = 1024
EXPIRY_MARGIN = 300.0
"""Seconds before its end at which a token is no longer handed out; no call takes that long."""


WORKFLOWS = ".github/workflows/"
"""Folder whose files take a permission of their own."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a token may do in its one repository: pairs of permission and level.

    Names: https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
    """

    permissions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Return it as the App's settings show it."""
        return ", ".join(f"{name}: {level}" for name, level in self.permissions)


READ = Access(
    (
        ("contents", "read"),
        ("issues", "read"),
        ("metadata", "read"),
        ("pull_requests", "read"),
    )
)
TALK = Access((("issues", "write"), ("pull_requests", "write")))
PUBLISH = Access((("contents", "write"), ("issues", "write"), ("pull_requests", "write")))
PUSH = Access((("contents", "write"),))
CHECK = Access((("checks", "write"),))
EVIDENCE = Access((("actions", "read"), ("checks", "read")))
WATCH = Access(
    (
        ("actions", "read"),
        ("checks", "read"),
        ("pull_requests", "read"),
        ("statuses", "read"),
    )
)
PUBLISH_WORKFLOWS = Access((*PUBLISH.permissions, ("workflows", "write")))
"""Not among the permissions of app.yml: who wants approved changes of workflow files pushed grants
it besides. https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps"""
RERUN = Access((("actions", "write"),))
"""Not among the permissions of app.yml: who wants `checks.rerun_flaky` grants it besides."""
CLONE = Access((("contents", "read"),))
LIST = Access((("metadata", "read"),))


def access_for(changes: Iterable[FileChange]) -> Access:
    """Return the access that publishing these changes takes."""
    touched = any(change.path.startswith(WORKFLOWS) for change in changes)
    return PUBLISH_WORKFLOWS if touched else PUBLISH


@dataclass(frozen=True, slots=True)
class Minted:
    """A token and the Unix time of its end."""

    token: SecretStr
    expires: float


Key = tuple[Repo, Access]


async def _stays(_: Repo) -> Repo | None:
    return None


class InstallationTokens:
    """Mints tokens and remembers them until shortly before their end.

    Callers that want the same token at the same time share one minting.
    """

    def __init__(
        self,
        app: Connection,
        looked_up: Callable[[bool], None] = lambda _: None,
        whereabouts: Callable[[Repo], Awaitable[Repo | None]] = _stays,
    ) -> None:
        """Describe where tokens come from.

        Args:
            app: Mints them.
            looked_up: Hears of each token that is asked for whether it was there.
            whereabouts: Returns a repository under its name of today, or None.
        """
        self._app = app
        self._looked_up = looked_up
        self._whereabouts = whereabouts
        self._known: TLRUCache[Key, Minted] = TLRUCache(
            CACHED_TOKENS,
            ttu=lambda _key, minted, _now: minted.expires - EXPIRY_MARGIN,
            timer=time.time,
        )
        self._minting: dict[Key, asyncio.Task[Minted]] = {}
        self._used: dict[Key, float] = {}

    async def token(self, repo: Repo, access: Access) -> SecretStr:
        """Return a token for one repository; raises `bot.errors.GitHubError`."""
        key = (repo, access)
        self._used[key] = time.time()
        minted = self._known.get(key)
        self._looked_up(minted is not None)
        if minted is None:
            if key not in self._minting:
                self._minting[key] = asyncio.create_task(self._remember(key))
            # shielded: a caller that is cancelled must not take the token from the others
            minted = await asyncio.shield(self._minting[key])
        return minted.token

    async def _remember(self, key: Key) -> Minted:
        try:
            minted = await self.mint(*key)
            self._known[key] = minted
            return minted
        finally:
            del self._minting[key]

    async def mint(self, repo: Repo, access: Access) -> Minted:
        """Return a new token that nobody else holds; raises `bot.errors.GitHubError`."""
        try:
            return await self._minted(repo.installation_id, access, _narrowed(repo))
        except NotPermitted:
            await self._raise_if_moved(repo)
            raise
        except Conflict as conflict:
            await self._raise_if_moved(repo)
            missing = await self._missing(repo, access)
            raise NotPermitted(
                f"The App's installation on {repo.full_name} does not grant {missing}. Request it in "
                "the App's settings, then accept it and select the repository in the "
                "installation's settings."
            ) from conflict

    async def _raise_if_moved(self, repo: Repo) -> None:
        """Raise `RepositoryMoved` where the repository is reached in another way by now."""
        try:
            found = await self._whereabouts(repo)
        except GitHubError:  # what was refused says more
            return
        if found is not None and _way(found, repo) != _way(repo, repo):
            raise RepositoryMoved(f"{repo.full_name} is {found.full_name} now.")

    async def mint_for_all(self, installation: int, access: Access) -> Minted:
        """Return a new token for all repositories of an installation; raises `GitHubError`."""
        return await self._minted(installation, access, {})

    async def _minted(
        self, installation: int, access: Access, narrowed: Mapping[str, Sequence[str | int]]
    ) -> Minted:
        answer = await self._app.post(
            "/app/installations/{installation}/access_tokens",
            {**narrowed, "permissions": dict(access.permissions)},
            repeatable=True,  # a token whose answer was lost is known to nobody
            installation=installation,
        )
        expires = datetime.fromisoformat(answer["expires_at"]).timestamp()
        return Minted(SecretStr(answer["token"]), expires)

    async def _missing(self, repo: Repo, access: Access) -> Access:
        """Return what of an access the installation lacks; all of it where that does not show."""
        answer = await self._app.get(
            "/app/installations/{installation}", installation=repo.installation_id
        )
        granted = answer.get("permissions", {})
        lacking = [
            (name, level)
            for name, level in access.permissions
            if granted.get(name) not in {level, "write", "admin"}
        ]
        return Access(tuple(lacking)) if lacking else access

    def forget(self, repo: Repo, access: Access, token: SecretStr) -> None:
        """Drop a token that GitHub did not accept, unless another one took its place."""
        minted = self._known.get((repo, access))
        if minted is not None and minted.token == token:
            self._known.pop((repo, access), None)

    async def revoke_all(self, repo: Repo) -> None:
        """Revoke every token of the repository that is remembered."""
        await self._revoke([key for key in self._known if key[0] == repo])

    async def revoke_unused(self, since: float) -> None:
        """Revoke every remembered token that was not asked for since that Unix time."""
        await self._revoke([key for key in self._known if self._used.get(key, 0) <= since])

    async def _revoke(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self._used.pop(key, None)
        held = [minted for key in keys if (minted := self._known.pop(key, None)) is not None]
        await asyncio.gather(*(self.revoke(minted.token) for minted in held))

    async def revoke(self, token: SecretStr) -> None:
        """Make a token useless now. One that ended already is fine."""
        with contextlib.suppress(NotPermitted):
            await self._app.borrowed(Fixed(token)).delete("/installation/token")


def _narrowed(repo: Repo) -> Mapping[str, Sequence[str | int]]:
    """Return what narrows a token to one repository."""
    return {"repositories": [repo.name]} if repo.id is None else {"repository_ids": [repo.id]}


def _way(found: Repo, asked: Repo) -> tuple[int, str]:
    """Return by what a repository is reached: the installation, and a name where no id is known."""
    return found.installation_id, found.full_name.lower() if asked.id is None else asked.identity


class Fixed:
    """The credential of a connection that has one token and gets no other."""

    def __init__(self, token: SecretStr) -> None:
        self._token = token

    async def token(self) -> SecretStr:
        """Return the token."""
        return self._token

    def forget(self, token: SecretStr) -> None:
        """Keep it: there is no other."""


class TokenFor:
    """The credential of a connection: whatever token is current for a repository and access."""

    def __init__(self, tokens: InstallationTokens, repo: Repo, access: Access) -> None:
        self._tokens = tokens
        self._repo = repo
        self._access = access

    async def token(self) -> SecretStr:
        """Return a token that is still good."""
        return await self._tokens.token(self._repo, self._access)

    def forget(self, token: SecretStr) -> None:
        """Take note that GitHub did not accept the token."""
        self._tokens.forget(self._repo, self._access, token)
