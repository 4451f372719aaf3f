"""Take the network away: nothing but this machine can be reached, and no name is known."""

from __future__ import annotations

import errno
import socket
from typing import Any


def no_network() -> None:
    """Let connections to other machines, and the names of others, be refused."""
    connect, resolve = socket.socket.connect, socket.getaddrinfo
    near = ("127.", "localhost", "::1", "0.0.0.0")  # noqa: S104 - it is compared

    def is_near(host: Any) -> bool:
        return not host or str(host).startswith(near)

    def connected(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not is_near(address[0]):
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        connect(self, address)

    def resolved(host: Any, *arguments: Any, **more: Any) -> Any:
        if not is_near(host):
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return resolve(host, *arguments, **more)

    def address_of(host: str) -> str:
        return str(resolved(host, None, socket.AF_INET)[0][4][0])

    socket.socket.connect = connected  # type: ignore[method-assign, assignment]
    socket.getaddrinfo = resolved
    socket.gethostbyname = address_of
