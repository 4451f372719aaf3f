"""What was merged is what is tried again, not what a run proposed before people or reviews changed it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.model.memory import Became, TriedRepair
from bot.storage.memory import MemoryStore
from bot.storage.outcomes import OutcomeStore
from tests.fakes.github import Issue
from tests.fakes.model import Request, Say, Step
from tests.flows.world import CONFIG, World, attempts, edit, open_world

CHECKS = """\
#!/bin/sh
grep -q right app.txt || { echo "FAILED checks.sh::app - app.txt is wrong"; exit 1; }
[ ! -e strict ] || grep -qx right app.txt || { echo "FAILED checks.sh::strict - too much"; exit 1; }
"""
FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "check.sh": CHECKS,
    ".github/fixpoint.yml": CONFIG,
}
TALKATIVE: list[Step] = [edit("wrong", "quite right"), Say("It says right.")]


def talkative_once(request: Request) -> Step:
    """Say too much, until a review asks for less."""
    again: list[Step] = [edit("quite right", "right"), Say("Only right.")]
    steps = again if "only say right" in request.first else TALKATIVE
    return steps[min(request.turn, len(steps)) - 1]


async def first_repair(world: World) -> tuple[Issue, str]:
    """Somebody asks for a repair; return the pull request and its branch."""
    await world.comment("/fix")
    await world.settled()
    [pull] = world.pulls()
    assert pull.pull is not None
    return pull, pull.pull.head_ref


async def merge(world: World, pull: Issue) -> None:
    await world.deliver(world.github.merged(pull, "ada"))
    await world.settled()


async def break_again(world: World) -> str:
    """The fault comes back, and somebody asks again; return what the new pull request makes of it."""
    world.state.push(world.repository, "main", {"app.txt": "wrong\n", "strict": None})
    issue = world.state.open_issue(world.repository, "rea", "`sh check.sh` is red again", ".")
    await world.comment("/fix", issue=issue)
    await world.settled()
    [pull] = [item for item in world.pulls() if f"Fixes #{issue.number}" in (item.body or "")]
    assert pull.pull is not None
    return world.file("app.txt", pull.pull.head_ref) or ""


async def kept(world: World) -> list[TriedRepair]:
    return list(await MemoryStore(world.server.database).list(world.repo))


@pytest.mark.slow
async def test_a_pull_request_that_is_opened_again_is_undecided(tmp_path: Path) -> None:
    """People close and reopen to have checks run anew; the figures follow."""
    async with open_world(tmp_path, attempts(TALKATIVE), files=FILES) as world:
        pull, _ = await first_repair(world)
        seen = []
        pull.state = "closed"
        closed = world.github.event(pull, "closed")
        pull.state = "open"
        for event in (closed, world.github.event(pull, "reopened")):
            await world.deliver(event)
            await world.settled()
            figures = await OutcomeStore(world.server.database).counts(timedelta(days=1))
            seen.append(([repair.became for repair in await kept(world)], dict(figures)))
        assert seen == [([item], {item: 1}) for item in (Became.CLOSED, Became.VERIFIED)]


@pytest.mark.slow
async def test_a_patch_that_a_review_had_changed_is_not_tried_again(tmp_path: Path) -> None:
    """The pull request as a whole is, for each of the failures that it was to mend."""
    async with open_world(tmp_path, talkative_once, files=FILES) as world:
        pull, branch = await first_repair(world)
        world.state.push(world.repository, branch, {"strict": "x\n"}, author="wes")
        wanted = ("app.txt", "It has to only say right, and nothing more.")
        asked = world.github.review(pull, "wes", "", "changes_requested", wanted)
        await world.deliver(asked)
        await world.settled()
        assert world.file("app.txt", branch) == "right\n"
        await merge(world, pull)
        became = [repair.became for repair in await kept(world)]
        assert became == [Became.MERGED] * 2 + [Became.SUPERSEDED] * 2
        assert len({repair.signature for repair in (await kept(world))[:2]}) == 2

        assert await break_again(world) == "right\n"
        run = await world.run()
        assert run.report is not None
        [attempt] = run.report.attempts
        assert attempt.proposer == "memory"
        assert f"merged in #{pull.number}" in attempt.proposal.summary


@pytest.mark.exhaustive
async def test_what_a_person_pushed_before_the_merge_is_what_was_merged(tmp_path: Path) -> None:
    """Also where no webhook told of the merge; a revert still finds it."""
    async with open_world(tmp_path, attempts(TALKATIVE), files=FILES) as world:
        pull, branch = await first_repair(world)
        world.state.push(world.repository, branch, {"app.txt": "right\n"}, author="wes")
        world.github.merged(pull, "ada")  # nobody delivers it
        assert [repair.became for repair in await kept(world)] == [Became.VERIFIED]
        assert await break_again(world) == "right\n"
        merged, changed = (await kept(world))[-2:]
        assert [repair.became for repair in await kept(world)][1:] == [
            Became.MERGED,
            Became.SUPERSEDED,
        ]
        assert (merged.model, changed.model is None) == (None, False)
        await world.comment("/fix memory", issue=pull)
        await world.settled()
        assert "1 merged and 1 superseded" in world.said(pull)[-1]
        assert pull.pull is not None
        undone = f"Undo\n\nThis reverts commit {pull.pull.merge_commit}."
        world.state.push(world.repository, "main", {"app.txt": "wrong\n"}, message=undone)
        await world.deliver(world.github.pushed(world.repository, "main", "ada"))
        await world.settled()
        assert (await kept(world))[-2].became is Became.REVERTED
