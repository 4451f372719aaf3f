"""Take from a jail what it would own because root runs us.

Inside, the sandboxed user is a plain one without capabilities. Outside it is whoever runs us, and
the kernel lets the owner of a file read it, write to it, or change its mode, without any
capability. For root that means settings below `/proc` (`core_pattern` names a program that runs on
the host), what the kernel tells of itself there, and the host's device nodes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sandbox.base import SandboxError
from sandbox.bubblewrap.toolchains import Mount

_SETTINGS = ("sys", "mtrr", "acpi", "scsi", "fs", "sysrq-trigger", "driver")
"""Below `/proc`; bubblewrap covers `irq` and `bus` by itself."""

_DEVICES = {
    "null": (1, 3),
    "zero": (1, 5),
    "full": (1, 7),
    "random": (1, 8),
    "urandom": (1, 9),
    "tty": (5, 0),
}
"""Major and minor numbers, from the kernel's Documentation/admin-guide/devices.txt."""

_KEYS = "keys"
"""Readable for everybody; each sees those of their own user."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_EVERYBODY = 0o666
_NOBODY = 65534


def kernel_settings() -> Iterator[Mount]:
    """Yield the kernel's settings, to be shown read-only."""
    if os.geteuid() != 0:  # a plain user owns some, though only those of the jail's own namespaces
        yield Mount(Path("/proc/sys"), Path("/proc/sys"))
        return
    for path in (Path("/proc", name) for name in _SETTINGS):
        if any(_is_writable(file) for file in (path, *path.rglob("*"))):
            yield Mount(path, path)


def kernel_secrets() -> Iterator[Mount]:
    """Yield what the kernel shows to its owner only, to be shown as something that nobody can open.

    Whoever runs us is that owner inside too: of the keys, and as root of all that nobody else may
    read, such as the addresses of the kernel's own memory.
    """
    nothing = Path(os.devnull)  # a device, which can't be opened where no devices may be
    for path in sorted(Path("/proc").iterdir()):
        if path.name == _KEYS or (os.geteuid() == 0 and _is_for_its_owner(path)):
            yield Mount(nothing, path)


def _is_for_its_owner(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:  # a process that has ended
        return False
    return stat.S_ISREG(mode) and not mode & _OTHERS


def _is_writable(path: Path) -> bool:
    """Whether its owner may write to it; each mount costs start-up time, so others get none."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False  # absent, or not for us either
    return stat.S_ISREG(mode) and bool(mode & stat.S_IWUSR)


def devices(folder: Path) -> tuple[Mount, ...]:
    """Make device nodes that no jail owns, once; none where they can't be made or used.

    Args:
        folder: Where they are to stand; it is made.
    """
    if os.geteuid() != 0:
        return ()
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        return tuple(_node(folder / name, *numbers) for name, numbers in _DEVICES.items())
    except OSError:
        return ()  # a container may forbid nodes, or a file system may not open them


def _node(path: Path, major: int, minor: int) -> Mount:
    if not path.exists():
        passing = path.with_name(f".{path.name}-{os.getpid()}")
        os.mknod(passing, stat.S_IFCHR, os.makedev(major, minor))
        passing.chmod(_EVERYBODY)
        os.chown(passing, _NOBODY, _NOBODY)
        passing.rename(path)
    if not stat.S_ISCHR(path.stat().st_mode):
        raise SandboxError(f"{path} is not a device: remove it.")
    if path.name != "tty":  # which only opens for a process that has a terminal
        os.close(os.open(path, os.O_RDONLY))
    return Mount(path, Path("/dev", path.name))
