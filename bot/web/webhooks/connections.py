"""Connect to webhooks, and to nothing on this machine or in its networks unless that is allowed."""

from __future__ import annotations

import errno
import socket
from typing import Any

import aiohttp

from sandbox.egress.addresses import is_local, is_own

FORBIDDEN = "It leads to this machine or into a private network."

_CONNECTIONS = 20
_PER_HOST = 4


class ForbiddenAddress(OSError):
    """The name of a webhook leads to where it may not lead."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, FORBIDDEN)


def open_session(*, local: bool, timeout: float) -> aiohttp.ClientSession:
    """Return what sends messages: without cookies, proxies, or redirects to follow.

    What is connected to is what was checked, because the check is where the socket is made: behind
    that, no name is looked up again.

    Args:
        local: Whether addresses of this machine and of private networks are allowed.
        timeout: Seconds for one message.
    """
    connector = aiohttp.TCPConnector(
        limit=_CONNECTIONS,
        limit_per_host=_PER_HOST,
        use_dns_cache=False,
        force_close=True,
        socket_factory=_socket if local else _checked_socket,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=timeout),
        trust_env=False,
        auto_decompress=False,
    )


def _checked_socket(address: Any) -> socket.socket:
    host = str(address[4][0])
    if is_local(host) or is_own(host):
        raise ForbiddenAddress
    return _socket(address)


def _socket(address: Any) -> socket.socket:
    family, kind, protocol, *_ = address
    return socket.socket(family, kind, protocol)
