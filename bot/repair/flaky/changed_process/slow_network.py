"""Let each answer of a connection come late, as over a slow network."""

from __future__ import annotations

import socket
import time
from typing import Any


def slow_network(seconds: float) -> None:
    """Let whoever waits for data wait longer, or for as long as it has patience.

    Args:
        seconds: That each answer takes.
    """
    receive, receive_into = socket.socket.recv, socket.socket.recv_into

    def late(self: socket.socket) -> None:
        patience = self.gettimeout()
        if patience == 0:  # it does not wait, but asks whether there is something
            return
        time.sleep(seconds if patience is None else min(seconds, patience))
        if patience is not None and patience < seconds:
            raise socket.timeout("timed out")

    def received(self: socket.socket, *arguments: Any) -> bytes:
        late(self)
        return receive(self, *arguments)

    def received_into(self: socket.socket, *arguments: Any) -> int:
        late(self)
        return receive_into(self, *arguments)

    socket.socket.recv = received  # type: ignore[method-assign, assignment]
    socket.socket.recv_into = received_into  # type: ignore[method-assign, assignment]
