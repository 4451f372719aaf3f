"""A host with something to find: files, processes, services, descriptors."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.contract.escapes.attempt import SECRET

VARIABLE = "FIXPOINT_ESCAPE_SECRET"


@dataclass
class Host:
    """What attackers look for.

    Attributes:
        file: Holds the secret.
        descriptor: Of that file, inheritable.
        process: Another process, with the secret in its environment and its arguments.
        port: TCP and UDP, on every address of this machine, IPv6 included.
        abstract: Name of an abstract unix socket, without the zero byte.
        socket: Path of a unix socket.
        addresses: Of this machine, besides loopback.
        visitors: Who came, by service.
    """

    file: Path
    descriptor: int
    process: asyncio.subprocess.Process
    port: int
    abstract: str
    socket: Path
    addresses: tuple[str, ...]
    visitors: list[str] = field(default_factory=list)


@asynccontextmanager
async def host(folder: Path) -> AsyncIterator[Host]:
    """Yield this machine with all that in place; nothing of it stays."""
    folder.mkdir()
    async with AsyncExitStack() as stack:
        file = folder / "secret"
        file.write_text(SECRET)
        descriptor = os.open(file, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - its only parameter
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", "read -r line", SECRET),
            env={"PATH": os.defpath, VARIABLE: SECRET},
            stdin=asyncio.subprocess.PIPE,  # it waits for a line that never comes
        )
        stack.push_async_callback(_end, process)
        place = Host(
            file=file,
            descriptor=descriptor,
            process=process,
            port=_free_port(),
            abstract=f"fixpoint-{os.getpid()}-{id(stack)}",
            socket=folder / "socket",
            addresses=_addresses(),
        )
        await _serve(place, stack)
        yield place


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _addresses() -> tuple[str, ...]:
    """Ask the kernel which address it would send from; no packet leaves."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ()  # no route: loopback is all there is
        return (str(probe.getsockname()[0]),)


async def _serve(place: Host, stack: AsyncExitStack) -> None:
    abstract = f"\0{place.abstract}"
    servers = [
        await asyncio.start_server(_greeter(place, "TCP"), "0.0.0.0", place.port),
        await asyncio.start_unix_server(_greeter(place, "abstract socket"), abstract),
        await asyncio.start_unix_server(_greeter(place, "unix socket"), place.socket),
    ]
    with suppress(OSError):  # a machine without IPv6 has one service less
        servers.append(await asyncio.start_server(_greeter(place, "IPv6"), "::1", place.port))
    for server in servers:
        await stack.enter_async_context(server)
    datagrams, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Datagrams(place), ("0.0.0.0", place.port)
    )
    stack.callback(datagrams.close)


def _greeter(
    place: Host, name: str
) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
    def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place.visitors.append(name)
        writer.write(f"{SECRET}\n".encode())
        writer.close()

    return greet


class _Datagrams(asyncio.DatagramProtocol):
    """Notes that something came over UDP."""

    def __init__(self, place: Host) -> None:
        self._place = place

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Count the sender."""
        del data, addr
        self._place.visitors.append("UDP")
