"""Compose the filter of system calls that every jail runs under.

The filter is a program for the kernel's classic BPF, as Documentation/userspace-api/
seccomp_filter.rst and linux/bpf_common.h describe it.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator

from sandbox.bubblewrap.syscall_numbers import NUMBERS
from sandbox.denied_calls import FORBIDDEN, NAMESPACES, SOCKETS, TERMINAL, UNKNOWN

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of linux/audit.h."""

_X32 = 0x40000000
"""On x86_64, numbers from here on are a second set of calls (__X32_SYSCALL_BIT)."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data; arguments have eight bytes, the low half first."""

_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def seccomp_filter(machine: str | None = None) -> bytes | None:
    """Return the filter as bubblewrap's `--seccomp` reads it; None for a machine without table.

    Args:
        machine: As `uname -m` says; this one's unless given.
    """
    machine = platform.machine() if machine is None else machine
    if machine not in _ARCHITECTURES:
        return None
    return b"".join(_program(NUMBERS[machine], _ARCHITECTURES[machine], x32=machine == "x86_64"))


def _program(numbers: dict[str, int], architecture: int, *, x32: bool) -> Iterator[bytes]:
    yield _instruction(_LOAD, _ARCHITECTURE)
    yield from _unless(_EQUAL, architecture, _KILL)  # a program of 32 bits has other numbers
    yield _instruction(_LOAD, _NUMBER)
    if x32:
        yield from _if(_AT_LEAST, _X32, _error(errno.ENOSYS))
    for names, error in ((FORBIDDEN, errno.EPERM), (UNKNOWN, errno.ENOSYS)):
        for number in _known(names, numbers):
            yield from _if(_EQUAL, number, _error(error))
    yield from _of_argument(numbers["clone"], 0, _if(_ANY_BIT, NAMESPACES, _error(errno.EPERM)))
    yield from _of_argument(numbers["ioctl"], 1, _any_of(TERMINAL, _error(errno.EPERM)))
    yield from _of_argument(numbers["socket"], 0, _none_of(SOCKETS, _error(errno.EAFNOSUPPORT)))
    yield _instruction(_RETURN, _ALLOW)


def _known(names: Iterable[str], numbers: dict[str, int]) -> Iterator[int]:
    return (numbers[name] for name in names if name in numbers)


def _of_argument(number: int, argument: int, judgement: Iterable[bytes]) -> Iterator[bytes]:
    """Judge an argument of one call, then allow; other calls go on behind it."""
    body = [_instruction(_LOAD, _ARGUMENTS + 8 * argument), *judgement]
    body.append(_instruction(_RETURN, _ALLOW))
    yield _instruction(_EQUAL, number, otherwise=len(body))
    yield from body


def _if(test: int, value: int, answer: int) -> Iterator[bytes]:
    yield _instruction(test, value, otherwise=1)
    yield _instruction(_RETURN, answer)


def _unless(test: int, value: int, answer: int) -> Iterator[bytes]:
    yield _instruction(test, value, then=1)
    yield _instruction(_RETURN, answer)


def _any_of(values: Iterable[int], answer: int) -> Iterator[bytes]:
    for value in values:
        yield from _if(_EQUAL, value, answer)


def _none_of(values: Iterable[int], answer: int) -> Iterator[bytes]:
    for value in values:
        yield from _if(_EQUAL, value, _ALLOW)
    yield _instruction(_RETURN, answer)


def _error(number: int) -> int:
    return _ERROR | number


def _instruction(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    """Encode struct sock_filter: operation, how many to skip if true or false, operand."""
    return struct.pack("=HBBI", code, then, otherwise, value)
