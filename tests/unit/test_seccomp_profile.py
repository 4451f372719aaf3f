"""The profile of a container refuses what the filter of a jail refuses."""

from __future__ import annotations

import errno
import json
from typing import Any

import pytest

from sandbox.denied_calls import FORBIDDEN, NAMESPACES, SOCKETS, TERMINAL, UNKNOWN
from sandbox.docker.container import seccomp_profile

COMPARED = {
    "SCMP_CMP_GT": lambda given, rule: given > rule["value"],
    "SCMP_CMP_MASKED_EQ": lambda given, rule: given & rule["value"] == rule["valueTwo"],
}
HIGH = 1 << 32
"""A bit that the kernel does not look at, where an argument has four bytes."""


def judge(name: str, *arguments: int) -> int:
    """Return the error that a call is answered with, or 0: any rule of its name that fits counts."""
    profile: dict[str, Any] = json.loads(seccomp_profile())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    errors = {
        int(rule["errnoRet"])
        for rule in profile["syscalls"]
        if name in rule["names"]
        and len(rule["args"]) <= 1
        and all(COMPARED[item["op"]](arguments[item["index"]], item) for item in rule["args"])
    }
    assert len(errors) < 2
    return errors.pop() if errors else 0


def test_one_condition_stands_alone() -> None:
    """Of several for one argument, runc takes any for all."""
    assert all(len(rule["args"]) <= 1 for rule in json.loads(seccomp_profile())["syscalls"])


def test_calls_are_refused_by_name() -> None:
    """Some as if the kernel were older."""
    assert {judge(name) for name in FORBIDDEN} == {errno.EPERM}
    assert {judge(name) for name in UNKNOWN} == {errno.ENOSYS}
    assert judge("openat") == 0


@pytest.mark.parametrize("family", [*range(48), 1000])
def test_sockets_have_families_of_the_network(family: int) -> None:
    """No other one is allowed, AF_VSOCK (40) included, whatever the kernel does not look at."""
    refused = 0 if family in SOCKETS else errno.EAFNOSUPPORT
    assert judge("socket", family) == refused
    assert judge("socket", family | HIGH) == errno.EAFNOSUPPORT


def test_no_namespace_and_no_terminal() -> None:
    """Each flag alone; threads and forks are made as ever."""
    flags = [1 << bit for bit in range(32) if NAMESPACES & 1 << bit]
    assert {judge("clone", flag | 0x11) for flag in (*flags, NAMESPACES)} == {errno.EPERM}
    assert judge("clone", 0x3D0F00) == judge("clone", 0x1200011) == 0
    assert {judge("ioctl", 0, high | number) for number in TERMINAL for high in (0, HIGH)} == {
        errno.EPERM
    }
    assert judge("ioctl", 0, 0x5401) == 0
