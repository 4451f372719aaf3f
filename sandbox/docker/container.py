"""Describe the container of a sandbox to a Docker Engine."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sandbox.base import HOME, SCRATCH, WORKSPACE, SandboxSpec
from sandbox.denied_calls import FORBIDDEN, NAMESPACES, SOCKETS, TERMINAL, UNKNOWN
from sandbox.egress.inside import FOLDER, relay_alone

# It refuses what a bubblewrap jail is refused. Docker's own profile differs from version to version:
# older ones allow AF_VSOCK, which speaks to the hypervisor, and io_uring, and 32-bit calls open such
# sockets in newer ones too (https://github.com/moby/moby/pull/53551).
#
# The format is that of https://docs.docker.com/engine/security/seccomp/, read by runc.

_LOW_HALF = 0xFFFFFFFF
"""What the kernel reads of an argument of four bytes."""


def seccomp_profile() -> str:
    """Return the profile as JSON. A program for another architecture is killed."""
    profile = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": list(_rules())}
    return json.dumps(profile, separators=(",", ":"))


def _rules() -> Iterator[dict[str, Any]]:
    """Yield one rule for each condition: runc takes several in one rule for alternatives."""
    yield _refusing(FORBIDDEN, errno.EPERM)
    yield _refusing(UNKNOWN, errno.ENOSYS)
    for bit in range(NAMESPACES.bit_length()):
        if flag := NAMESPACES & 1 << bit:
            yield _refusing(["clone"], errno.EPERM, _masked(0, flag, flag))
    for request in TERMINAL:
        yield _refusing(["ioctl"], errno.EPERM, _masked(1, _LOW_HALF, request))
    for family in set(range(max(SOCKETS))).difference(SOCKETS):
        yield _refusing(["socket"], errno.EAFNOSUPPORT, _masked(0, _LOW_HALF, family))
    larger = {"index": 0, "value": max(SOCKETS), "op": "SCMP_CMP_GT"}
    yield _refusing(["socket"], errno.EAFNOSUPPORT, larger)


def _refusing(names: Sequence[str], error: int, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {
        "names": list(names),
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": error,
        "args": list(conditions),
    }


def _masked(index: int, mask: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


USER_ID = 1000
USER = f"{USER_ID}:{USER_ID}"
"""Who runs the commands. Somebody else keeps the container alive, so all of them can be killed."""

_KEEPER = "1001:1001"
STAGING = "/var/fixpoint"
"""Where the engine puts files for `write_file`: the sandboxed user can only read there."""

LABEL = "fixpoint.sandbox"
"""Marks our containers; its value is the sandbox's name."""

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# One pipe for both streams keeps their order. What is still running is killed by the shell, so that nothing holds the output open; it is
# killed once more from outside, since a command may have ended this shell.
_RUN = """\
cd -- "$2" || exit 1
exec 3>&1 >/dev/null 2>&1
(exec /bin/bash -c "$1" >&3 2>&3 3>&-)
code=$?
kill -9 -1
exit $code
"""

KILL_ALL = ("/bin/sh", "-c", "kill -9 -1 2>/dev/null; exit 0")
"""Run as the sandboxed user: everything of that user ends at once, except this shell."""


def container_name(name: str) -> str:
    """Return the container's name of a sandbox."""
    return f"fixpoint-{name}"


def shell_command(command: str, cwd: str) -> tuple[str, ...]:
    """Return what runs a `bash -c` command in `cwd`."""
    return ("/bin/sh", "-c", _RUN, "sh", command, cwd)


def container(spec: SandboxSpec, image: str, gates: Path) -> dict[str, Any]:
    """Return the body of `POST /containers/create`.

    A container has no network but its own loopback. The way out of one that may reach something
    is a relay there, kept by the user that keeps the container alive.

    Args:
        spec: What it is made for.
        image: Its image.
        gates: Folder of this host with the gates' sockets.
    """
    return {
        "Image": image,
        "Entrypoint": [],
        "Cmd": ["sleep", "infinity"] if spec.network is None else relay_alone(),
        "User": _KEEPER,
        "WorkingDir": "/",
        "Hostname": "fixpoint",
        "Labels": {LABEL: spec.name},
        "NetworkDisabled": True,
        "HostConfig": _host_config(spec, gates),
    }


def _host_config(spec: SandboxSpec, gates: Path) -> dict[str, Any]:
    limits = spec.limits
    shown = {"Type": "bind", "Source": str(gates), "Target": FOLDER, "ReadOnly": True}
    volumes = [{"Type": "volume", "Target": place} for place in (WORKSPACE, HOME, STAGING)]
    return {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges", f"seccomp={seccomp_profile()}"],
        "Init": True,
        "Memory": limits.memory,
        "MemorySwap": limits.memory,
        "PidsLimit": limits.processes,
        "Ulimits": [
            {"Name": "fsize", "Soft": limits.file_size, "Hard": limits.file_size},
            {"Name": "cpu", "Soft": limits.cpu_seconds, "Hard": limits.cpu_seconds},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "Tmpfs": {SCRATCH: "rw,exec,nosuid,nodev,mode=1777"},
        "Mounts": volumes if spec.network is None else [*volumes, shown],
    }


def owner_change(image: str, identity: str) -> dict[str, Any]:
    """Return the body for a container that makes another one's folders the sandboxed user's.

    The engine makes the root of a new volume root's own, and gives no other way to change it.
    """
    return {
        "Image": image,
        "Entrypoint": [],
        "Cmd": ["chown", USER, WORKSPACE, HOME],
        "User": "0:0",
        "NetworkDisabled": True,
        "HostConfig": {
            "NetworkMode": "none",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "CapAdd": ["CHOWN"],
            "SecurityOpt": ["no-new-privileges"],
            "VolumesFrom": [identity],
        },
    }


def variables(image: dict[str, Any]) -> dict[str, str]:
    """Return the variables of every command, from `GET /images/{name}/json`."""
    own = dict(entry.split("=", 1) for entry in image["Config"].get("Env") or () if "=" in entry)
    path = own.get("PATH", DEFAULT_PATH)
    return {
        **own,
        "PATH": f"{HOME}/.venv/bin:{HOME}/.local/bin:{path}",
        "HOME": HOME,
        "USER": "fixpoint",
        "LOGNAME": "fixpoint",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "CI": "true",
        "NPM_CONFIG_FETCH_RETRY_MINTIMEOUT": "1000",  # ms
        "NPM_CONFIG_FETCH_RETRY_MAXTIMEOUT": "10000",
    }
