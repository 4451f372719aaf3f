"""How much of this machine is left: memory, disk, and the time of the event loop."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from bot.health.concurrency import MachineSigns
from bot.health.service import ServiceKind
from bot.health.services import Services


class Machine:
    """This machine, or the container around the server.

    Args:
        data: A folder on the disk that runs fill.
        meminfo: https://docs.kernel.org/filesystems/proc.html#meminfo
        cgroup: Of this process: https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
    """

    def __init__(
        self,
        data: Path,
        *,
        meminfo: Path = Path("/proc/meminfo"),
        cgroup: Path = Path("/sys/fs/cgroup"),
    ) -> None:
        self._data = data
        self._meminfo = meminfo
        self._cgroup = cgroup

    def signs(self, services: Services, lag: float) -> MachineSigns:
        """Return what the machine shows, with how its sandboxes fare and how late the loop was."""
        views = services.views(ServiceKind.SANDBOX)
        figures = [view.figures for view in views if view.works]
        disk = shutil.disk_usage(self._data)
        return MachineSigns(
            sandbox_calls=sum(figure.calls for figure in figures),
            sandbox_failures=sum(figure.failed for figure in figures),
            sandboxes_out=not figures,
            lag=lag,
            memory_left=self.memory_left(),
            disk_left=disk.free / disk.total if disk.total else 1.0,
        )

    def memory_left(self) -> float:
        """Return the part that is available: of the machine, or of the container if that has less."""
        left = 1.0
        with contextlib.suppress(OSError, ValueError, KeyError):
            kilobytes = _fields(self._meminfo)
            left = kilobytes["MemAvailable:"] / kilobytes["MemTotal:"]
        with contextlib.suppress(OSError, ValueError, KeyError):  # "max" is no number: no limit
            most = int((self._cgroup / "memory.max").read_text())
            used = int((self._cgroup / "memory.current").read_text())
            # What files keep in memory is given back when it is needed.
            used -= _fields(self._cgroup / "memory.stat")["inactive_file"]
            left = min(left, 1 - used / most)
        return left


def _fields(file: Path) -> dict[str, int]:
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) > 1}
