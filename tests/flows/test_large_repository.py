"""Of a large repository, a run fetches and copies only what it needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.runs.remote_checkout import MANY_FILES, RECENT_COMMITS
from tests.fakes.model import Step
from tests.flows.world import FIX, WHY, attempts, bash, open_world

LOOK = "echo $(git rev-list --count HEAD) commits, $(ls many | wc -l) files, $(git status --short)."


@pytest.mark.exhaustive
async def test_a_large_repository_is_repaired_twice(tmp_path: Path) -> None:
    """Cold, then with a new commit: a short history, and one work tree for all sandboxes of a run."""
    look: list[Step] = [bash(LOOK), FIX, WHY]
    async with open_world(tmp_path, attempts(look)) as world:
        state, repository = world.state, world.repository
        repository.size = 2**20
        state.push(repository, "main", {f"many/{n}.txt": "" for n in range(MANY_FILES)})
        repository.git.git("tag", "v1", "main")
        for n in range(RECENT_COMMITS):
            state.push(repository, "main", {"other.txt": f"{n}\n"})
        for said in ("first\n", "second\n"):
            state.push(repository, "main", {"new.txt": said})
            await world.comment("/fix")
            await world.settled()
        pulls = world.pulls()
        assert [world.file("app.txt", pull.pull.head_ref) for pull in pulls if pull.pull] == (
            ["right\n"] * len(pulls)
        )
        assert pulls, world.said()
        assert world.model is not None
        seen = str([request.messages for request in world.model.requests])
        assert re.search(rf"3[12] commits, {MANY_FILES} files, \.", seen)
        mirror = tmp_path / "data" / "mirrors" / "acme" / "app.git"
        assert (mirror / "shallow").exists()
        trees = list(mirror.with_name("app.git.trees").iterdir())
        assert sorted((tree / "new.txt").read_text() for tree in trees) == ["first\n", "second\n"]
        assert len({(tree / "many" / "1.txt").stat().st_ino for tree in trees}) == 1
        assert {(tree / "app.txt").read_text() for tree in trees} == {"wrong\n"}
