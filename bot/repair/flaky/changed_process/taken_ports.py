"""Let another program have each port that is asked for by its number."""

from __future__ import annotations

import contextlib
import socket
from typing import Any


def taken_ports() -> None:
    """Listen first on each port to which a socket is bound by number, unless the system gave it before."""
    bind = socket.socket.bind
    others, given = [], set()

    def bound(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[1] and address[1] not in given:
            other = socket.socket(self.family, self.type)
            with contextlib.suppress(OSError):  # it may be taken in truth
                other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                bind(other, address)
                others.append(other)
                other.listen(1)
        bind(self, address)
        if isinstance(address, tuple) and not address[1]:
            given.add(self.getsockname()[1])

    socket.socket.bind = bound  # type: ignore[method-assign, assignment]
