"""One attempt to get out of a sandbox, and what tells that it did."""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sandbox.base import Sandbox
from sandbox.bubblewrap.seccomp import NUMBERS

GOT_OUT = "got out"
SECRET = "the-secret-of-the-host"
"""Whoever reads it in a sandbox has read what belongs to the host."""

_SECONDS = 600.0
_HEADING = re.compile(r"^== attempt: (?P<name>.*) ==$", re.MULTILINE)


UNFILTERED = {
    "x86_64": {
        "ptrace": 101,
        "setuid": 105,
        "setpriority": 141,
        "sethostname": 170,
        "exit_group": 231,
        "process_vm_readv": 310,
        "pidfd_open": 434,
    },
    "aarch64": {
        "exit_group": 94,
        "ptrace": 117,
        "setpriority": 140,
        "setuid": 146,
        "sethostname": 161,
        "process_vm_readv": 270,
        "pidfd_open": 434,
    },
}
"""Numbers of calls that attempts make and no filter names; from the kernel's unistd.h."""


@dataclass(frozen=True)
class Attempt:
    """A script that prints `GOT_OUT` or the host's secret when it succeeds.

    Attributes:
        name: What is tried.
        script: For bash; it never names the secret.
        kernel: It is the kernel that it gets at. At E2B that is the machine's own one.
    """

    name: str
    script: str
    kernel: bool = False


def perl(program: str) -> str:
    """Return a command that runs a Perl program; `{name}` of a system call is its number.

    Perl needs no module for system calls, and is there wherever Debian is.
    """
    numbers = {**NUMBERS[platform.machine()], **UNFILTERED[platform.machine()]}
    filled = re.sub(r"\{(\w+)\}", lambda found: str(numbers[found[1]]), program)
    return f"perl -e {shlex.quote(filled)}"


def calls(name: str, *calls: str) -> Attempt:
    """Return the attempt to have one of some system calls done, written as Perl's arguments."""
    done = " or ".join(f"syscall({call}) >= 0" for call in calls)
    return Attempt(name, perl(f'print "got", " out\\n" if {done};'), kernel=True)


async def outcomes(sandbox: Sandbox, attempts: Iterable[Attempt]) -> dict[str, str]:
    """Make the attempts in one command, and return what each of them said."""
    steps: list[str] = []
    for attempt in attempts:
        steps.append(f"echo; echo {shlex.quote(f'== attempt: {attempt.name} ==')}")
        steps.append(f"timeout 5 bash -c {shlex.quote(attempt.script)} 2>&1")
    result = await sandbox.run("\n".join([*steps, "exit 0"]), timeout=_SECONDS)
    assert result.ok, result
    parts: Sequence[str] = _HEADING.split(result.output)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def betrayed(said: dict[str, str], *more: str) -> dict[str, str]:
    """Return the attempts that got out: they said so, the secret, or something `more`."""
    signs = (GOT_OUT, SECRET, *more)
    return {name: text for name, text in said.items() if any(sign in text for sign in signs)}
