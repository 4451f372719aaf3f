"""Programs of the host, started and cancelled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.spawn import finished, spawn

ENVIRONMENT = {"PATH": os.defpath}


async def test_a_program_gets_its_input_and_tells_its_end() -> None:
    code, out, err = await finished(
        "sh", "-c", "cat; echo said >&2; exit 3", env=ENVIRONMENT, given=b"given"
    )
    assert (code, out, err) == (3, b"given", b"said\n")


async def test_a_program_that_is_missing_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        await spawn("no-such-program", env=ENVIRONMENT)


@pytest.mark.parametrize("steps", range(12))
async def test_cancelled_at_any_step_it_ends_with_its_program(steps: int, tmp_path: Path) -> None:
    task = asyncio.create_task(
        finished("sh", "-c", "exec sleep 600", env=ENVIRONMENT, cwd=tmp_path, given=b"")
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(600):
            await task
    assert not [place for place in Path("/proc").iterdir() if runs_in(place, tmp_path)]


def runs_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:  # no process, or not ours
        return False


async def test_what_a_cancelled_program_started_ends_with_it(tmp_path: Path) -> None:
    """It holds the same pipes, and nobody waits for its own end."""
    script = "sleep 600 & touch begun; wait"
    task = asyncio.create_task(finished("sh", "-c", script, env=ENVIRONMENT, cwd=tmp_path))
    async with asyncio.timeout(600):
        await until((tmp_path / "begun").exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not any(runs_in(path, tmp_path) for path in Path("/proc").iterdir()))


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that nobody tells of."""
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
