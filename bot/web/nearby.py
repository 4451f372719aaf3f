"""Whether a request comes straight from a process of this machine that belongs to our own user.

A name in `Host` says little: a reverse proxy writes its own there, as nginx does unless it is told
otherwise, and whoever is no browser writes what he likes. The kernel knows whose socket it is.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

from aiohttp import HttpVersion11, web

_TABLES = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
_FORWARDED = frozenset({"forwarded", "via", "x-real-ip", "x-forwarded-for"})
"""Headers that proxies add; RFC 7239, RFC 9110 and usage."""

_FORWARDED_PREFIXES = ("x-forwarded-", "cf-", "ngrok-")
_LOCAL, _REMOTE, _USER = 1, 2, 7
"""Columns: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html."""

Address = tuple[str, int]


def is_nearby(request: web.BaseRequest) -> bool:
    """Whether no proxy that shows itself is between, and the other end is our own user's."""
    if request.version < HttpVersion11 or is_forwarded(request.headers):
        return False  # browsers and our commands speak HTTP/1.1; nginx asks with 1.0
    transport = request.transport
    if transport is None:
        return False
    peer, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
    return user_of(_rows(), peer[:2], own[:2]) == os.geteuid()


def is_forwarded(names: Iterable[str]) -> bool:
    """Whether one of these headers says that a proxy passed the request on."""
    lower = {name.lower() for name in names}
    return bool(lower & _FORWARDED) or any(name.startswith(_FORWARDED_PREFIXES) for name in lower)


def user_of(rows: Iterable[str], peer: Address, own: Address) -> int | None:
    """Return the user of the socket at the other end of a connection; None if it is not there.

    Args:
        rows: Of the kernel's tables of TCP sockets.
        peer: Address and port of the other end, which is its own local one.
        own: Address and port of ours.
    """
    ends = _spelt(peer), _spelt(own)
    for row in rows:
        columns = row.split()
        if len(columns) > _USER and columns[_LOCAL] in ends[0] and columns[_REMOTE] in ends[1]:
            return int(columns[_USER])
    return None


def _rows() -> Iterable[str]:
    for table in _TABLES:
        try:
            yield from table.read_text("ascii").splitlines()[1:]
        except OSError:
            continue


def _spelt(address: Address) -> frozenset[str]:
    """Return how the kernel writes an address: words in this machine's order; IPv4 in two ways."""
    ip = ipaddress.ip_address(address[0].partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    texts = [_words(ip.packed)]
    if isinstance(ip, ipaddress.IPv4Address):
        texts.append(_words(socket.inet_pton(socket.AF_INET6, f"::ffff:{ip}")))
    return frozenset(f"{text}:{address[1]:04X}" for text in texts)


def _words(packed: bytes) -> str:
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(packed) // 4}I", packed))
