"""The filter of system calls, as the kernel reads it."""

from __future__ import annotations

import errno
import struct

import pytest

from sandbox.bubblewrap.seccomp import NUMBERS, seccomp_filter
from sandbox.denied_calls import FORBIDDEN, UNKNOWN

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

NEEDED = {
    "x86_64": {
        "read": 0,
        "openat": 257,
        "execve": 59,
        "futex": 202,
        "ptrace": 101,
        "prctl": 157,
        "exit_group": 231,
    },
    "aarch64": {
        "read": 63,
        "openat": 56,
        "execve": 221,
        "futex": 98,
        "ptrace": 117,
        "prctl": 167,
        "exit_group": 94,
    },
}
"""What every program calls, from the kernel's headers."""

pytestmark = pytest.mark.parametrize("machine", ARCHITECTURES)


def judge(machine: str, name: str, *arguments: int, foreign: bool = False) -> int:
    """Run the filter of a machine on one call, as the kernel's classic BPF does."""
    call = int(name) if name.isdecimal() else (NEEDED[machine] | NUMBERS[machine])[name]
    architecture = 0x40000003 if foreign else ARCHITECTURES[machine]
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", call, architecture, 0, *padded)
    program = seccomp_filter(machine)
    assert program is not None
    accumulator = position = 0
    while True:
        code, then, otherwise, value = struct.unpack_from("=HBBI", program, 8 * position)
        position += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            [accumulator] = struct.unpack_from("=I", data, value)
            continue
        passed = {
            0x15: accumulator == value,
            0x35: accumulator >= value,
            0x45: bool(accumulator & value),
        }[code]
        position += then if passed else otherwise


def test_what_programs_need_is_allowed(machine: str) -> None:
    """Threads, processes, files, sockets of the usual families, terminals, debuggers."""
    for name in NEEDED[machine]:
        assert judge(machine, name) == ALLOW
    assert judge(machine, "clone", 0x003D0F00) == ALLOW
    assert judge(machine, "ioctl", 1, 0x5413) == ALLOW
    for family in (1, 2, 10, 16):
        assert judge(machine, "socket", family) == ALLOW


def test_what_makes_rights_is_refused(machine: str) -> None:
    """Every call of the lists that the machine has, with the error that makes programs give up."""
    for names, error in ((FORBIDDEN, errno.EPERM), (UNKNOWN, errno.ENOSYS)):
        for name in names:
            if name in NUMBERS[machine]:
                assert judge(machine, name) == ERROR | error, name


def test_arguments_are_judged(machine: str) -> None:
    """New namespaces, typing into terminals, sockets that no network namespace holds."""
    for flag in (0x10000000, 0x00020000, 0x40000000, 0x10000011):
        assert judge(machine, "clone", flag) == ERROR | errno.EPERM
    for request in (0x5412, 0x541C, 0xFFFFFFFF00005412):
        assert judge(machine, "ioctl", 0, request) == ERROR | errno.EPERM
    for family in (17, 38, 40):
        assert judge(machine, "socket", family) == ERROR | errno.EAFNOSUPPORT


def test_there_is_no_second_set_of_calls(machine: str) -> None:
    """A program of 32 bits ends; the other numbers of x86_64 mean nothing."""
    assert judge(machine, "read", foreign=True) == KILL
    if machine == "x86_64":
        assert judge(machine, str(0x40000000 + 165)) == ERROR | errno.ENOSYS


def test_other_machines_have_no_filter(machine: str) -> None:
    """Rather than a wrong one."""
    assert seccomp_filter(f"not-{machine}") is None
