"""What was tried before is remembered: merged repairs are tried again for nothing, others are shown."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from bot.model.memory import Became
from bot.storage.memory import MemoryStore
from tests.fakes.github import Issue
from tests.flows.world import RIGHT, World, open_world


async def asked(world: World, issue: Issue | None = None) -> Issue:
    """Somebody asks for a repair; return the pull request with it."""
    await world.comment("/fix", issue=issue)
    await world.settled()
    return world.pulls()[0]


async def merge(world: World, pull: Issue) -> None:
    """Somebody merges a pull request, and GitHub delivers it."""
    await world.deliver(world.github.merged(pull, "ada"))
    await world.settled()


def break_again(world: World, message: str = "Break it") -> None:
    """Somebody brings the fault back, and changes more."""
    world.state.push(
        world.repository, "main", {"app.txt": "wrong\n", "notes.txt": "x\n"}, message=message
    )


async def outcomes(world: World) -> list[Became]:
    return [one.became for one in await MemoryStore(world.server.database).list(world.repo)]


async def test_the_same_failure_is_mended_for_nothing_by_what_was_merged(tmp_path: Path) -> None:
    """The second time no model is asked, and the pull request says where its patch comes from."""
    async with open_world(tmp_path, lambda request: RIGHT[request.turn - 1]) as world:
        first = await asked(world)
        assert await outcomes(world) == [Became.VERIFIED]
        await merge(world, first)
        assert await outcomes(world) == [Became.MERGED]
        assert world.file("app.txt", "main") == "right\n"

        break_again(world)
        assert world.model is not None
        before = len(world.model.requests)
        second = await asked(world, world.state.open_issue(world.repository, "rea", "Again", "."))
        assert len(world.model.requests) == before
        assert second.number != first.number
        run = await world.run()
        assert run.report is not None
        [attempt] = run.report.attempts
        assert (attempt.proposer, run.tokens) == ("memory", 0)
        assert run.cost_usd == Decimal(0)
        assert f"merged in #{first.number}" in attempt.proposal.summary
        assert f"merged in `#{first.number}`" in (second.body or "")
        assert await outcomes(world) == [Became.VERIFIED, Became.MERGED]

        await merge(world, second)
        assert second.pull is not None
        revert = f"Revert it\n\nThis reverts commit {second.pull.merge_commit}."
        break_again(world, revert)
        await world.deliver(world.github.pushed(world.repository, "main", "ada"))
        await world.settled()
        assert await outcomes(world) == [Became.REVERTED, Became.MERGED]

        await asked(world, world.state.open_issue(world.repository, "rea", "Once more", "."))
        run = await world.run()
        assert run.report is not None
        assert [one.proposer for one in run.report.attempts] == ["agent"]
        shown = [note for note in run.report.notes if note.startswith("Shown to the model")]
        assert f"merged in #{second.number} and later reverted" in shown[0]
        prompt = world.model.requests[before].first
        assert "What earlier runs tried" in prompt
        assert f"merged in #{first.number}" in prompt
