"""Write bubblewrap's command line: what a jail sees, and where it may write."""

from __future__ import annotations

import resource
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import HOME, SCRATCH, WORKSPACE, ResourceLimits
from sandbox.bubblewrap.toolchains import Mount

USER_ID = 1000
"""Of the sandboxed user, inside; outside it is whoever runs us."""

HOSTNAME = "fixpoint"

_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders that are links into `/usr` on most systems, and folders of their own on others."""

# The shell that is process 1 forks the command and outlives it: so the command may end by a
# signal (the kernel ignores most for process 1), and orphans are reaped. Its own remarks about
# that signal go nowhere.
_RUN = """\
cd -- "$2" || exit 1
exec 3>&1 >/dev/null 2>&1
(exec /bin/bash -c "$1" >&3 2>&3 3>&-)
exit $?
"""

_TOLD = """\
. /dev/stdin
exec </dev/null
"""


@dataclass(frozen=True, slots=True)
class HostView:
    """What of the host a jail shows.

    Attributes:
        mounts: Read-only, in order.
        links: Target and place of symbolic links.
        environment: Variables of every command, `PATH` included.
        devices: Device nodes that stand in for the host's.
    """

    mounts: tuple[Mount, ...]
    links: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[Mount, ...] = ()


@dataclass(frozen=True, slots=True)
class WritableFolders:
    """The host folders that a sandbox may write."""

    workspace: Path
    home: Path
    scratch: Path


def system_mounts(root: Path = Path("/")) -> tuple[tuple[Mount, ...], tuple[tuple[str, str], ...]]:
    """Return the mounts and links that show the host's installed programs."""
    mounts = [Mount(root / "usr", Path("/usr"))]
    links: list[tuple[str, str]] = []
    for name in _MERGED:
        path = root / name
        if path.is_symlink():
            links.append((str(path.readlink()), f"/{name}"))
        elif path.is_dir():
            mounts.append(Mount(path, Path("/", name)))
    return tuple(mounts), tuple(links)


def isolation() -> list[str]:
    """Return the namespaces and rights: everything is unshared, nothing is kept."""
    return [
        *("--unshare-all", "--unshare-user"),
        *("--die-with-parent", "--new-session", "--as-pid-1"),
        *("--cap-drop", "ALL", "--hostname", HOSTNAME),
        *("--uid", str(USER_ID), "--gid", str(USER_ID)),
    ]


def system(view: HostView) -> list[str]:
    """Return the read-only file system, less what is shown inside of the sandbox's own folders."""
    outside = (mount for mount in view.mounts if not mount.target.is_relative_to(SCRATCH))
    arguments = ["--proc", "/proc", "--dev", "/dev", *_shown(outside)]
    for device in view.devices:
        arguments += ["--dev-bind", str(device.source), str(device.target)]
    for target, place in view.links:
        arguments += ["--symlink", target, place]
    return arguments


def sandbox_front(view: HostView, places: WritableFolders) -> list[str]:
    """Return what stands before further mounts and the command; it is the same for each command."""
    return [
        *isolation(),
        *system(view),
        *("--bind", str(places.workspace), WORKSPACE),
        *("--bind", str(places.home), HOME),
        *("--bind", str(places.scratch), SCRATCH),
        *_shown(mount for mount in view.mounts if mount.target.is_relative_to(SCRATCH)),
    ]


def sandbox_arguments(front: Sequence[str], extra: Sequence[str] = ()) -> list[str]:
    """Return everything in front of the command for a sandbox; `extra` are more mounts."""
    return [*front, *extra, "--remount-ro", "/", "--"]


def _shown(mounts: Iterable[Mount]) -> list[str]:
    return [
        word for mount in mounts for word in ("--ro-bind", str(mount.source), str(mount.target))
    ]


def shell_command(command: str, cwd: str) -> list[str]:
    """Return what runs a `bash -c` command in `cwd`."""
    return ["/bin/sh", "-c", _RUN, "sh", command, cwd]


def told_later() -> list[str]:
    """Return what runs the `bash -c` command that a script of `telling` on stdin sets."""
    return ["/bin/sh", "-c", _TOLD + _RUN]


def telling(command: str, cwd: str, environment: Mapping[str, str]) -> str:
    """Return the script for `told_later`."""
    exports = (f"export {name}={shlex.quote(value)}" for name, value in environment.items())
    return "\n".join((*exports, f"set -- {shlex.quote(command)} {shlex.quote(cwd)}", ""))


def rlimits(limits: ResourceLimits) -> dict[int, int]:
    """Return the limits that hold for each process."""
    return {
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_CORE: 0,
    }


def rlimits_without_group(limits: ResourceLimits) -> dict[int, int]:
    """Return what stands in for a cgroup.

    Since Linux 5.14 processes are counted per user namespace, that is, per command. Data, not
    address space, is limited per process: Go, Java and Node reserve far more than they use.
    """
    return {
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_DATA: limits.memory,
    }
