"""Limit memory and processes of a sandbox as a whole, where this process may create cgroups."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.base import ResourceLimits

_MOUNT = Path("/sys/fs/cgroup")

GROUPS = "fixpoint-"
"""How the names of our groups begin."""

REFUSED = "no cgroup"

# To move another process, the kernel waits until no CPU is in the middle of a fork: milliseconds.
# A single thread that moves itself, by way of version 1's `tasks`, waits for nobody
# (cgroup_procs_write_start in kernel/cgroup/cgroup.c).
_ENTER = f"""\
refused=$1 outside=
shift
until [ "$1" = -- ]; do
    echo 0 2>/dev/null >"$1" || outside=yes
    shift
done
shift
[ -z "$outside" ] || echo '{REFUSED}' >"$refused"
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A named group below this process's own one.

    Attributes:
        settings: For each folder of the group the control files to write, in order. Version 1 has
            one folder per controller, version 2 a single one.
        entrance: The file of each folder into which a process writes 0 to enter the group.
    """

    settings: Mapping[Path, tuple[tuple[str, int], ...]]
    entrance: str

    def create(self) -> bool:
        """Make the group, unless it is there; False when cgroups can't be written here."""
        try:
            for folder, files in self.settings.items():
                if not folder.is_dir():
                    _create(folder, files)
        except OSError:
            return False
        return True

    def entering(self, command: Sequence[str], refused: Path) -> list[str]:
        """Return how to run a command in the group: its process enters by itself, then execs.

        Args:
            command: Program and arguments.
            refused: Gets a line that says `REFUSED` when the group could not be entered.
        """
        entrances = (str(folder / self.entrance) for folder in self.settings)
        return ["/bin/sh", "-c", _ENTER, "sh", str(refused), *entrances, "--", *command]

    def remove(self) -> None:
        """Remove the empty group."""
        for folder in self.settings:
            with contextlib.suppress(OSError):  # never created, or a process is still dying in it
                folder.rmdir()


def control_group(name: str, limits: ResourceLimits) -> ControlGroup | None:
    """Describe the group of that name, or None where no cgroup has the controllers."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    if (_MOUNT / "cgroup.controllers").is_file():
        return group_version_2(name, limits, lines, _MOUNT)
    return group_version_1(name, limits, lines)


def sweep_groups(created_before: float) -> None:
    """Remove our groups in which no process is: a sandbox that was removed may have left one.

    Args:
        created_before: Seconds since the epoch.
    """
    group = control_group(GROUPS, ResourceLimits())
    for parent in {folder.parent for folder in group.settings} if group else ():
        remove_empty(parent, created_before)


def remove_empty(parent: Path, created_before: float) -> None:
    """Remove what is ours and empty below a folder; the kernel keeps a group with processes."""
    for folder in parent.glob(f"{GROUPS}*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < created_before:
                folder.rmdir()


def group_version_1(name: str, limits: ResourceLimits, lines: list[str]) -> ControlGroup | None:
    """Describe a group as in the kernel's Documentation/admin-guide/cgroup-v1."""
    own = dict(_controllers(lines))
    if "memory" not in own or "pids" not in own:
        return None
    memory = _MOUNT / "memory" / own["memory"] / name
    pids = _MOUNT / "pids" / own["pids"] / name
    return ControlGroup(
        {
            memory: (
                ("memory.limit_in_bytes", limits.memory),
                ("memory.memsw.limit_in_bytes", limits.memory),
            ),
            pids: (("pids.max", limits.processes),),
        },
        entrance="tasks",
    )


def _controllers(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller, path.lstrip("/")


def group_version_2(
    name: str, limits: ResourceLimits, lines: list[str], mount: Path
) -> ControlGroup | None:
    """Describe a group as in the kernel's Documentation/admin-guide/cgroup-v2.rst.

    A group with processes can't give controllers to its children, so ours is its sibling.
    """
    own = dict(_controllers(lines)).get("", "")
    parent = mount / PurePosixPath(own).parent
    try:
        enabled = (parent / "cgroup.subtree_control").read_text().split()
    except OSError:
        return None
    if not {"memory", "pids"} <= set(enabled):
        return None
    files = (
        ("memory.max", limits.memory),
        ("memory.swap.max", 0),
        ("memory.oom.group", 0),
        ("pids.max", limits.processes),
    )
    return ControlGroup({parent / name: files}, entrance="cgroup.procs")


def _create(folder: Path, files: tuple[tuple[str, int], ...]) -> None:
    folder.mkdir()
    try:
        for path, value in ((folder / name, value) for name, value in files):
            if path.exists():  # swap accounting may be compiled out
                path.write_text(str(value))
    except OSError:
        folder.rmdir()  # a group without its limits would be taken for a finished one
        raise
