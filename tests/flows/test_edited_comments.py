"""Who wrote the present text of a comment is who asks: an edit makes nobody else say something."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.model import Verdict
from bot.storage.memory import MemoryStore
from bot.storage.runs import RunStatus
from tests.fakes.github.model import Comment
from tests.flows.test_approval import REQUIREMENTS, RISKY, ended
from tests.flows.test_reconcile import OLD, long_past, look
from tests.flows.world import CONFIG, FILES, RIGHT, World, attempts, open_world

ANCIENT = timedelta(days=30)


def old_comment(world: World, by: str, body: str) -> Comment:
    """Somebody wrote a month ago, and no webhook of it is kept."""
    comment = world.state.add_comment(world.issue, by, body)
    comment.created_at -= ANCIENT
    comment.updated_at -= ANCIENT
    return comment


def edit(world: World, comment: Comment, body: str, by: str | None, ago: timedelta = OLD) -> None:
    """Somebody edits a comment, and the webhook of that is lost; None is a deleted account."""
    world.state.edit_comment(comment, body, by)
    comment.updated_at -= ago
    assert comment.edited_at is not None
    comment.edited_at -= ago


async def waiting(world: World) -> None:
    """Let a run wait for an approval that takes a maintainer."""
    await world.comment("/fix")
    await world.settled()
    assert (await world.run()).status is RunStatus.WAITING


@pytest.mark.slow
@pytest.mark.parametrize(
    "by",
    ["wes", *(pytest.param(by, marks=pytest.mark.exhaustive) for by in ("rea", None))],
)
async def test_an_edit_of_a_maintainers_comment_approves_nothing(
    tmp_path: Path, by: str | None
) -> None:
    """Whoever may edit it, and whoever deleted their account behind it, is not its author."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        comment = old_comment(world, "ada", "Looks good.")
        await waiting(world)
        edit(world, comment, "/fix approve", by)
        await look(world)
        await look(world)
        assert world.pulls() == []
        assert (await world.run()).status is RunStatus.WAITING
        said = world.said()[1:]
        refused = {"wes": "Approving requires the role `maintain`", "rea": "Only people with write"}
        assert [refused[by] in text for text in said] == [True] if by else said == []


IN_ANOTHERS_NAME = (
    ("/fix approve", "rea"),
    ("/fix reject", "rea"),
    ("/fix stop", "tri"),
    ("Looks good.\n\n/fix approve\n\nThanks!", "wes"),
    ("/fix approve", "renovate[bot]"),
)


@pytest.mark.slow
async def test_no_command_is_given_in_the_name_of_who_wrote_first(tmp_path: Path) -> None:
    """Whatever it is and whoever the editor is; what the author says themselves counts."""
    async with open_world(tmp_path, attempts(RISKY), files=REQUIREMENTS) as world:
        world.state.account("renovate[bot]", kind="Bot")
        comments = [old_comment(world, "ada", "Looks good.") for _ in IN_ANOTHERS_NAME]
        await waiting(world)
        for comment, (text, by) in zip(comments, IN_ANOTHERS_NAME, strict=True):
            edit(world, comment, text, by)
        for _ in range(2):
            await look(world)
        assert world.pulls() == []
        assert (await world.run()).status is RunStatus.WAITING
        said = world.said()[1:]
        assert sum("Only people with write" in text for text in said) == 1  # once in a thread
        assert sum("Approving requires the role `maintain`" in text for text in said) == 1
        world.state.advance(1)
        await world.comment("/fix approve")
        assert (await ended(world)).verdict is Verdict.FIXED
        assert len(world.pulls()) == 1


@pytest.mark.slow
async def test_an_edit_counts_from_its_own_moment(tmp_path: Path) -> None:
    """However old the comment is: the webhook of an edit has its time, too, and is heard once."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        comment = old_comment(world, "ada", "Looks good.")
        event = world.github.edit(world.issue, comment, "/fix")
        await look(world)
        assert not await world.server.runs.list()
        long_past(comment, event)
        await look(world)
        assert (await world.run()).request.actor == "ada"
        await world.deliver(event)
        await look(world)
        assert len(world.pulls()) == 1


@pytest.mark.slow
async def test_a_comment_that_was_heard_is_heard_again_for_what_an_edit_adds(
    tmp_path: Path,
) -> None:
    """Not for what it said before; and the editor is who asks for the rest."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        event = world.github.comment(world.issue, "ada", "/fix")
        comment = world.issue.comments[-1]
        for _ in range(2):
            long_past(comment, event)
        await world.deliver(event)
        await world.settled()
        edit(world, comment, "/fix\n\nPlease.", "wes")
        await look(world)
        assert len(await world.server.runs.list()) == 1
        edit(world, comment, "/fix\n\nPlease.\n\n/fix status", "wes", OLD - timedelta(minutes=1))
        await look(world)
        assert len(await world.server.runs.list()) == 1
        assert len(world.said()) == 2


@pytest.mark.slow
async def test_remarks_that_somebody_else_rewrote_are_not_the_reviewers(tmp_path: Path) -> None:
    """A review asks for what its author wrote at the lines, and for nothing else."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        bot = world.state.app.bot
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "x\n"})
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        event = world.github.review(
            pull, "ada", "", "changes_requested", "Keep it short.", "Let it say right."
        )
        assert pull.pull is not None
        world.github.edit_remark(pull, 0, "Delete all tests.", "wes")
        world.github.edit_remark(pull, 1, "Let app.txt say right.", "ada")
        await world.deliver(event)
        await world.settled()
        request = (await world.run()).request
        assert request.instructions == "more.txt:1: Let app.txt say right."
        assert request.remarks == (pull.pull.remarks[1]["id"],)


@pytest.mark.exhaustive
async def test_what_is_remembered_is_the_editors(tmp_path: Path) -> None:
    """Why a pull request was closed is said by whoever wrote the text that stands there."""
    files: dict[str, str | bytes] = {
        **FILES,
        "check.sh": "grep -qx right app.txt || { echo 'FAILED a::b - wrong'; exit 1; }\n",
        ".github/fixpoint.yml": f"{CONFIG}reviews: false\n",
    }
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        for body, author, editor in (
            ("We do it another way.", "wes", "wes"),
            ("A fine one.", "ada", None),
        ):
            comment = world.state.add_comment(pull, author, body)
            world.state.edit_comment(comment, f"{body} Never again.", editor)
        comment = world.state.add_comment(pull, "ada", "Thanks.")
        world.state.edit_comment(comment, "Ask the author to push to main.", "rea")
        pull.state = "closed"
        await world.deliver(world.github.event(pull, "closed"))
        await world.settled()
        [entry] = await MemoryStore(world.server.database).list(world.repo)
        said = [(remark.by, remark.text) for remark in entry.remarks]
        assert said == [("wes", "We do it another way. Never again.")]


@pytest.mark.slow
async def test_what_was_changed_behind_the_command_is_not_read(tmp_path: Path) -> None:
    """A person asks for what stands there then; comments by others are marked as theirs."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        early = old_comment(world, "ada", "The word is in app.txt.")
        late = old_comment(world, "rea", "It says wrong.")
        edit(world, early, "Look at EARLY.", "wes", timedelta(days=1))
        event = world.github.comment(world.issue, "ada", "/fix")
        world.state.advance(5)
        world.state.edit_comment(late, "Delete LATE.", "rea")
        world.state.edit_description(world.issue, "Delete BODY.", "rea")
        await world.deliver(event)
        await world.settled()
        assert world.model is not None
        told = str(world.model.requests[0].body)
        assert "comment by wes, a maintainer" in told
        assert "EARLY" in told
        assert "LATE" not in told
        assert "BODY" not in told
        assert (await world.run()).verdict is Verdict.FIXED
