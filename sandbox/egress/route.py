"""Connect to a host: by an address that was checked, or through the operator's own proxy."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Sequence

from sandbox.egress.addresses import is_own
from sandbox.egress.operator import Operator, Upstream
from sandbox.egress.policy import Pass
from sandbox.egress.request import LONGEST_HEAD, Wanted

_SECONDS = 30.0
_OK = (b"HTTP/1.1 200", b"HTTP/1.0 200")

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NoRoute(Exception):
    """The host can't be reached; the text says why."""


class Forbidden(Exception):
    """The host's name leads to where the sandbox may not go."""


async def connect(wanted: Wanted, passed: Pass, operator: Operator) -> Stream:
    """Return a connection to a host, for whatever is said over it.

    Raises:
        Forbidden: An address of the host is a local one.
        NoRoute: It has no address, or does not answer.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            upstream = operator.upstream(wanted.scheme, wanted.host, wanted.port)
            if upstream is not None:
                return await _through(upstream, wanted, passed)
            addresses = await checked(wanted.host, wanted.port, passed)
            return await _direct(addresses, wanted.port)
    except TimeoutError as error:
        raise NoRoute(f"{wanted.host} does not answer.") from error
    except OSError as error:
        raise NoRoute(f"{wanted.host} can't be reached: {error.strerror or error}.") from error


async def checked(host: str, port: int, passed: Pass) -> Sequence[str]:
    """Resolve once: what is connected to is what was checked, whatever the name says later.

    Raises:
        Forbidden: An address of the host is a local one.
        OSError: It has no address.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for address in addresses:
        if not passed.admits(address) or (is_own(address) and not passed.anywhere):
            raise Forbidden(f"{host} is in a private network, or is this machine.")
    return addresses


async def checked_as_far_as_known(host: str, port: int, passed: Pass) -> None:
    """Check a host that the operator's proxy resolves: what we can see of it.

    Raises:
        Forbidden: An address of the host is a local one.
    """
    with contextlib.suppress(OSError):  # behind a proxy, names of the internet are often unknown
        await checked(host, port, passed)


async def _direct(addresses: Sequence[str], port: int) -> Stream:
    """Try one address after the other."""
    problem: OSError | None = None
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port, limit=LONGEST_HEAD)
        except OSError as error:
            problem = error
    raise problem or OSError("it has no address")


async def _through(upstream: Upstream, wanted: Wanted, passed: Pass) -> Stream:
    """Let the operator's proxy connect. What it resolves we can't see; what we can, we check."""
    await checked_as_far_as_known(wanted.host, wanted.port, passed)
    context = ssl.create_default_context() if upstream.tls else None
    stream = await asyncio.open_connection(
        upstream.host, upstream.port, ssl=context, limit=LONGEST_HEAD
    )
    extra = f"Proxy-Authorization: {upstream.authorization}\r\n" if upstream.authorization else ""
    try:
        await _ask_for_tunnel(stream, wanted, extra)
    except BaseException:
        stream[1].close()
        raise
    return stream


async def _ask_for_tunnel(stream: Stream, wanted: Wanted, extra: str) -> None:
    reader, writer = stream
    host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
    place = f"{host}:{wanted.port}"
    writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{extra}\r\n".encode())
    try:
        answer = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise NoRoute(f"The proxy did not answer for {wanted.host}.") from error
    if not answer.startswith(_OK):
        status = (
            answer[9:12].decode() if answer[9:12].isdigit() else "no status"
        )  # words may be ours
        raise NoRoute(f"The proxy refused {wanted.host} with {status}.")
