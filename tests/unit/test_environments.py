"""Prepared environments are kept by what they are made from, a few of them, for a while."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from bot.repair.workspace.environments import (
    MOST_KEPT,
    OLDEST,
    Environment,
    Environments,
    commit_key,
    environment_key,
)
from sandbox.bubblewrap import BubblewrapProvider

FILES = {"uv.lock": "1" * 40, "src/a.py": "2" * 40}
SETUP = ("export SHA=abc123; uv sync",)


def key(
    repository: str = "acme/app",
    commands: tuple[str, ...] = SETUP,
    files: Mapping[str, str] = FILES,
    volatile: tuple[str, ...] = ("abc123",),
) -> str:
    return environment_key(repository, "bubblewrap", commands, files, volatile)


def test_the_key_is_everything_that_an_environment_is_made_from() -> None:
    """Source that is only run, and the commit's own id, make no difference; the rest does."""
    other_source = FILES | {"src/a.py": "3" * 40}
    other_lock = FILES | {"uv.lock": "4" * 40}
    assert key() == key(files=other_source)
    assert key() == key(commands=("export SHA=def456; uv sync",), volatile=("def456",))
    different = {
        key(),
        key(files=other_lock),
        key(repository="acme/other"),
        key(commands=("uv sync --all-extras",)),
    }
    assert len(different) == 4


def test_where_nobody_knows_what_a_setup_reads_the_commit_decides() -> None:
    """Another commit, repository, sandbox or command is another environment."""
    same = commit_key("acme/app", "bubblewrap", SETUP, "c" * 40)
    assert same == commit_key("acme/app", "bubblewrap", SETUP, "c" * 40)
    different = {
        same,
        commit_key("acme/app", "bubblewrap", SETUP, "d" * 40),
        commit_key("acme/other", "bubblewrap", SETUP, "c" * 40),
        commit_key("acme/app", "docker python:3.12", SETUP, "c" * 40),
        commit_key("acme/app", "bubblewrap", (*SETUP, "make"), "c" * 40),
        key(),
    }
    assert len(different) == 6


async def test_a_few_are_kept_and_old_ones_are_made_anew(tmp_path: Path) -> None:
    """The one that was not used for longest goes; one that is too old, or broken, is not found."""
    kept = Environments(tmp_path / "environments", BubblewrapProvider(tmp_path / "data"))
    for n in range(MOST_KEPT + 2):
        await kept.keep(f"key{n}", Environment(f"env-{n}", "c" * 40))
        os.utime(tmp_path / "environments" / f"key{n}.json", (n, n))
    assert await kept.find("key0") is None
    assert await kept.find(f"key{MOST_KEPT + 1}") == Environment(f"env-{MOST_KEPT + 1}", "c" * 40)
    file = tmp_path / "environments" / f"key{MOST_KEPT}.json"
    made = json.loads(file.read_text())
    file.write_text(json.dumps({**made, "made": made["made"] - OLDEST - 1}))
    assert await kept.find(f"key{MOST_KEPT}") is None
    file.write_text("{")
    assert await kept.find(f"key{MOST_KEPT}") is None
    await kept.forget(f"key{MOST_KEPT + 1}")
    assert await kept.find(f"key{MOST_KEPT + 1}") is None


async def test_runs_side_by_side_leave_each_other_their_environments(tmp_path: Path) -> None:
    """The first one is kept, and its sandboxes stay; one that is too old is replaced."""
    kept = Environments(tmp_path / "environments", BubblewrapProvider(tmp_path / "data"))
    first, second = Environment("env-1", "c" * 40), Environment("env-2", "c" * 40)
    assert await kept.keep("key", first)
    assert not await kept.keep("key", second)
    assert await kept.keep("key", first)
    assert await kept.find("key") == first
    file = tmp_path / "environments" / "key.json"
    made = json.loads(file.read_text())
    file.write_text(json.dumps({**made, "made": made["made"] - OLDEST - 1}))
    assert await kept.keep("key", second)
    assert await kept.find("key") == second
    assert [path.name for path in file.parent.iterdir()] == ["key.json"]
