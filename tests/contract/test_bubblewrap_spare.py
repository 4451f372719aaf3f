"""The jail that waits for a sandbox's next command changes nothing but the time it takes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.base import Sandbox, SandboxSpec, SandboxUnavailable
from sandbox.bubblewrap import BubblewrapProvider

LIMIT = 600.0


@pytest.fixture
async def provider(tmp_path: Path) -> AsyncIterator[BubblewrapProvider]:
    provider = BubblewrapProvider(
        tmp_path / "data", {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    )
    try:
        await provider.check()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield provider
    await provider.close()


@pytest.fixture
async def sandbox(provider: BubblewrapProvider, tmp_path: Path) -> AsyncIterator[Sandbox]:
    source = tmp_path / "source"
    source.mkdir()
    sandbox = await provider.open(SandboxSpec("box", source=source))
    for _ in range(2):  # from the second command on there is a spare
        await sandbox.run("true", timeout=LIMIT)
    yield sandbox
    await sandbox.close()


async def waiting(folder: Path) -> list[int]:
    """Return the processes whose command line names a folder, once there are any."""
    async with asyncio.timeout(LIMIT):
        while True:
            found = [
                int(place.name)
                for place in Path("/proc").iterdir()
                if place.name.isdigit() and os.fsencode(folder) in command_line(place)
            ]
            if found:
                return found
            await asyncio.sleep(0.01)


async def gone(processes: list[int]) -> None:
    async with asyncio.timeout(LIMIT):
        while True:
            if not any(Path("/proc", str(process)).exists() for process in processes):
                return
            await asyncio.sleep(0.01)


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it ended meanwhile
        return b""


async def test_words_folder_variables_and_status_arrive(sandbox: Sandbox) -> None:
    command = """echo "$1|$NAME|$PWD|it's"; cat; exit 7"""
    environment = {"NAME": "a 'quoted' $value\nand a line"}
    result = await sandbox.run(command, timeout=LIMIT, cwd="/tmp", environment=environment)
    assert result.output == "|a 'quoted' $value\nand a line|/tmp|it's\n"
    assert result.exit_code == 7


async def test_variables_of_one_command_are_not_those_of_the_next(sandbox: Sandbox) -> None:
    await sandbox.run("true", timeout=LIMIT, environment={"NAME": "value"})
    assert (await sandbox.run("echo ${NAME-unset}", timeout=LIMIT)).output == "unset\n"


async def test_what_was_written_after_it_was_made_is_seen(sandbox: Sandbox) -> None:
    await sandbox.write_file("late.txt", b"late\n")
    assert (await sandbox.run("cat late.txt", timeout=LIMIT)).output == "late\n"


async def test_a_snapshot_shows_the_next_command_its_new_home(sandbox: Sandbox) -> None:
    await sandbox.run("echo before >~/before", timeout=LIMIT)
    await sandbox.snapshot("taken")
    assert (await sandbox.run("cat ~/before", timeout=LIMIT)).output == "before\n"
    assert (await sandbox.run("echo after >~/after; cat ~/after", timeout=LIMIT)).exit_code == 0


async def test_a_spare_that_was_killed_is_not_used(sandbox: Sandbox, tmp_path: Path) -> None:
    processes = await waiting(tmp_path / "data")
    for process in processes:
        os.kill(process, signal.SIGKILL)
    await gone(processes)
    assert (await sandbox.run("echo still here", timeout=LIMIT)).output == "still here\n"


@pytest.mark.usefixtures("sandbox")
async def test_nothing_waits_after_the_provider_was_closed(
    provider: BubblewrapProvider, tmp_path: Path
) -> None:
    assert await waiting(tmp_path / "data")
    await provider.close()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await waiting(tmp_path / "data")


@pytest.mark.parametrize(
    "moment",
    [
        0.0,
        0.005,
        *(pytest.param(item, marks=pytest.mark.exhaustive) for item in (0.002, 0.01, 0.02)),
    ],
)
async def test_cancelled_twice_at_any_moment_nothing_is_left(
    sandbox: Sandbox, tmp_path: Path, moment: float
) -> None:
    for limit in (LIMIT, moment):
        running = asyncio.create_task(sandbox.run("sleep 600", timeout=limit))
        await asyncio.sleep(moment)
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        async with asyncio.timeout(LIMIT):
            await asyncio.gather(running, return_exceptions=True)
    async with asyncio.timeout(LIMIT):
        await sandbox.close()
    assert not [place for place in Path("/proc").iterdir() if runs_for(place, tmp_path / "data")]


def runs_for(process: Path, folder: Path) -> bool:
    line = command_line(process)
    return b"bwrap" in line and os.fsencode(folder) in line


@pytest.mark.parametrize("asked", ["next", "close"])
async def test_whoever_kills_its_bubblewrap_leaves_nothing(
    sandbox: Sandbox, tmp_path: Path, asked: str
) -> None:
    """What waits inside outlives its bubblewrap; neither the next command nor the end waits for it."""
    processes = await waiting(tmp_path)
    [outer] = [pid for pid in processes if parent_of(pid) not in processes]
    os.kill(outer, signal.SIGKILL)
    await gone([outer])
    async with asyncio.timeout(LIMIT):
        if asked == "next":
            assert (await sandbox.run("echo next", timeout=LIMIT)).output == "next\n"
        await sandbox.close()
    await gone(processes)


@pytest.mark.parametrize(
    "steps", [0, *(pytest.param(item, marks=pytest.mark.exhaustive) for item in (8, 16, 24, 32))]
)
async def test_nor_does_one_that_is_killed_as_it_begins(
    sandbox: Sandbox, tmp_path: Path, steps: int
) -> None:
    """Its process 1 has the same pipes, and may be there although nobody was told of it."""
    running = asyncio.create_task(sandbox.run("true", timeout=LIMIT))
    begun = await waiting(tmp_path)
    for _ in range(steps):
        await asyncio.sleep(0)
    for pid in begun:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    async with asyncio.timeout(LIMIT):
        await asyncio.gather(running, return_exceptions=True)
        assert (await sandbox.run("echo next", timeout=LIMIT)).output == "next\n"
        await sandbox.close()
    await gone(begun)


def parent_of(process: int) -> int:
    """Return a process's parent."""
    status = Path("/proc", str(process), "stat").read_text()
    return int(status.rpartition(")")[2].split()[1])
