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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.base import Network
from sandbox.egress.inside import trust_environment
from sandbox.egress.operator import Operator
from sandbox.egress.policy import Policy, decide
from sandbox.egress.registries import Registries
from sandbox.egress.request import LONGEST_HEAD, BadRequest, Wanted, parse, refusal
from sandbox.egress.route import Forbidden, NoRoute, Stream, connect

if TYPE_CHECKING:
    from sandbox.egress.registry_proxy import RegistryProxy

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_LOG = logging.getLogger(__name__)
_PIECE = 1 << 16
_HEAD_SECONDS = 60.0
_MOST_REFUSALS = 50
_SENTENCE = "{host} is not among the hosts that this run may reach."


@dataclass(frozen=True, slots=True)
class WayOut:
    """What one sandbox may reach, and how this host reaches it.

    Attributes:
        policy: What it may reach.
        operator: How this host reaches the internet.
        registries: Which of them the gate stands for.
    """

    policy: Policy
    operator: Operator
    registries: Registries = field(default_factory=Registries)

    @property
    def ends_tls(self) -> bool:
        """Whether the sandbox has to trust the gate, which stands for registries."""
        return self.registries.end_tls(self.policy)

    @property
    def environment(self) -> dict[str, str]:
        """Variables that tell clients in the sandbox whom to trust."""
        return trust_environment() if self.ends_tls else {}


def way_out(network: Network, operator: Operator, registries: Registries) -> WayOut:
    """Return the way out of a sandbox: private registries that do not serve it are as any host."""
    served = registries.private_for(network.project)
    return WayOut(Policy(network, operator.named | served), operator, registries)


class Gate:
    """Decides about each connection, carries it, and remembers which hosts it refused.

    Args:
        way_out: What it decides by.
    """

    def __init__(self, way_out: WayOut) -> None:
        self._policy = way_out.policy
        self._operator = way_out.operator
        self._registries = way_out.registries
        self._proxy: RegistryProxy | None = None
        self._refused: dict[str, None] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def refused(self) -> tuple[str, ...]:
        """The hosts that were asked for in vain, the first ones first."""
        return tuple(self._refused)

    @property
    def undated(self) -> tuple[str, ...]:
        """The package indexes that did not say when packages were uploaded, though it mattered."""
        return self._proxy.undated if self._proxy else ()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        task = asyncio.ensure_future(self._serve((reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Break off what is still open."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._proxy is not None:
            await self._proxy.close()

    async def _serve(self, client: Stream) -> None:
        reader, writer = client
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
                async with asyncio.timeout(_HEAD_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                await self._answer(client, head)
        except asyncio.LimitOverrunError:
            writer.write(
                refusal("431 Request Header Fields Too Large", "The headers are too long.")
            )
        finally:
            await _closed(writer)

    async def _answer(self, client: Stream, head: bytes) -> None:
        _, writer = client
        try:
            wanted = parse(head)
            host, (server, first) = wanted.host, await self._connected(wanted)
        except BadRequest as error:
            writer.write(refusal("400 Bad Request", str(error)))
            return
        except Forbidden as error:
            writer.write(refusal("403 Forbidden", str(error)))
            return
        except NoRoute as error:
            writer.write(refusal("502 Bad Gateway", str(error)))
            return
        _LOG.info("sandbox reached a host", extra={"host": host, "port": wanted.port})
        try:
            if wanted.scheme == "https":
                writer.write(_ESTABLISHED)
            server[1].write(first)
            await _carry(client, server)
        finally:
            await _closed(server[1])

    async def _connected(self, wanted: Wanted) -> tuple[Stream, bytes]:
        passed = decide(self._policy, wanted.host, wanted.port)
        if passed is None:
            self._refuse(wanted)
            raise Forbidden(_SENTENCE.format(host=wanted.host))
        if self._registries.stand_for(wanted, self._policy):
            return await self._registry_proxy().connect(wanted)
        try:
            return await connect(wanted, passed, self._operator)
        except Forbidden:
            self._refuse(wanted)
            raise

    def _registry_proxy(self) -> RegistryProxy:
        if self._proxy is None:
            from sandbox.egress.registry_proxy import (
                RegistryProxy,
            )  # slow to import, and rarely needed

            self._proxy = RegistryProxy(
                self._registries, self._policy, self._operator, self._refuse
            )
        return self._proxy

    def _refuse(self, wanted: Wanted) -> None:
        _LOG.warning("sandbox was refused a host", extra={"host": wanted.host, "port": wanted.port})
        if len(self._refused) < _MOST_REFUSALS:
            self._refused[wanted.host] = None


async def _carry(client: Stream, server: Stream) -> None:
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


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(1):
            await writer.wait_closed()


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
