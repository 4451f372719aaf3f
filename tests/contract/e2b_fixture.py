"""The E2B provider as the contract suite gets it: the real SDK against the local server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from sandbox.base import SandboxProvider
from sandbox.e2b import E2BProvider
from tests.fakes.e2b import E2BServer


def provider_of(server: E2BServer) -> E2BProvider:
    """Return a provider whose E2B is the local server."""
    return E2BProvider(SecretStr(server.api_key), api_url=server.url, sandbox_url=server.url)


@asynccontextmanager
async def e2b_provider(tmp_path: Path) -> AsyncIterator[SandboxProvider]:
    """Yield a provider with a server of its own."""
    async with E2BServer(tmp_path / "e2b") as server:
        provider = provider_of(server)
        try:
            yield provider
        finally:
            await provider.close()
