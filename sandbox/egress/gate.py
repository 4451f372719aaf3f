"""Serve a sandbox's way out on a unix socket, for as long as a command runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.egress.addresses import as_address
from sandbox.egress.policy import Pass, decide
from sandbox.egress.request import LONGEST_HEAD, BadRequest, Wanted, parse, refusal
from sandbox.egress.route import Forbidden, NoRoute, Stream, connect
from sandbox.egress.server_name import UNRECOGNIZED_NAME, Misdirected, UnreadableHello, first_words
from sandbox.egress.way_out import MOST_CONNECTIONS, WayOut

if TYPE_CHECKING:
    from sandbox.egress.http_proxy import HttpProxy

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


_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_LOG = logging.getLogger(__name__)
_HEAD_SECONDS = 60.0
_MOST_REFUSALS = 50
_TOO_MANY = (
    f"This sandbox has {MOST_CONNECTIONS} connections already, and may not have more at once: "
    "close some first."
)
_SENTENCE = "{host} is not among the hosts that this run may reach."


class Gate:
    """Decides about each connection, carries it, and remembers which hosts it refused.

    Args:
        way_out: What it decides by.
    """

    def __init__(self, way_out: WayOut) -> None:
        self._policy = way_out.policy
        self._operator = way_out.operator
        self._registries = way_out.registries
        self._connections = way_out.connections
        self._proxy: HttpProxy | None = None
        self._refused: dict[str, None] = {}
        self._unreached: dict[str, None] = {}
        self._withheld: dict[str, None] = {}
        self._has_too_many = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def refused(self) -> tuple[str, ...]:
        """The hosts that were asked for in vain, the first ones first."""
        return tuple(self._refused)

    @property
    def unreached(self) -> tuple[str, ...]:
        """The hosts that may be reached and could not be, nor later."""
        return tuple(self._unreached)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The hosts whose answers may show their reader's credential, and were not passed on."""
        return tuple(self._withheld)

    @property
    def undated(self) -> tuple[str, ...]:
        """The package indexes that did not say when packages were uploaded, though it mattered."""
        return self._proxy.undated if self._proxy else ()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, while the sandbox does not have too many."""
        if self._is_closed or self._connections.are_far_too_many:
            writer.transport.abort()
            return
        self._connections.open += 1
        is_refused = self._connections.are_too_many
        task = asyncio.ensure_future(self._serve((reader, writer), is_refused=is_refused))
        self._tasks.add(task)
        task.add_done_callback(partial(self._served, writer))

    def _served(self, writer: asyncio.StreamWriter, task: asyncio.Task[None]) -> None:
        if not writer.is_closing():  # it was cancelled before it began
            writer.transport.abort()
        self._connections.open -= 1
        self._tasks.discard(task)

    async def close(self) -> None:
        """Break off what is still open, and what is accepted yet."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._proxy is not None:
            await self._proxy.close()

    async def _serve(self, client: Stream, *, is_refused: bool) -> None:
        reader, writer = client
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
                async with asyncio.timeout(_HEAD_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                if is_refused:
                    self._note_too_many()
                    writer.write(refusal("503 Service Unavailable", _TOO_MANY))
                else:
                    await self._answer(client, head)
        except asyncio.LimitOverrunError:
            writer.write(
                refusal("431 Request Header Fields Too Large", "The headers are too long.")
            )
        finally:
            await closed(writer)

    async def _answer(self, client: Stream, head: bytes) -> None:
        _, writer = client
        try:
            wanted = parse(head)
            passed = self._pass(wanted)
            server = await self._connected(wanted, passed)
        except BadRequest as error:
            writer.write(refusal("400 Bad Request", str(error)))
            return
        except Forbidden as error:
            self._refuse(wanted)
            writer.write(refusal("403 Forbidden", str(error)))
            return
        except NoRoute as error:
            self._note_route(wanted, is_there=False)
            writer.write(refusal("502 Bad Gateway", str(error)))
            return
        _LOG.info("sandbox reached a host", extra={"host": wanted.host, "port": wanted.port})
        try:
            if server is None:
                writer.write(_ESTABLISHED)
                await self._tunnel(wanted, passed, client, None)
            elif wanted.scheme == "http":
                server[1].write(wanted.head)
                await carry(client, server)
            else:
                writer.write(_ESTABLISHED)
                await self._tunnel(wanted, passed, client, server)
        finally:
            if server is not None:
                await closed(server[1])

    async def _tunnel(
        self, wanted: Wanted, passed: Pass, client: Stream, server: Stream | None
    ) -> None:
        if passed.no_other and not self._stands_for(wanted):
            try:
                whom, said = await self._held(wanted, client)
            except (Misdirected, UnreadableHello):
                client[1].write(UNRECOGNIZED_NAME)
                return
            if whom != wanted:
                await self._read_here(whom, said, client)
                return
            if server is None:
                self._refuse(wanted)
                client[1].write(UNRECOGNIZED_NAME)
                return
            server[1].write(said)
        if server is not None:
            await carry(client, server)

    async def _read_here(self, wanted: Wanted, said: bytes, client: Stream) -> None:
        """Read the requests that come through a tunnel as they are."""
        server = await self._http_proxy().connect(wanted)
        try:
            server[1].write(said)
            await carry(client, server)
        finally:
            await closed(server[1])

    def _pass(self, wanted: Wanted) -> Pass:
        passed = decide(self._policy, wanted.host, wanted.port)
        if passed is None:
            raise Forbidden(_SENTENCE.format(host=wanted.host))
        return passed

    def _stands_for(self, wanted: Wanted) -> bool:
        return self._registries.stand_for(wanted, self._policy)

    async def _connected(self, wanted: Wanted, passed: Pass) -> Stream | None:
        """Connect to a tunnel's host; requests that can be read are read here.

        None for a host of which only some paths may be read, so that nothing else goes there.
        """
        if wanted.scheme == "http" or self._stands_for(wanted):
            return await self._http_proxy().connect(wanted)
        if (wanted.host, wanted.port) in self._policy.by_path:
            return None
        stream = await connect(wanted, passed, self._operator)
        self._note_route(wanted, is_there=True)
        return stream

    async def _held(self, wanted: Wanted, client: Stream) -> tuple[Wanted, bytes]:
        """Wait for the first words in a tunnel that has to stay with its host.

        Returns:
            Whom they are for, which is somebody else where they are no TLS; and the words.

        Raises:
            Misdirected: They are for another host.
        """
        async with asyncio.timeout(_HEAD_SECONDS):
            said = await first_words(client[0])
        if not said.is_tls:
            return replace(wanted, scheme="http"), said.data
        if said.name is not None and said.name != wanted.host:
            self._refuse(replace(wanted, host=said.name))
            raise Misdirected
        if said.name is None and as_address(wanted.host) is None:
            raise Misdirected
        return wanted, said.data

    def _http_proxy(self) -> HttpProxy:
        if self._proxy is None:
            from sandbox.egress.http_proxy import HttpProxy  # slow to import, and rarely needed

            self._proxy = HttpProxy(
                self._registries, self._policy, self._operator, self._refuse, self._note_route
            )
        return self._proxy

    def _note_too_many(self) -> None:
        if not self._has_too_many:
            _LOG.warning("sandbox has too many connections")
        self._has_too_many = True

    def _note_route(self, wanted: Wanted, *, is_there: bool, is_withheld: bool = False) -> None:
        if is_withheld and len(self._withheld) < _MOST_REFUSALS:
            self._withheld[wanted.host] = None
        if is_there:
            self._unreached.pop(wanted.host, None)
        elif len(self._unreached) < _MOST_REFUSALS:
            self._unreached[wanted.host] = None

    def _refuse(self, wanted: Wanted) -> None:
        _LOG.warning("sandbox was refused a host", extra={"host": wanted.host, "port": wanted.port})
        if len(self._refused) < _MOST_REFUSALS:
            self._refused[wanted.host] = None


@asynccontextmanager
async def gate(folder: Path, way_out: WayOut) -> AsyncIterator[Gate]:
    """Yield a gate that listens in a folder, on a socket of its own.

    Args:
        folder: Shown to the sandbox; it exists, and nobody else may enter the one above it.
        way_out: What it decides by.
    """
    opened = Gate(way_out)
    if way_out.ends_tls:
        await asyncio.to_thread(way_out.registries.show_bundle, folder)
    name = uuid.uuid4().hex
    listener = _listen(folder, name)
    server = await asyncio.start_unix_server(opened.accept, sock=listener, limit=LONGEST_HEAD)
    try:
        async with server:
            yield opened
            server.close()
            await opened.close()
    finally:
        await opened.close()
        (folder / name).unlink(missing_ok=True)


def _listen(folder: Path, name: str) -> socket.socket:
    """Bind by way of a descriptor: the path of a unix socket has at most 107 bytes."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{descriptor}/{name}")
        (folder / name).chmod(0o666)
    except BaseException:
        listener.close()
        raise
    finally:
        os.close(descriptor)
    return listener
