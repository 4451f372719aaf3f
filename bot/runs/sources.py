"""Where a run on GitHub gets its source from, and the folder that it works in."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import structlog
from pydantic import SecretStr

from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.model.repository import Repo
from bot.model.request import FixRequest
from bot.runs.briefing import Brief
from bot.runs.mirrors import Mirrors
from bot.runs.remote_checkout import RemoteCheckout
from sandbox.git import Credential

_log = structlog.get_logger(__name__)


class Sources:
    """Fetches the commits of runs with tokens that live for one fetch, through shared mirrors."""

    def __init__(self, github: GitHub, folder: Path, *, first_wait: float) -> None:
        """Keep runs and mirrors below `folder`; wait `first_wait` seconds at an outage of GitHub."""
        self._github = github
        self._folder = folder
        self._mirrors = Mirrors(folder / "mirrors")
        self._first_wait = first_wait

    def scratch(self, request: FixRequest) -> Path:
        """Return the folder of a run; whoever ends the run removes it."""
        return self._folder / "runs" / request.run_id

    def checkout(self, request: FixRequest, brief: Brief) -> RemoteCheckout:
        """Return the commit to repair, to be fetched when it is needed."""
        repo = Repo(request.repository, request.installation_id)

        @contextlib.asynccontextmanager
        async def credential() -> AsyncIterator[Credential]:
            source = await self._github.clone_source(repo)
            try:
                yield Credential(source.url, source.token.get_secret_value())
            finally:
                await self._forget(source.token)

        async def size() -> int:
            return (await self._github.facts(repo)).size

        return RemoteCheckout(
            self._github.clone_url(repo),
            self.scratch(request),
            ref=brief.commit,
            trusted_ref=brief.trusted,
            mirror=self._mirrors.of(repo.full_name),
            credential=credential,
            first_wait=self._first_wait,
            size=size,
        )

    async def _forget(self, token: SecretStr) -> None:
        try:
            await self._github.revoke(token)
        except GitHubError as error:
            # It expires within the hour anyway.
            _log.warning("token not revoked", problem=str(error))
