"""The client's reading of checks, and its commits on branches of other people."""

from __future__ import annotations

import pytest

from bot.errors import HeadMoved
from bot.github.check_values import Check
from bot.github.values import Advance, FileChange
from tests.contract.test_github import World, world
from tests.fakes.github import Trouble

__all__ = ["world"]  # a fixture: pytest finds it by name


def advance(world: World) -> Advance:
    """Return a commit for the branch `work`."""
    head = world.repository.git.resolve("work")
    assert head is not None
    change = FileChange("src/app.py", "100644", b"print('hi')\n")
    return Advance("work", head, (change,), "Say hi")


async def test_all_kinds_of_checks_are_read(world: World) -> None:
    """A job knows its workflow run; a status has no App; a running workflow is named."""
    ci, repository = world.state.ci, world.repository
    sha = repository.git.resolve("main")
    assert sha is not None
    run = ci.workflow_run(repository, sha, "main")
    lint = ci.job(repository, run, "lint", conclusion="failure")
    ci.job(repository, run, "slow", status="in_progress")
    other = ci.check(repository, sha, "scan", app="scanner", conclusion="neutral")
    ci.status(repository, sha, "ci/deploy", "pending")
    found = await world.github.commit_checks(world.repo, sha)
    pages = f"{world.server.web_url}/acme/app/runs"
    assert found.running == ("CI",)
    assert (
        Check("lint", "github-actions", "failure", lint.id, run.id, f"{pages}/{lint.id}")
        in found.checks
    )
    assert (
        Check("scan", "scanner", "neutral", other.id, None, f"{pages}/{other.id}") in found.checks
    )
    assert Check("ci/deploy") in found.checks
    assert [check.name for check in found.checks if check.conclusion is None] == [
        "slow",
        "ci/deploy",
    ]


async def test_only_open_pull_requests_at_the_commit_are_found(world: World) -> None:
    """One that is closed, and one whose head moved on, are not."""
    repository, state = world.repository, world.state
    sha = state.push(repository, "work", {"a.txt": "a\n"})
    pull = state.open_pull_request(repository, "ada", "Work", head="work")
    assert [found.number for found in await world.github.pull_requests_of(world.repo, sha)] == [
        pull.number
    ]
    state.push(repository, "work", {"a.txt": "b\n"})
    assert await world.github.pull_requests_of(world.repo, sha) == ()


async def test_a_branch_gets_one_commit_however_often_it_is_asked(world: World) -> None:
    """Also when GitHub's answer is lost on the way."""
    world.state.push(world.repository, "work", {"a.txt": "a\n"})
    wanted = advance(world)
    world.state.faults.add(Trouble.LOST_ANSWER, method="PATCH", path="/git/refs/")
    commit = await world.github.advance(world.repo, wanted)
    assert await world.github.advance(world.repo, wanted) == commit
    assert world.repository.git.resolve("work") == commit
    assert world.repository.git.commit(commit).parents == (wanted.parent,)


async def test_a_branch_that_moved_on_is_not_touched(world: World) -> None:
    """Whatever was pushed stays the head; a branch that is gone is not made again."""
    world.state.push(world.repository, "work", {"a.txt": "a\n"})
    wanted = advance(world)
    newer = world.state.push(world.repository, "work", {"a.txt": "b\n"})
    with pytest.raises(HeadMoved, match="is now at"):
        await world.github.advance(world.repo, wanted)
    assert world.repository.git.resolve("work") == newer
    world.repository.git.delete_reference("refs/heads/work")
    with pytest.raises(HeadMoved, match="was deleted"):
        await world.github.advance(world.repo, wanted)
