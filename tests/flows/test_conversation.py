"""What people say in a thread, and what they are answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from tests.flows.world import CONFIG, FILES, RIGHT, WRONG, attempts, bash, edit, open_world


async def test_a_stranger_gets_one_answer(tmp_path: Path) -> None:
    """Without write access nothing starts; one short reply per thread, however often they ask."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        for person in ("rea", "tri", "stranger"):
            await world.comment("/fix", by=person)
        await world.settled()
        assert world.said() == snapshot(
            [
                """\
Only people with write access to this repository can use Fixpoint.

<!-- fixpoint:run=thread-1 kind=not-allowed -->
"""
            ]
        )
        assert await world.server.runs.list() == ()


async def test_write_access_below_the_role_of_the_config(tmp_path: Path) -> None:
    """The answer names the role, also after a stranger got theirs, and also to a review."""
    files = {**FILES, ".github/fixpoint.yml": f"{CONFIG}who:\n  permission: maintain\n"}
    async with open_world(tmp_path, attempts(RIGHT), files=files) as world:
        await world.comment("/fix", by="rea")
        await world.comment("/fix", by="wes")
        branch = "fixpoint/1-x"
        world.state.push(world.repository, branch, {"app.txt": "x\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Say right", head=branch)
        await world.deliver(world.github.review(pull, "wes", "Wrong.", "changes_requested"))
        await world.settled()
        needed = "Using Fixpoint requires the role `maintain` or higher in this repository"
        assert [text.partition(" (")[0] for text in world.said()][1:] == [needed]
        assert [text.partition(" (")[0] for text in world.said(pull)] == [needed]
        assert await world.server.runs.list() == ()


async def test_bots_are_never_answered(tmp_path: Path) -> None:
    """Neither another bot nor we ourselves can start a run."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        world.state.account("renovate[bot]", kind="Bot")
        for bot in ("renovate[bot]", "fixpoint[bot]"):
            await world.comment("/fix", by=bot)
        await world.settled()
        assert await world.server.runs.list() == ()
        assert [comment.body for comment in world.issue.comments] == ["/fix", "/fix"]


@pytest.mark.slow
async def test_the_same_delivery_twice(tmp_path: Path) -> None:
    """A redelivery starts no second run."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        event = world.github.comment(world.issue, "ada", "/fix")
        first = await world.github.deliver(event, world.webhook)
        again = await world.github.deliver(event, world.webhook, guid=first.guid)
        copy = await world.github.deliver(event, world.webhook)
        await world.settled()
        assert [first.status_code, again.status_code, copy.status_code] == [202, 202, 202]
        assert len(await world.server.runs.list()) == 1
        assert len(world.pulls()) == 1


@pytest.mark.exhaustive
async def test_instructions_and_options_reach_the_run(tmp_path: Path) -> None:
    """What stands behind `/fix` is told to the model as the person's own words."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        await world.comment("/fix keep the file short, --attempts 1 --no-draft")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert not pull.pull.draft
        assert world.model is not None
        assert "keep the file short" in world.model.requests[0].first


@pytest.mark.slow
async def test_everything_below_a_command_reaches_the_run(tmp_path: Path) -> None:
    """Behind an empty line, in a list, behind code; a phone's dash begins an option."""
    said = "/fix, keep these in mind:\n\n- no new file\n\n```\nrun --attempts 9\n```\nStay short. —attempts 1"
    async with open_world(tmp_path, attempts(WRONG, RIGHT)) as world:
        await world.comment(said + "\n\n> Somebody else's words.\n\n-- \nAda")
        await world.settled()
        [run] = await world.server.runs.list()
        told = "keep these in mind:\n\n- no new file\n\n```\nrun --attempts 9\n```\n\nStay short."
        assert run.request.instructions == told
        assert run.request.options.attempts == 1
        assert world.model is not None
        assert told in world.model.requests[0].first
        await world.comment("/fix retry\n\nRead app.txt first.")
        await world.settled()
        latest, _ = await world.server.runs.list()
        assert latest.request.instructions == f"{told}\n\nRead app.txt first."
        await world.comment("/fix –budget 1")  # noqa: RUF001 - phones write it
        await world.settled()
        assert "did you mean `--budget-usd`" in world.said()[-1]


@pytest.mark.exhaustive
async def test_an_edit_counts_only_when_the_command_is_new(tmp_path: Path) -> None:
    """Mending a typo in a comment that held a command starts nothing; adding one does."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        comment = await world.comment("Plese have a look.")
        for body in ("Please have a look.", "Please have a look.\n\n/fix", "Please!\n\n/fix"):
            world.state.advance(2)
            await world.github.deliver(world.github.edit(world.issue, comment, body), world.webhook)
            await world.settled()
        assert len(await world.server.runs.list()) == 1


@pytest.mark.slow
async def test_help_and_status_and_retry(tmp_path: Path) -> None:
    """The other commands answer, and a retry asks for the same again."""
    async with open_world(tmp_path, attempts(WRONG, RIGHT)) as world:
        await world.comment("/fix --attempts 1 be quick")
        await world.settled()
        await world.comment("/fix status")
        await world.settled()
        assert world.said()[-1] == snapshot("""\
No run is active here. Last run: **Not fixed: found no patch that passes.** The one attempt of the budget is used.

To start a new run, comment `/fix retry`.

<!-- fixpoint:run=DELIVERY kind=status -->
""")
        await world.comment("/fix retry")
        await world.settled()
        latest, first = await world.server.runs.list()
        assert (first.verdict, latest.verdict) == (Verdict.GAVE_UP, Verdict.FIXED)
        assert latest.request.instructions == "be quick"
        again = await world.run()
        assert again.report is not None
        assert any("is reused because" in note for note in again.report.notes)
        await world.comment("/fix help")
        await world.settled()
        assert "--attempts" in world.said()[-1]


@pytest.mark.exhaustive
async def test_a_stop_counts_although_it_comes_before_its_fix(tmp_path: Path) -> None:
    """GitHub promises no order of deliveries; a `/fix` that is written later starts a run."""
    async with open_world(tmp_path, attempts([edit("wrong", "right")])) as world:
        asked = world.github.comment(world.issue, "ada", "/fix")
        await world.comment("/fix stop", by="wes")
        await world.settled()
        await world.deliver(asked)
        await world.settled()
        assert world.said() == snapshot(
            [
                """\
No run is active here. To start one, comment `/fix`.

<!-- fixpoint:run=DELIVERY kind=nothing-to-stop -->
""",
                """\
No run was started: a later `/fix stop` reached Fixpoint before this `/fix` did. To start one, comment `/fix` again.

<!-- fixpoint:run=DELIVERY kind=stopped-since -->
""",
            ]
        )
        assert await world.server.runs.list() == ()
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.FIXED


@pytest.mark.slow
async def test_one_run_at_a_time_in_a_thread_and_it_can_be_stopped(tmp_path: Path) -> None:
    """A second `/fix` points to the first; `/fix stop` ends it with a report."""
    async with open_world(tmp_path, attempts([bash("sleep 60")])) as world:
        await world.comment("/fix")
        assert world.model is not None
        await world.until(lambda: bool(world.model and world.model.requests))
        await world.comment("/fix")
        await world.comment("/fix status", by="wes")
        await world.comment("/fix stop", by="wes")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.STOPPED
        assert world.said()[0].startswith("**Stopped on request.** A person stopped the run.")
        assert world.said()[1:] == snapshot(
            [
                """\
A run is already active here: https://github.test/acme/app/issues/1#issuecomment-N

To start over, comment `/fix stop`, then `/fix retry`.

<!-- fixpoint:run=DELIVERY kind=running -->
""",
                """\
Run `RUN`:

- [x] Check out the commit
- [x] Set up the environment
- [x] Reproduce the failure: `sh check.sh` fails here every time
- [ ] Find a patch that passes: attempt 1 of 3, turn 1, \\$ sleep 60, `claude-sonnet-5-5` (since TIME UTC)
- [ ] Publish the result

N s of N s · N tokens · $0.N of $2.00

- mechanical: No tool in this project can automatically fix what `sh check.sh` reports.

<!-- fixpoint:run=DELIVERY kind=status -->
""",
                """\
Stopping. The report will appear in the run's comment as soon as the current command or model call finishes.

<!-- fixpoint:run=DELIVERY kind=stopping -->
""",
            ]
        )
