"""Nothing gets out of a sandbox by itself."""

from __future__ import annotations

import os
import platform
import shlex
import signal
import socket
from pathlib import Path

import pytest

from sandbox.base import Sandbox
from tests.contract.conftest import Kind
from tests.contract.escapes import inside
from tests.contract.escapes.attempt import SECRET, Attempt, betrayed, outcomes
from tests.contract.escapes.host import VARIABLE, host

SECONDS = 600.0

pytestmark = pytest.mark.skipif(not inside.usable(), reason="No table of this machine's calls.")


def applicable(kind: Kind, attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """Leave out what reaches a kernel where that is the sandbox's own."""
    return tuple(each for each in attempts if not (each.kernel and kind.name == "e2b"))


async def escapes(kind: Kind, sandbox: Sandbox, attempts: tuple[Attempt, ...]) -> dict[str, str]:
    """Make the attempts and return those that got out; each of them was really made."""
    wanted = applicable(kind, attempts)
    said = await outcomes(sandbox, wanted)
    assert [*said] == [each.name for each in wanted]
    assert not [name for name, text in said.items() if "command not found" in text]
    return betrayed(said)


async def test_nothing_of_the_host_is_read(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither files nor environments, descriptors, memory, sockets, disks or names."""
    monkeypatch.setenv(VARIABLE, SECRET)
    async with host(tmp_path / "host") as place:
        sandbox = await kind.open()
        assert await escapes(kind, sandbox, inside.readings(place)) == {}


async def test_nothing_of_the_host_is_touched(kind: Kind, tmp_path: Path) -> None:
    """Neither processes nor files, settings, control groups, rights or terminals."""
    kind.needs_a_plain_user()
    async with host(tmp_path / "host") as place:
        sandbox = await kind.open()
        assert await escapes(kind, sandbox, inside.touches(place)) == {}
        await sandbox.run("kill -9 -1", timeout=600)
        assert place.process.returncode is None
        os.kill(place.process.pid, 0)
        assert place.file.read_text() == SECRET


async def test_the_kernel_opens_no_other_door(kind: Kind, tmp_path: Path) -> None:
    """System calls that make rights, or reach what a test never needs, are refused."""
    if kind.name == "e2b":
        pytest.skip("A machine of E2B has a kernel of its own.")
    before = socket.gethostname()
    async with host(tmp_path / "host") as place:
        sandbox = await kind.open()
        assert await escapes(kind, sandbox, inside.kernel_calls(place)) == {}
    assert socket.gethostname() == before


async def test_without_network_nothing_is_reached(kind: Kind, tmp_path: Path) -> None:
    """Neither the host's services nor the network behind it, by any kind of socket."""
    async with host(tmp_path / "host") as place:
        sandbox = await kind.open()
        assert await escapes(kind, sandbox, inside.connections(place)) == {}
        assert place.visitors == []


OLD_CALL = """\
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print("its number is", call())
"""
"""`getpid` as a program of 32 bits calls it: such calls have numbers of their own."""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="No 32-bit calls.")
async def test_no_call_goes_around_the_filter(kind: Kind) -> None:
    """By the numbers of 32-bit programs, one of which is every socket call at once."""
    if kind.name == "e2b":
        pytest.skip("A machine of E2B has a kernel of its own.")
    sandbox = await kind.open()
    ended = await sandbox.run(f"python3 -c {shlex.quote(OLD_CALL)}", timeout=SECONDS)
    assert ended.exit_code == 128 + signal.SIGSYS, ended.output
    assert "its number" not in ended.output
