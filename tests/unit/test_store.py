"""Folders that appear and disappear as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from sandbox.base import SandboxError
from sandbox.store import Store, host_command


async def emptied(folder: Path) -> None:
    """Wait until the deletions that go on beside the work are done."""
    async with asyncio.timeout(600):
        while any(folder.iterdir()):  # noqa: ASYNC110 - other processes delete
            await asyncio.sleep(0.01)


async def test_what_is_not_published_leaves_nothing(tmp_path: Path) -> None:
    """Neither in its place nor in the staging folder."""
    store = Store(tmp_path)
    with contextlib.suppress(ZeroDivisionError):
        async with store.staging("workspace") as staged:
            assert (staged / "workspace").is_dir()
            raise ZeroDivisionError
    assert not store.sandbox("a").exists()
    assert list((tmp_path / "staging").iterdir()) == []
    await emptied(tmp_path / "removed")


async def test_the_first_to_publish_wins(tmp_path: Path) -> None:
    """The other one is told, and its folder is gone."""
    store = Store(tmp_path)
    async with store.staging("first") as one, store.staging("second") as two:
        assert store.publish(one, store.sandbox("a"))
        assert not store.publish(two, store.sandbox("a"))
    assert [path.name for path in store.sandbox("a").iterdir()] == ["first"]


async def test_what_is_published_meanwhile_is_listed_where_it_went(tmp_path: Path) -> None:
    """Another process may publish between two looks; its layer must not seem unused."""
    store = Store(tmp_path)
    async with store.staging() as staged:
        places = store.places()
        assert next(places) == staged
        store.publish(staged, store.sandbox("a"))
        assert list(places) == [store.sandbox("a")]


async def test_sealed_folders_are_removed_too(tmp_path: Path) -> None:
    """A command may have taken every right from what it leaves; links are not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    store = Store(tmp_path / "data")
    async with store.staging("deep") as staged:
        (staged / "deep" / "er").mkdir()
        (staged / "deep" / "link").symlink_to(outside)
        (staged / "deep" / "er").chmod(0)
        (staged / "deep").chmod(0)
        store.publish(staged, store.sandbox("a"))
    await store.remove(store.sandbox("a"))
    await store.remove(store.sandbox("a"))
    assert not store.sandbox("a").exists()
    await emptied(tmp_path / "data" / "removed")
    assert outside.is_dir()


async def test_idle_sandboxes_expire(tmp_path: Path) -> None:
    """When their lifetime has passed since somebody used them."""
    store = Store(tmp_path)
    for name, lifetime in (("old", -1.0), ("new", 60.0)):
        async with store.staging() as staged:
            store.publish(staged, store.sandbox(name))
        store.keep_for(store.sandbox(name), lifetime)
    assert store.expired() == ["old"]


async def test_leftovers_of_dead_processes_are_swept(tmp_path: Path) -> None:
    """After a day; what is younger may still be filled."""
    store = Store(tmp_path)
    async with store.staging() as fresh:
        old = fresh.parent / "old"
        old.mkdir()
        os.utime(old, (0, 0))
        await store.sweep()
        assert fresh.is_dir()
        assert not old.exists()


async def test_a_failing_program_is_quoted() -> None:
    """With what it said."""
    with pytest.raises(SandboxError, match="no such luck"):
        await host_command(("/bin/sh", "-c", "echo no such luck >&2; exit 3"))


async def test_what_is_published_has_its_lifetime_at_once(tmp_path: Path) -> None:
    """However long it took to be filled, no other process ever sees it as expired."""
    store = Store(tmp_path)
    async with store.staging("workspace") as staged:
        os.utime(staged, (0, 0))
        assert store.publish(staged, store.sandbox("a"), lifetime=60)
        assert store.expired() == []
