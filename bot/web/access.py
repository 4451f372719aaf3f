"""Whether the dashboard and the API are on, and for whom: decided by the settings alone."""

from __future__ import annotations

import hmac
import ipaddress
import os
import socket
import struct
import time
from collections.abc import Iterable
from pathlib import Path

import structlog
from aiohttp import HttpVersion11, web
from pydantic import SecretStr

# A name in `Host` says little: a reverse proxy writes its own there, as nginx does unless it is told
# otherwise, and whoever is no browser writes what he likes. The kernel knows whose socket it is.

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


_log = structlog.get_logger(__name__)


class AdminAccess:
    """Knows the admin token, and what is open where there is none."""

    def __init__(self, token: SecretStr | None, host: str, *, with_github: bool = False) -> None:
        """Say who may.

        Args:
            token: The admin token; without it and without log-in, whoever reaches a server on a
                loopback address may.
            host: Address that the server listens on.
            with_github: Whether people can log in with GitHub.
        """
        self.wrong = WrongTokens()
        self._token = None if token is None else token.get_secret_value().encode()
        self._with_github = with_github
        self._loopback = is_loopback(host)

    @property
    def is_open(self) -> bool:
        """Whether the dashboard and the API are on at all."""
        return self.asks_for_login or self._loopback

    @property
    def asks_for_login(self) -> bool:
        """Whether a person has to log in."""
        return self.has_token or self._with_github

    @property
    def has_token(self) -> bool:
        """Whether there is an admin token."""
        return self._token is not None

    def reaches(self, request: web.Request) -> bool:
        """Whether a request may get so far as to be asked who sent it.

        Where nobody has to log in, only our own user's processes are answered, under names of this
        machine: no other user's, no proxy that others reach, and no page of somebody else's that
        has its own name point to this machine.
        """
        if self.asks_for_login:
            return True
        host = request.headers.get("Host", "")
        name = host.rpartition(":")[0] if _has_port(host) else host
        return self._loopback and is_loopback(name.strip("[]")) and is_nearby(request)

    def is_token(self, given: str) -> bool:
        """Whether that is the admin token; takes as long for any other."""
        wanted = self._token
        return wanted is not None and hmac.compare_digest(given.encode("utf-8", "replace"), wanted)


class WrongTokens:
    """Counts tokens and keys that nobody has, by whichever way they came.

    What is right is never refused for them: whoever guesses could lock everybody out. What keeps
    guesses from succeeding is the token's length; what is counted here is told in the log.
    """

    def __init__(self, most: int = 10, window: float = 60.0) -> None:
        """Allow `most` in `window` seconds."""
        self._most = most
        self._window = window
        self._times: list[float] = []

    def too_many(self) -> bool:
        """Count one; return whether there were so many lately that no more are answered."""
        now = time.monotonic()
        self._times = [at for at in self._times if now - at < self._window]
        if len(self._times) >= self._most:
            return True
        self._times.append(now)
        if len(self._times) == self._most:
            _log.warning("many wrong tokens", category="security", seconds=self._window)
        return False


def bearer_token(request: web.Request) -> str | None:
    """Return the token that a program shows, or None: https://www.rfc-editor.org/rfc/rfc6750."""
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else None


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and (host.count(":") == 1 or "]:" in host)
