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
        *(pytest.param(item, marks=pytest.mark.exhaustive) for item in (0.002, 0.01, 0.02, 0.04)),
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


def _lasting(name: str, source: Path) -> SandboxSpec:
    return SandboxSpec(name, source=source, source_stays=True)


@pytest.fixture
async def shares(provider: BubblewrapProvider, source: Path) -> None:
    """Skip where work trees are copied."""
    sandbox = await provider.open(_lasting("probe", source))
    place = await sandbox.tree()
    is_shared = os.path.ismount(place)
    await sandbox.close()
    if not is_shared:
        pytest.skip("Overlay mounts are forbidden here; work trees are copied.")


@pytest.mark.usefixtures("shares")
async def test_a_source_that_stays_is_shared_and_never_changed(
    provider: BubblewrapProvider, source: Path
) -> None:
    """Each sandbox sees it whole, and its own changes alone, also on the host."""
    names = sorted(path.name for path in source.iterdir())
    bubblewrap_sandbox, two = [
        await provider.open(_lasting(name, source)) for name in ("one", "two")
    ]
    await said(bubblewrap_sandbox, "rm -rf * && echo mine > new")
    assert [
        path.name for path in (await bubblewrap_sandbox.tree()).iterdir() if path.name != ".git"
    ] == ["new"]
    assert sorted(path.name for path in (await two.tree()).iterdir()) == names
    assert sorted(path.name for path in source.iterdir()) == names
    for sandbox in (bubblewrap_sandbox, two):
        await sandbox.close()
    assert sorted(path.name for path in source.iterdir()) == names


@pytest.mark.usefixtures("shares")
async def test_snapshots_of_a_shared_tree_stand_on_each_other(
    provider: BubblewrapProvider, source: Path, tmp_path: Path
) -> None:
    """What was changed, removed and renamed before each of them; who took one goes on from there."""
    first = await provider.open(_lasting("first", source))
    await said(first, "mkdir folder; echo 1 > folder/file; echo 1 > gone")
    snapshot = await first.snapshot("one")
    assert await said(first, "rm gone; mv folder moved; echo 2 >> moved/file; cat moved/*") == (
        "1\n2\n"
    )
    later = await first.snapshot("two")
    await first.close()
    old = await provider.open(SandboxSpec("old", snapshot=snapshot))
    new = await provider.open(SandboxSpec("new", snapshot=later))
    await provider.remove("one")
    await provider.remove("two")
    assert await said(old, "cat gone folder/file") == "1\n1\n"
    assert await said(new, "cat moved/file; ls gone folder 2>&1 | grep -c cannot") == "1\n2\n2\n"
    for sandbox in (old, new):
        await sandbox.close()
    assert list((tmp_path / "data" / "layers").iterdir()) == []


@pytest.mark.usefixtures("shares")
async def test_a_shared_tree_is_mounted_again_after_a_restart_of_the_machine(
    provider: BubblewrapProvider, source: Path
) -> None:
    """With the changes that were made before."""
    sandbox = await provider.open(_lasting("one", source))
    await said(sandbox, "echo changed > new")
    await host_command(("umount", str(await sandbox.tree())))
    again = await provider.open(_lasting("one", source))
    assert again.resumed
    assert await said(again, "cat new") == "changed\n"
    await again.close()


@pytest.mark.usefixtures("shares")
async def test_a_source_that_was_removed_takes_its_snapshots_along(
    provider: BubblewrapProvider, source: Path, tmp_path: Path
) -> None:
    """A run that starts from one prepares its tree anew."""
    kept = source.rename(tmp_path / "kept")
    first = await provider.open(_lasting("first", kept))
    snapshot = await first.snapshot("one")
    await first.close()
    kept.rename(source)
    with pytest.raises(SandboxGone, match="work tree of snapshot one no longer exists"):
        await provider.open(SandboxSpec("second", snapshot=snapshot))
