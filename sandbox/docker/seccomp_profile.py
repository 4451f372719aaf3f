"""Compose the profile of system calls that every container runs under.

It refuses what a bubblewrap jail is refused. Docker's own profile differs from version to version:
older ones allow AF_VSOCK, which speaks to the hypervisor, and io_uring, and 32-bit calls open such
sockets in newer ones too (https://github.com/moby/moby/pull/53551).

The format is that of https://docs.docker.com/engine/security/seccomp/, read by runc.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from typing import Any

from sandbox.denied_calls import FORBIDDEN, NAMESPACES, SOCKETS, TERMINAL, UNKNOWN

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
