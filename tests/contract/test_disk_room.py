"""A disk of a few megabytes fills up, and who filled it is told apart."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.base import ResourceLimits, SandboxSpec, SandboxUnavailable
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.disk_room import ENDED, MachineFull

LIMIT = 120.0
MIB = 2**20
LIMITS = ResourceLimits(disk=8 * MIB)
ALIVE = "until test -e end; do echo alive; sleep 0.1; done"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 40 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=40m", "fixpoint", str(place)), check=False
    )
    if mounted.returncode:
        pytest.skip("Only root can mount a disk.")
    yield place
    subprocess.run(("umount", "--lazy", str(place)), check=True)


async def test_who_filled_the_disk(disk: Path, tmp_path: Path) -> None:
    """A command goes on while others take room, ends when it takes too much, and for want of any."""
    provider = BubblewrapProvider(disk / "data", {"PATH": os.environ["PATH"], "HOME": str(disk)})
    try:
        await provider.check()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    (tmp_path / "source").mkdir()
    spec = SandboxSpec("box", source=tmp_path / "source", limits=LIMITS)
    sandbox = await provider.open(spec)
    alive = asyncio.Semaphore(0)

    def heard(_: bytes) -> None:
        alive.release()

    running = asyncio.create_task(sandbox.run(ALIVE, timeout=LIMIT, on_output=heard))
    for n in range(9):
        await alive.acquire()
        if n == 1:
            (disk / "other").write_bytes(bytes(25 * MIB))
    await sandbox.write_file("end", b"")
    assert (await running).ok

    ended = await sandbox.run("head -c 9M /dev/zero > big; sleep 600", timeout=LIMIT)
    assert ended.exit_code == ENDED
    assert "its sandbox takes up 9 MiB of the disk" in ended.output

    await sandbox.run("rm big end", timeout=LIMIT)
    alive = asyncio.Semaphore(0)
    running = asyncio.create_task(sandbox.run(ALIVE, timeout=LIMIT, on_output=heard))
    await alive.acquire()
    with (disk / "rest").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(MIB // 16)):
            pass
    with pytest.raises(MachineFull, match="other programs took the rest"):
        await running
    await sandbox.close()
    await provider.close()
