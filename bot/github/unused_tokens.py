"""Revoke tokens that are no longer used, and all of them when the server stops."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import structlog

from bot.background import again_and_again, in_background
from bot.errors import GitHubError
from bot.github.github import GitHub

UNUSED = 120.0
"""Seconds without a call after which a token is revoked; the next call mints another."""

_LEAVING = 3.0
"""Seconds for revoking at the end; what is not revoked by then expires within the hour."""

_FAILED = "tokens not revoked"

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def unused_revoked(github: GitHub) -> AsyncIterator[None]:
    """Look after the tokens of this process while the block lasts, whatever they are minted for."""

    async def look() -> None:
        await asyncio.sleep(UNUSED / 2)
        await github.revoke_unused(time.time() - UNUSED)

    async with in_background(partial(again_and_again, look, pause=0.0, failed=_FAILED)):
        try:
            yield
        finally:
            await _revoke_all(github)


async def _revoke_all(github: GitHub) -> None:
    try:
        async with asyncio.timeout(_LEAVING):
            await github.revoke_unused(time.time())
    except (GitHubError, TimeoutError) as error:
        _log.warning(_FAILED, problem=str(error))
