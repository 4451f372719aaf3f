"""A gate on this machine's loopback that commands in a sandbox have to pass, when a story wants."""

from __future__ import annotations

import asyncio
from typing import Self

from sandbox.egress.inside import PORT
from tests.flows.server_process import PATIENCE


def answer(port: int, path: str = "") -> str:
    """Return a bash command that prints the last line of a page of this machine; for `$(...)`.

    Sandboxes reach its port as a registry of the operator's; see `registry`.
    """
    ask = f"printf 'GET http://127.0.0.1:{port}/{path} HTTP/1.0\\r\\n\\r\\n' >&3"
    return f"exec 3<>/dev/tcp/127.0.0.1/{PORT} && {ask} && tail -n 1 <&3"


async def asked(reader: asyncio.StreamReader) -> str:
    """Read a request, and return the path of its page."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    return head.split(" ")[1].removeprefix("/")


def say(word: str, writer: asyncio.StreamWriter) -> None:
    """Answer a request with a page of one line."""
    writer.write(f"HTTP/1.0 200 OK\r\n\r\n{word}\n".encode())
    writer.close()


def registry(port: int) -> dict[str, str]:
    """Return the operator's variables that open a port of this machine to sandboxes."""
    return {"PIP_EXTRA_INDEX_URL": f"http://127.0.0.1:{port}/simple"}


class Gate:
    """Commands say where they are and go on when they may; the network must be on for them.

    Attributes:
        passed: Where commands were, in order.
    """

    def __init__(self) -> None:
        self.passed: list[str] = []
        self._closed: set[str] = set()
        self._waiting: dict[str, asyncio.StreamReader] = {}
        self._changed = asyncio.Condition()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let everybody go."""
        assert self._server is not None
        await self.open(*self._closed)
        self._server.close()

    def command(self, place: str) -> str:
        """Return a bash command that passes the gate at a place."""
        return f"test $({answer(self._port, place)}) = go"

    @property
    def variables(self) -> dict[str, str]:
        """The operator's variables that let sandboxes come here."""
        return registry(self._port)

    @property
    def _port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self, *places: str) -> None:
        """Let nobody pass at these places from now on."""
        async with self._changed:
            self._closed |= set(places)

    async def open(self, *places: str) -> None:
        """Let everybody pass there."""
        async with self._changed:
            self._closed -= set(places)
            self._changed.notify_all()

    async def reached(self, place: str) -> None:
        """Wait until a command stands at a closed place."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: place in self._waiting)

    async def deserted(self, place: str) -> None:
        """Wait until the command that stands there is no more."""
        await asyncio.wait_for(self._waiting[place].read(), PATIENCE)
        del self._waiting[place]

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = await asked(reader)
        self.passed.append(place)
        async with self._changed:
            if place in self._closed:
                self._waiting[place] = reader
                self._changed.notify_all()
                await self._changed.wait_for(lambda: place not in self._closed)
                self._waiting.pop(place, None)
        say("go", writer)
