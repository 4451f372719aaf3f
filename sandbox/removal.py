"""Delete folders beside the work: thousands of files take seconds on some disks."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

# `rm` and `chmod` never follow links below the folder they are given.
_DELETE = 'rm -rf -- "$1" || { chmod -R u+rwX -- "$1"; rm -rf -- "$1"; }'


class Removals:
    """Deletions under way: processes of their own, which nobody waits for.

    They go on when this process ends, so that a person at a terminal need not wait either.
    """

    def __init__(self) -> None:
        self._running: set[int] = set()

    def start(self, folder: Path) -> None:
        """Begin to delete a folder; one whose deletion fails stays."""
        self._running = {pid for pid in self._running if not _has_ended(pid)}
        silence = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        pid = os.posix_spawn(
            "/bin/sh",
            ("sh", "-c", _DELETE, "sh", str(folder)),
            {"PATH": os.defpath},
            file_actions=silence,
            setsid=True,  # out of reach of Ctrl-C
        )
        self._running.add(pid)


def _has_ended(pid: int) -> bool:
    """Whether a deletion has ended; this also lets the kernel forget it."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True
