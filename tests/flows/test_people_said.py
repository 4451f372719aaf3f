"""What people say of our pull requests is shown to later runs at failures like theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.storage.memory import MemoryStore
from tests.fakes.github import Issue
from tests.flows.world import CONFIG, RIGHT, World, attempts, open_world

SECRET = "ghp_" + "aB3" * 12
FILES: dict[str, str | bytes] = {
    "app.txt": "wrong\n",
    "check.sh": "grep -qx right app.txt || { echo 'FAILED checks.sh::app - app.txt is wrong'; exit 1; }\n",
    ".github/fixpoint.yml": f"{CONFIG}reviews: false\n",
}


async def close(world: World, pull: Issue) -> None:
    """Somebody closes a pull request without merging it."""
    pull.state = "closed"
    await world.deliver(world.github.event(pull, "closed"))
    await world.settled()


@pytest.mark.slow
async def test_why_a_repair_was_not_wanted_is_shown_to_later_runs(tmp_path: Path) -> None:
    """By those who may write alone, once, and without secrets; also where no run is to act on it."""
    async with open_world(tmp_path, attempts(RIGHT), files=FILES) as world:
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        remark = ("app.txt", "Spell it in upper case.")
        wants = world.github.review(pull, "wes", "Not so.", "changes_requested", remark)
        for event in (wants, wants, world.github.review(pull, "rea", "No!", "changes_requested")):
            await world.deliver(event)
        await world.settled()
        await world.comment("@fixpoint keep the words short", by="wes", issue=pull)
        for body, by in (
            (f"The word is to stay; see {SECRET} there.", "ada"),
            ("/fix memory", "ada"),
            ("I liked it.", "rea"),
        ):
            await world.comment(body, by=by, issue=pull)
        await world.settled()
        await close(world, pull)
        [entry] = await MemoryStore(world.server.database).list(world.repo)
        said = [(item.kind.value, item.by, item.text) for item in entry.remarks]
        assert said == [
            ("changes_requested", "wes", "Not so.\n\napp.txt:1: Spell it in upper case."),
            ("changes_requested", "wes", "keep the words short"),
            ("closed", "ada", "The word is to stay; see [redacted] there."),
        ]
        assert "changes requested: " in world.said(pull)[-1]

        await world.comment("Thank you all the same.", by="rea", issue=pull)
        await world.comment("We moved the word elsewhere.", by="wes", issue=pull)
        await world.settled()
        [entry] = await MemoryStore(world.server.database).list(world.repo)
        assert [item.text for item in entry.remarks[3:]] == ["We moved the word elsewhere."]

        again = world.state.open_issue(world.repository, "rea", "Again", ".")
        await world.comment("/fix", issue=again)
        await world.settled()
        assert world.model is not None
        prompt = world.model.requests[-1].first
        told = prompt.partition("What maintainers said of its pull request:")[2]
        assert 'label="changes requested, by wes">\nkeep the words short' in told
        assert 'label="said when it was closed, by ada">\nThe word is to stay' in told
        assert "I liked it." not in told
        assert SECRET not in prompt
