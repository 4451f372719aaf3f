"""Folders that are deleted beside the work."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sandbox.removal import Removals


async def gone(folder: Path) -> None:
    """Wait for the end of a deletion."""
    async with asyncio.timeout(600):
        while folder.exists():  # noqa: ASYNC110 - another process deletes
            await asyncio.sleep(0.01)


async def test_nobody_waits_for_a_deletion(tmp_path: Path) -> None:
    """It begins, and the caller goes on."""
    folder = tmp_path / "folder"
    for number in range(200):
        (folder / str(number)).mkdir(parents=True)
    Removals().start(folder)
    await gone(folder)


async def test_deletions_run_side_by_side(tmp_path: Path) -> None:
    """One that has nothing to delete is no trouble."""
    removals = Removals()
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    for folder in (*folders, tmp_path / "absent"):
        removals.start(folder)
    for folder in folders:
        await gone(folder)
