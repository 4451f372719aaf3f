"""Runs inside a sandbox: carries connections from its loopback to the gate's unix socket.

Usage: `relay.py PORT FOLDER [-- COMMAND...]`. It listens first, and then becomes COMMAND while a
child carries the connections; without a command it carries them itself. It needs nothing but the
standard library of a Python from 3.8 on, and may be ended by whatever runs beside it.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
import time

_PIECE = 65536
_PAUSE = 0.1


def main() -> None:
    """Listen; then carry, beside the command if there is one."""
    port, folder, command = int(sys.argv[1]), sys.argv[2], sys.argv[4:]
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    if command:
        if os.fork():
            listener.close()
            os.execvp(command[0], command)  # noqa: S606 - becomes what it was told to
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # nobody waits for the end of our output
            os.dup2(null, descriptor)
    while True:
        try:
            client, _ = listener.accept()
            threading.Thread(target=carry, args=(client, folder), daemon=True).start()
        except (OSError, RuntimeError):  # no more descriptors or threads: those there are go on
            time.sleep(_PAUSE)


def carry(client: socket.socket, folder: str) -> None:
    """Copy both directions until both are closed."""
    gate = _gate(folder)
    if gate is None:
        client.close()
        return
    with client, gate:
        sides = {client.fileno(): (client, gate), gate.fileno(): (gate, client)}
        waiting = select.poll()  # `select` itself knows no descriptor above 1023
        for number in sides:
            waiting.register(number, select.POLLIN)
        while sides:
            for number, _ in waiting.poll():
                side, other = sides[number]
                try:
                    data = side.recv(_PIECE)
                    if data:
                        other.sendall(data)
                    else:
                        waiting.unregister(number)
                        del sides[number]
                        other.shutdown(socket.SHUT_WR)
                except OSError:
                    return  # one of them broke off; both are closed


def _gate(folder: str) -> socket.socket | None:
    """Connect to any gate that is open: those of one sandbox have one policy."""
    for name in os.listdir(folder):  # noqa: PTH208 - pathlib alone takes as long to import as this
        gate = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            gate.connect(f"{folder}/{name}")
        except OSError:
            gate.close()
        else:
            return gate
    return None


if __name__ == "__main__":
    main()
