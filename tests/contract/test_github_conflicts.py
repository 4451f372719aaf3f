"""What GitHub tells of a conflict with the base, and how one is resolved on the branch itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import HeadMoved
from bot.github.values import Advance, FileChange
from tests.contract.test_github import World, world
from tests.fakes.github import Issue, Trouble

__all__ = ["world"]  # a fixture: pytest finds it by name


def conflicting(world: World) -> Issue:
    """A pull request of the App's, and a base that moves on in the same line."""
    state, repository = world.state, world.repository
    bot = state.app.bot.login
    state.push(repository, "work", {"src/app.py": "print('hi')\n"}, author=bot)
    pull = state.open_pull_request(repository, state.app.bot, "Say hi", head="work")
    state.push(repository, "main", {"src/app.py": "print('hey')\n"}, author="ada")
    return pull


async def test_whether_a_pull_request_merges_is_known_after_somebody_looked(world: World) -> None:
    """Null at first, and again whenever its head or base moves; drafts are no exception."""
    pull = conflicting(world)
    assert pull.pull is not None

    async def seen() -> list[bool | None]:
        looks = [await world.github.pull_request(world.repo, pull.number) for _ in range(2)]
        return [look.mergeable for look in looks]

    assert await seen() == [None, False]
    [listed] = await world.github.open_pull_requests(world.repo)
    assert listed.mergeable is None
    world.state.push(world.repository, "main", {"src/app.py": "print('hello')\n"})
    assert await seen() == [None, True]
    pull.pull.draft = True
    assert await seen() == [True, True]
    pull.state = "closed"
    assert await seen() == [None, None]


async def test_a_comparison_tells_whose_commits_a_branch_has(world: World) -> None:
    """And where it parted, whatever happened on the base since then."""
    git = world.repository.git
    parted = git.resolve("main")
    conflicting(world)
    base = git.resolve("main") or ""
    found = await world.github.compared(world.repo, base, git.resolve("work") or "")
    assert (found.parted, found.complete) == (parted, True)
    assert found.authors == {"fixpoint[bot]"}
    world.state.push(world.repository, "work", {"b.txt": "b\n"}, author="wes")
    found = await world.github.compared(world.repo, base, git.resolve("work") or "")
    assert found.authors == {"fixpoint[bot]", "wes"}
    assert found.files == ("b.txt", "src/app.py")
    assert await world.github.first_parent(world.repo, base) == parted


async def test_a_conflict_is_resolved_by_one_commit_that_merges_the_base(world: World) -> None:
    """Once, without force, also when an answer is lost; workflow files of the base come along."""
    pull = conflicting(world)
    ci = {".github/workflows/ci.yml": "on: push\n"}
    base = world.state.push(world.repository, "main", ci)
    head = world.repository.git.resolve("work") or ""
    change = FileChange("src/app.py", "100644", b"print('hey, hi')\n")
    wanted = Advance("work", head, (change,), "Merge main", merges=base)
    world.state.faults.add(Trouble.LOST_ANSWER, method="PATCH", path="/git/refs/")
    commit = await world.github.advance(world.repo, wanted)
    assert await world.github.advance(world.repo, wanted) == commit
    git = world.repository.git
    assert git.commit(commit).parents == (head, base)
    assert git.changes(base, commit) == [("src/app.py", 1, 1)]
    await world.github.pull_request(world.repo, pull.number)
    assert (await world.github.pull_request(world.repo, pull.number)).mergeable
    world.state.push(world.repository, "work", {"b.txt": "b\n"})
    with pytest.raises(HeadMoved):
        await world.github.advance(world.repo, replace(wanted, message="Again"))


async def test_a_description_is_replaced(world: World) -> None:
    """Of a pull request of ours."""
    pull = conflicting(world)
    await world.github.describe(world.repo, pull.number, "Anew.")
    assert (await world.github.pull_request(world.repo, pull.number)).body == "Anew."
