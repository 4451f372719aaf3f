"""The gate itself, on its socket, as something in a sandbox meets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox.base import Network
from sandbox.egress import Registries, WayOut, gate, operator, way_out
from sandbox.egress.way_out import MOST_CONNECTIONS

SECONDS = 600.0


@asynccontextmanager
async def socket_of(out: WayOut) -> AsyncIterator[Path]:
    """Yield the socket of a gate, whose path has to be short."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        await stack.enter_async_context(gate(folder, out))
        (socket,) = folder.iterdir()
        yield socket


async def asked(socket: Path) -> str:
    """Say something that is no request, and return the answer, or "" if there is none."""
    answer = b""
    reader, writer = await asyncio.open_unix_connection(socket)
    with suppress(ConnectionError):
        writer.write(b"HELLO\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(), SECONDS)
        writer.close()
        await writer.wait_closed()
    return answer.decode()


async def test_a_sandbox_has_so_many_connections() -> None:
    """Through all its gates together; another one is told why not, and comes when one has gone."""
    out = way_out(Network(), operator({}), Registries())
    async with socket_of(out) as path, socket_of(out) as other:
        held = [await asyncio.open_unix_connection(path) for _ in range(MOST_CONNECTIONS)]
        refused = await asked(other)
        assert refused.startswith("HTTP/1.1 503 ")
        assert f"This sandbox has {MOST_CONNECTIONS} connections already" in refused
        more = [await asyncio.open_unix_connection(path) for _ in range(2 * MOST_CONNECTIONS)]
        assert await asyncio.wait_for(more[-1][0].read(), SECONDS) == b""
        assert out.connections.open == 2 * MOST_CONNECTIONS
        for _, writer in (held.pop(), *more):
            writer.close()
        async with asyncio.timeout(SECONDS):
            while not (await asked(other)).startswith("HTTP/1.1 400 "):
                pass
        for _, writer in held:
            writer.close()
    assert out.connections.open == 0
