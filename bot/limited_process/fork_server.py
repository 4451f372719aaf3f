"""The process that forks for each piece of work: `python -m bot.limited_process.fork_server`, never by hand.

Its stdin is a socket. Each message on it names modules and brings a connection to whoever asks.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import socket
from importlib import import_module

_LONGEST = 1024
"""Bytes of the modules' names."""


def main() -> None:
    """Fork until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; who asks decides
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    control = socket.socket(fileno=0)
    while True:
        names, ends, _, _ = socket.recv_fds(control, _LONGEST, 1)
        if not names:
            return
        _fork(control, names.decode().split(), socket.socket(fileno=ends[0]))


def _fork(control: socket.socket, modules: list[str], end: socket.socket) -> None:
    with end:
        for module in modules:
            with contextlib.suppress(Exception):  # it shows again in the process that needs it
                import_module(module)
        gc.freeze()
        try:
            child = os.fork()
        except OSError:  # no room for more processes: who asks sees the connection end
            return
        if child == 0:
            try:
                control.close()
                _serve(end)
            finally:
                os._exit(0)


def _serve(end: socket.socket) -> None:
    with end.makefile("rwb") as connection:
        task = pickle.load(connection)  # noqa: S301 - from the process that started us
        answer = task.done()
        connection.write(pickle.dumps(answer))


if __name__ == "__main__":
    main()
