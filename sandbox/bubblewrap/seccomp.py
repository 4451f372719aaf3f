"""Compose the filter of system calls that every jail runs under.

The filter is a program for the kernel's classic BPF, as Documentation/userspace-api/
seccomp_filter.rst and linux/bpf_common.h describe it.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator

from sandbox.denied_calls import FORBIDDEN, NAMESPACES, SOCKETS, TERMINAL, UNKNOWN

NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "ioctl": 16,
        "socket": 41,
        "clone": 56,
        "syslog": 103,
        "uselib": 134,
        "vhangup": 153,
        "modify_ldt": 154,
        "pivot_root": 155,
        "_sysctl": 156,
        "adjtimex": 159,
        "chroot": 161,
        "acct": 163,
        "settimeofday": 164,
        "mount": 165,
        "umount2": 166,
        "swapon": 167,
        "swapoff": 168,
        "reboot": 169,
        "iopl": 172,
        "ioperm": 173,
        "create_module": 174,
        "init_module": 175,
        "delete_module": 176,
        "get_kernel_syms": 177,
        "query_module": 178,
        "quotactl": 179,
        "nfsservctl": 180,
        "lookup_dcookie": 212,
        "clock_settime": 227,
        "kexec_load": 246,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "migrate_pages": 256,
        "unshare": 272,
        "move_pages": 279,
        "perf_event_open": 298,
        "fanotify_init": 300,
        "open_by_handle_at": 304,
        "clock_adjtime": 305,
        "setns": 308,
        "finit_module": 313,
        "kexec_file_load": 320,
        "bpf": 321,
        "userfaultfd": 323,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
        "open_tree": 428,
        "move_mount": 429,
        "fsopen": 430,
        "fsconfig": 431,
        "fsmount": 432,
        "fspick": 433,
        "clone3": 435,
        "mount_setattr": 442,
        "quotactl_fd": 443,
    },
    "aarch64": {
        "lookup_dcookie": 18,
        "ioctl": 29,
        "umount2": 39,
        "mount": 40,
        "pivot_root": 41,
        "nfsservctl": 42,
        "chroot": 51,
        "vhangup": 58,
        "quotactl": 60,
        "acct": 89,
        "unshare": 97,
        "kexec_load": 104,
        "init_module": 105,
        "delete_module": 106,
        "clock_settime": 112,
        "syslog": 116,
        "reboot": 142,
        "settimeofday": 170,
        "adjtimex": 171,
        "socket": 198,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "clone": 220,
        "swapon": 224,
        "swapoff": 225,
        "migrate_pages": 238,
        "move_pages": 239,
        "perf_event_open": 241,
        "fanotify_init": 262,
        "open_by_handle_at": 265,
        "clock_adjtime": 266,
        "setns": 268,
        "finit_module": 273,
        "bpf": 280,
        "userfaultfd": 282,
        "kexec_file_load": 294,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
        "open_tree": 428,
        "move_mount": 429,
        "fsopen": 430,
        "fsconfig": 431,
        "fsmount": 432,
        "fspick": 433,
        "clone3": 435,
        "mount_setattr": 442,
        "quotactl_fd": 443,
    },
}


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
