"""Carry what a client and a server say to each other, byte by byte."""

from __future__ import annotations

import asyncio
import contextlib

from sandbox.egress.route import Stream

_PIECE = 1 << 16


async def carry(client: Stream, server: Stream) -> None:
    """Copy both directions; when the server has said all, the rest does not matter."""
    upward = asyncio.ensure_future(_copy(client[0], server[1]))
    try:
        await _copy(server[0], client[1])
    finally:
        upward.cancel()
        await asyncio.gather(upward, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(_PIECE):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection; what is not gone after a moment is dropped."""
    writer.close()
    try:
        async with asyncio.timeout(1):
            await writer.wait_closed()
    except (ConnectionError, TimeoutError):
        writer.transport.abort()
