"""Connect to a host: by an address that was checked, or through the operator's own proxy."""

from __future__ import annotations

import asyncio
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


async def connect(wanted: Wanted, passed: Pass, operator: Operator) -> tuple[Stream, bytes]:
    """Return a connection, and what is to be sent over it first.

    Raises:
        Forbidden: An address of the host is a local one.
        NoRoute: It has no address, or does not answer.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            upstream = operator.upstream(wanted.scheme, wanted.host, wanted.port)
            if upstream is not None:
                return await _through(upstream, wanted, passed)
            addresses = await _checked(wanted, passed)
            return await _direct(addresses, wanted.port), wanted.head
    except TimeoutError as error:
        raise NoRoute(f"{wanted.host} does not answer.") from error
    except OSError as error:
        raise NoRoute(f"{wanted.host} can't be reached: {error.strerror or error}.") from error


async def _checked(wanted: Wanted, passed: Pass) -> Sequence[str]:
    """Resolve once: what is connected to is what was checked, whatever the name says later."""
    addresses = await _resolved(wanted)
    _require(passed, addresses, wanted)
    return addresses


def _require(passed: Pass, addresses: Sequence[str], wanted: Wanted) -> None:
    for address in addresses:
        if not passed.admits(address) or (is_own(address) and not passed.anywhere):
            raise Forbidden(f"{wanted.host} is in a private network, or is this machine.")


async def _resolved(wanted: Wanted) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(wanted.host, wanted.port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def _direct(addresses: Sequence[str], port: int) -> Stream:
    """Try one address after the other."""
    problem: OSError | None = None
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port, limit=LONGEST_HEAD)
        except OSError as error:
            problem = error
    raise problem or OSError("it has no address")


async def _through(upstream: Upstream, wanted: Wanted, passed: Pass) -> tuple[Stream, bytes]:
    """Let the operator's proxy connect. What it resolves we can't see; what we can, we check."""
    try:
        addresses = await _resolved(wanted)
    except OSError:
        addresses = ()  # behind a proxy, names of the internet are often unknown
    _require(passed, addresses, wanted)
    context = ssl.create_default_context() if upstream.tls else None
    stream = await asyncio.open_connection(
        upstream.host, upstream.port, ssl=context, limit=LONGEST_HEAD
    )
    extra = f"Proxy-Authorization: {upstream.authorization}\r\n" if upstream.authorization else ""
    if wanted.scheme == "http":
        line, _, rest = wanted.head_for_proxy.partition(b"\r\n")
        return stream, line + b"\r\n" + extra.encode() + rest
    try:
        await _ask_for_tunnel(stream, wanted, extra)
    except BaseException:
        stream[1].close()
        raise
    return stream, b""


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
        said = answer.partition(b"\r\n")[0].decode(errors="replace")
        raise NoRoute(f"The proxy refused {wanted.host}: {said}.")
