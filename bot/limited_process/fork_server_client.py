"""Start the fork server of this process when it is first needed, and ask it for processes."""

from __future__ import annotations

import atexit
import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import bot

_ROOT = Path(bot.__file__).parent.parent


class ForkServer:
    """The process that forks for us, from this side; it ends when we do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask_for(self, *modules: str) -> socket.socket:
        """Return a connection to a new process that has imported the modules.

        It takes a pickled `LimitedTask`, answers with a pickled `TaskResult`, and ends.
        """
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                self._send(modules, theirs)
            except OSError:  # somebody ended it
                self._end()
                self._send(modules, theirs)
        return ours

    def _send(self, modules: Sequence[str], end: socket.socket) -> None:
        if self._control is None:
            self._control = self._start()
        socket.send_fds(self._control, [" ".join(modules).encode()], [end.fileno()])

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "bot.limited_process.fork_server"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONPATH": str(_ROOT)},
            )
        atexit.register(self._end)
        return ours

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)


FORK_SERVER = ForkServer()
"""Of this process; starts when it is first asked."""
