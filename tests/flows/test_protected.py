"""Stories of changes to workflows and protected paths: unasked ones are no part of a repair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.storage.runs import RunStatus
from tests.fakes.github.model import GRANTED, Token
from tests.fakes.model import Step
from tests.flows.test_approval import ended
from tests.flows.world import CONFIG, FILES, FIX, WHY, World, attempts, bash, edit, open_world

CI = ".github/workflows/ci.yml"
SHIPPED = {**FILES, CI: "on: pull_request\n"}
BOTH: list[Step] = [FIX, edit("pull_request", "push", CI), WHY]
ASKED = f"/fix Also update {CI} to run on every push."


@pytest.mark.exhaustive
async def test_a_workflow_that_was_asked_for_waits_and_is_pushed(tmp_path: Path) -> None:
    """After an approval, with a token for workflows where the installation grants that."""
    async with open_world(tmp_path, attempts(BOTH), files=SHIPPED) as world:
        grant(world, workflows="write")
        await world.comment(ASKED)
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        assert world.pulls() == []
        assert reasons(world) == snapshot(
            ["- It changes CI or automation: .github/workflows/ci.yml."]
        )
        assert not minted_for_workflows(world)
        await world.comment("/fix approve")
        await ended(world)
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file(CI, pull.pull.head_ref) == "on: push\n"
        assert world.repaired() == "right\n"
        told = "The request asks to change .github/workflows/ci.yml, which is otherwise protected."
        assert told in (pull.body or "")
        assert minted_for_workflows(world)
        await world.until(lambda: all(workflow.revoked for workflow in minted_for_workflows(world)))


@pytest.mark.exhaustive
async def test_without_the_permission_the_patch_is_a_comment(tmp_path: Path) -> None:
    """It says which permission is missing, and only that one."""
    async with open_world(tmp_path, attempts(BOTH), files=SHIPPED) as world:
        await world.comment(ASKED)
        await world.settled()
        await world.comment("/fix approve")
        await ended(world)
        assert world.pulls() == []
        assert world.said()[-1].partition("\n")[0] == snapshot(
            "**Fixed, but not pushed.** The App's installation on acme/app does not grant workflows: write. Request it in the App's settings, then accept it and select the repository in the installation's settings. The patch is posted here instead."
        )
        assert "+on: push" in world.said()[-1]


@pytest.mark.exhaustive
async def test_a_rejected_change_of_a_workflow_is_nowhere(tmp_path: Path) -> None:
    """Neither a branch nor a token comes of it."""
    async with open_world(tmp_path, attempts(BOTH), files=SHIPPED) as world:
        grant(world, workflows="write")
        await world.comment(ASKED)
        await world.settled()
        await world.comment("/fix reject", by="wes")
        assert (await ended(world)).reason == "wes rejected the patch."
        assert world.pulls() == []
        assert sorted(world.branches()) == ["main"]
        assert not minted_for_workflows(world)


UNASKED: list[Step] = [FIX, bash(f"sed -i s/pull_request/push/ {CI}"), WHY]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (UNASKED, "/fix"),
        pytest.param(BOTH, "/fix", marks=pytest.mark.exhaustive),
        pytest.param(UNASKED, f"/fix what fails since {CI} changed", marks=pytest.mark.exhaustive),
    ],
    ids=["by a command", "by an edit", "mentioned"],
)
async def test_an_unasked_change_of_a_workflow_is_put_back(
    tmp_path: Path, steps: Sequence[Step], words: str
) -> None:
    """The repair is published without it, and without a question."""
    async with open_world(tmp_path, attempts(steps), files=SHIPPED) as world:
        grant(world, workflows="write")
        await world.comment(words)
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file(CI, pull.pull.head_ref) == "on: pull_request\n"
        assert world.repaired() == "right\n"
        assert not minted_for_workflows(world)


@pytest.mark.slow
@pytest.mark.parametrize("author", ["rea", pytest.param("wes", marks=pytest.mark.exhaustive)])
async def test_an_issue_asks_where_its_author_may_write(tmp_path: Path, author: str) -> None:
    """A stranger's issue can name what it likes: the workflow stays as it was."""
    async with open_world(tmp_path, attempts(UNASKED), files=SHIPPED) as world:
        text = f"It says wrong. Update {CI} to run on every push."
        issue = world.state.open_issue(world.repository, author, "The app says wrong", text)
        await world.comment("/fix", issue=issue)
        await world.settled()
        waits = (await world.run()).status is RunStatus.WAITING
        assert waits == (author == "wes")
        assert bool(world.pulls()) != waits


@pytest.mark.slow
async def test_a_protected_path_that_was_asked_for_waits(tmp_path: Path) -> None:
    """Unasked, the same edit is refused to the model, and done by a command fails the attempt."""
    files = {
        **FILES,
        ".github/fixpoint.yml": f"{CONFIG}attempts: 1\npaths:\n  protected: [legal/]\n",
        "legal/terms.txt": "old\n",
    }
    steps: list[Step] = [FIX, edit("old", "new", "legal/terms.txt"), WHY]
    by_command: list[Step] = [FIX, bash("sed -i s/old/new/ legal/terms.txt"), WHY]
    async with open_world(tmp_path, attempts(steps, by_command), files=files) as world:
        await world.comment("/fix and replace the year in legal/terms.txt")
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        assert reasons(world) == snapshot(
            ["- The request asks to change legal/terms.txt, which is otherwise protected."]
        )
        await world.comment("/fix approve")
        await ended(world)
        [pull] = world.pulls()
        assert pull.pull is not None
        assert world.file("legal/terms.txt", pull.pull.head_ref) == "new\n"
        await world.comment("/fix")
        await world.settled()
        assert len(world.pulls()) == 1
        assert "The patch changes paths that it must not change" in world.said()[-1]


def grant(world: World, **permissions: str) -> None:
    """Have the App's installation grant more than app.yml asks for."""
    for installation in world.state.installations.values():
        installation.permissions = {**GRANTED, **permissions}


def minted_for_workflows(world: World) -> list[Token]:
    """Return every token that ever had that permission."""
    return [token for token in world.state.tokens.values() if "workflows" in token.permissions]


def reasons(world: World) -> list[str]:
    """Return why the newest comment says that a person is waited for."""
    asked = world.said()[-1].partition("<details>")[0]
    return [line for line in asked.splitlines() if line.startswith("- ")]
