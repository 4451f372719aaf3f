"""A proxy of an operator's, with the whole internet behind it: it answers for every host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

AUTHORIZATION = "Basic b3BlcmF0b3I6dW50b2xk"
"""Of `operator:untold`."""

SHOWING = {
    "page": f"HTTP/1.1 403 No\r\n\r\nProxy-Authorization: {AUTHORIZATION}\r\n".encode(),
    "header": f"HTTP/1.1 200 OK\r\nX-Asked: {AUTHORIZATION}\r\n\r\nx".encode(),
    "reason": b"HTTP/1.1 407 operator:untold\r\n\r\nx",
    "address": b"HTTP/1.1 302 Found\r\nLocation: http://operator%3Auntold@proxy/\r\n\r\n",
    "entities": b"HTTP/1.1 200 OK\r\n\r\n<p>operator&#58;untold</p>",
    "gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx",
    "shows.files.example:443": b"HTTP/1.1 407 operator:untold\r\n\r\n",
}
"""Answers of a proxy that repeats what it was asked, by the end of the address."""

WELCOME = b"welcome from the internet\n"


@dataclass
class UpstreamProxy:
    """What it was asked, in order: the first lines of requests.

    Attributes:
        port: On 127.0.0.1.
        heads: Whole heads of requests.
        away: Places (`host:port`) to which it finds no way.
    """

    port: int = 0
    heads: list[str] = field(default_factory=list)
    away: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        """How an operator names it."""
        return f"http://operator:untold@127.0.0.1:{self.port}"

    @property
    def lines(self) -> list[str]:
        """The first lines of the requests."""
        return [head.partition("\r\n")[0] for head in self.heads]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Welcome whoever asks for a page, and tell what comes through a tunnel first."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            if f"Proxy-Authorization: {AUTHORIZATION}" not in head:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            elif (shown := head.split()[1].rpartition("/")[2]) in SHOWING:
                writer.write(SHOWING[shown])
            elif head.split()[1] in self.away:
                writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            elif head.startswith("CONNECT"):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                first = await reader.read(1)
                writer.write(f"heard {first.hex()}\n".encode() if first else b"")
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + WELCOME)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def upstream_proxy() -> AsyncIterator[UpstreamProxy]:
    """Yield one that listens."""
    proxy = UpstreamProxy()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    async with server:
        yield proxy
