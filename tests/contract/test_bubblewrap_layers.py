"""How bubblewrap sandboxes share the home that a snapshot prepared."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.base import Sandbox, SandboxGone, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.store import host_command


@pytest.fixture
async def provider(tmp_path: Path) -> AsyncIterator[BubblewrapProvider]:
    provider = BubblewrapProvider(tmp_path / "data", {"PATH": "/usr/bin", "HOME": str(tmp_path)})
    yield provider
    await provider.close()


async def prepared(provider: BubblewrapProvider, source: Path) -> str:
    """Return a snapshot with something in its home."""
    first = await provider.open(SandboxSpec("first", source=source))
    assert (await first.run("mkdir ~/folder; echo layer > ~/folder/file", timeout=600)).ok
    snapshot = await first.snapshot("prepared")
    await first.close()
    return snapshot


async def said(sandbox: Sandbox, command: str) -> str:
    return (await sandbox.run(command, timeout=600)).output


async def test_a_home_outlives_its_snapshot(
    provider: BubblewrapProvider, source: Path, tmp_path: Path
) -> None:
    """And nothing of it stays when its last user is closed."""
    snapshot = await prepared(provider, source)
    sandbox = await provider.open(SandboxSpec("second", snapshot=snapshot))
    await provider.remove(snapshot)
    assert await said(sandbox, "cat ~/folder/file") == "layer\n"
    await sandbox.close()
    shared = ("etc-", "devices")  # what every sandbox shows
    left = {path.name for path in (tmp_path / "data").iterdir() if not path.name.startswith(shared)}
    assert left <= {"sandboxes", "snapshots", "staging", "layers", "removed"}
    async with asyncio.timeout(600):
        while any((tmp_path / "data" / "removed").iterdir()):  # noqa: ASYNC110 - others delete
            await asyncio.sleep(0.01)
    assert [path for name in left for path in (tmp_path / "data" / name).iterdir()] == []


@pytest.mark.parametrize(
    "moment",
    [
        0.005,
        *(pytest.param(one, marks=pytest.mark.exhaustive) for one in (0.002, 0.01, 0.02, 0.04)),
    ],
)
async def test_a_snapshot_that_goes_while_it_is_copied_is_gone(
    provider: BubblewrapProvider, source: Path, moment: float
) -> None:
    """Another run may remove it at any moment: a sandbox has all of it, or there is none."""
    first = await provider.open(SandboxSpec("first", source=source))
    many = "mkdir many && cd many && for n in $(seq 60); do mkdir $n; touch $n/{1..40}; done"
    assert (await first.run(many, timeout=600)).ok
    snapshot = await first.snapshot("prepared")
    opening = asyncio.create_task(provider.open(SandboxSpec("second", snapshot=snapshot)))
    await asyncio.sleep(moment)
    await provider.remove(snapshot)
    try:
        second = await opening
    except SandboxGone:
        pass
    else:
        assert await said(second, "find many -type f | wc -l") == "2400\n"
        await second.close()
    await first.close()


async def test_folders_of_a_layer_can_be_renamed_and_removed(
    provider: BubblewrapProvider, source: Path
) -> None:
    """As package managers do; a snapshot of the result has it too."""
    snapshot = await prepared(provider, source)
    second = await provider.open(SandboxSpec("second", snapshot=snapshot))
    rename = (
        "python3 -c \"import os; os.rename(os.path.expanduser('~/folder'), '/home/fixpoint/new')\""
    )
    assert await said(second, f"{rename}; echo more >> ~/new/file; ls ~") == "new\n"
    third = await provider.open(SandboxSpec("third", snapshot=await second.snapshot("renamed")))
    assert await said(third, "rm ~/new/file; ls -A ~ ~/new") == (
        "/home/fixpoint:\nnew\n\n/home/fixpoint/new:\n"
    )
    assert await said(second, "cat ~/new/file") == "layer\nmore\n"
    for sandbox in (second, third):
        await sandbox.close()
    await provider.remove("renamed")


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root mounts homes; others get copies.")
async def test_a_home_is_mounted_again_after_a_restart_of_the_machine(
    provider: BubblewrapProvider, source: Path, tmp_path: Path
) -> None:
    """With the changes that were made before."""
    snapshot = await prepared(provider, source)
    spec = SandboxSpec("second", snapshot=snapshot)
    await said(await provider.open(spec), "echo changed >> ~/folder/file")
    home = tmp_path / "data" / "sandboxes" / "second" / "home"
    if not os.path.ismount(home):
        pytest.skip("Overlay mounts are forbidden here; homes are copied.")
    await host_command(("umount", str(home)))
    again = await provider.open(spec)
    assert again.resumed
    assert await said(again, "cat ~/folder/file") == "layer\nchanged\n"
    await again.close()
    await provider.remove(snapshot)
