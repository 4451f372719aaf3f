"""Revoke tokens that nobody uses any more, and all of them when the server stops."""

from __future__ import annotations

import asyncio
import time
from typing import Self

import structlog

from bot.errors import GitHubError
from bot.github.github import GitHub

UNUSED = 120.0
"""Seconds without a call after which a token is revoked; the next call mints another."""

_LEAVING = 3.0
"""Seconds for revoking at the end; what is not revoked by then expires within the hour."""

_log = structlog.get_logger(__name__)


class UnusedTokens:
    """Looks after the tokens of one process, whatever they were minted for."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin."""
        self._task = asyncio.create_task(self._look_again_and_again())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop, and leave no token behind."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            async with asyncio.timeout(_LEAVING):
                await self._github.revoke_unused(time.time())
        except (GitHubError, TimeoutError) as error:
            _log.warning("tokens not revoked", problem=str(error))

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(UNUSED / 2)
            try:
                await self._github.revoke_unused(time.time() - UNUSED)
            except GitHubError as error:
                _log.warning("tokens not revoked", problem=str(error))
