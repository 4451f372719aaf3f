"""Who is blamed when a disk fills up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sandbox.base import ResourceLimits
from sandbox.disk_room import (
    Disk,
    DiskFull,
    DiskUsage,
    FreeDisk,
    MachineFull,
    complaint,
    held_below,
    while_room,
)

GIB = 2**30
LIMITS = ResourceLimits(disk=20 * GIB, files=1_000)


@pytest.mark.parametrize(
    ("left", "held", "says"),
    [
        (FreeDisk(70 * GIB, 5_000_000), DiskUsage(GIB, 10), None),
        (FreeDisk(70 * GIB, 5_000_000), DiskUsage(21 * GIB, 10), "its sandbox takes up 21504 MiB"),
        (FreeDisk(70 * GIB, 5_000_000), None, "its sandbox takes up 30720 MiB"),
        (FreeDisk(99 * GIB, 4_000_000), DiskUsage(GIB, 1_001), "its sandbox holds 1001 files"),
        (FreeDisk(2 * GIB, 5_000_000), DiskUsage(GIB, 10), None),
        (FreeDisk(GIB // 2, 5_000_000), DiskUsage(GIB, 10), "disk has only 512 MiB left. Its sandbox takes up"),
        (FreeDisk(90 * GIB, 500), DiskUsage(GIB, 10), "room for only 500 more files. Its sandbox takes up"),
    ],
)  # fmt: skip
def test_who_took_the_room(left: FreeDisk, held: DiskUsage | None, says: str | None) -> None:
    """Others may take all but the last of it; a sandbox what its limits say."""
    full = complaint(FreeDisk(100 * GIB, 5_000_000), left, held, LIMITS)
    assert (full is None) == (says is None)
    assert (says or "None") in str(full)
    assert isinstance(full, MachineFull) == ("only" in str(says))


def test_a_small_disk_is_not_filled_to_nine_tenths() -> None:
    """However much a sandbox may take."""
    said = complaint(
        FreeDisk(10 * GIB, None), FreeDisk(GIB // 2, None), DiskUsage(9 * GIB + 1, 1), LIMITS
    )
    assert said is not None


def test_own_files_are_counted(tmp_path: Path) -> None:
    """By the room they take: a sparse file none, one with two names once, and no link's target."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "data").write_bytes(b"x" * 100_000)
    (tmp_path / "again").hardlink_to(tmp_path / "deep" / "data")
    (tmp_path / "link").symlink_to("/usr")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(GIB)
    held = held_below([tmp_path, tmp_path / "missing"])
    assert 100_000 <= held.size < 400_000
    assert held.files == 4


async def test_the_sandbox_is_counted_only_on_suspicion() -> None:
    """And a command goes on while others fill the disk, until its own sandbox does."""
    rooms = iter([100, 100, *[70] * 40])
    counted: list[int] = []

    async def room() -> FreeDisk:
        return FreeDisk(next(rooms) * GIB, None)

    async def held() -> DiskUsage:
        counted.append(1)
        return DiskUsage((1 if len(counted) < 3 else 30) * GIB, 5)

    with pytest.raises(DiskFull, match="its sandbox takes up"):
        await while_room(asyncio.sleep(60), Disk(room, held), LIMITS, every=0.001)
    assert len(counted) == 3
