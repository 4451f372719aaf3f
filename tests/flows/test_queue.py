"""More is asked for than there are places: who waits is told so, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.storage.runs import RunStatus
from tests.fakes.github import Issue
from tests.flows.held_script import HeldScript
from tests.flows.world import CONFIG, FILES, FIX, WHY, World, open_world

TOKEN = "t" * 40
ONE = {"FIXPOINT_CONCURRENCY": "1", "FIXPOINT_ADMIN_TOKEN": TOKEN}


def another(world: World) -> Issue:
    """Open one more issue about the same."""
    return world.state.open_issue(world.repository, "rea", "Still wrong", "It should say right.")


async def until_told(world: World, issue: Issue, words: str) -> None:
    """Wait until our only comment on an issue says so."""
    await world.until(lambda: any(words in text for text in world.said(issue)))


async def places(world: World) -> dict[int, int]:
    """Return what the API says of runs in the queue, by the numbers of their issues.

    What such a run has not left yet is a conflict: the run itself is there.
    """
    key = {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession(world.web.make_url("/"), headers=key) as session:
        async with session.get("/api/v1/runs?status=queued") as answer:
            runs = (await answer.json())["runs"]
        for what in ("report", "patch"):
            async with session.get(f"/api/v1/runs/{runs[0]['id']}/{what}") as answer:
                assert answer.status == 409
                assert (await answer.json())["detail"].endswith(f"has no {what} yet.")
    return {run["number"]: run["queue_place"] for run in runs}


@pytest.mark.slow
async def test_who_waits_is_told_so_and_may_leave(tmp_path: Path) -> None:
    """One comment shows the position and then the end; no work is done for who left the queue."""
    script = HeldScript([FIX, WHY])
    script.hold(1)
    async with open_world(tmp_path, script, environ=ONE) as world:
        await world.comment("/fix")
        await script.reached(1)
        second, third = another(world), another(world)
        await world.comment("/fix", issue=second)
        await until_told(world, second, "Queued")
        await world.comment("/fix", issue=third)
        await until_told(world, third, "Queued")
        assert world.said(third) == snapshot(
            [
                """\
Queued. 1 run will start before this one. Progress will appear in this comment. To leave the queue, comment `/fix stop`.

<!-- fixpoint:run=RUN kind=progress -->
"""
            ]
        )
        assert await places(world) == {2: 1, 3: 2}
        await world.comment("/fix stop", issue=second)
        await until_told(world, second, "Stopped while")
        await until_told(world, third, "This run is next")
        assert script.asked.total() == 1
        script.let_go(1)
        await world.settled()
        assert world.said(second) == snapshot(
            [
                """\
Stopped while it was in the queue. Nothing was changed.

<!-- fixpoint:run=RUN kind=progress -->
""",
                """\
Stopping. The report will appear in the run's comment as soon as the current command or model call finishes.

<!-- fixpoint:run=DELIVERY kind=stopping -->
""",
            ]
        )
        [last] = world.said(third)  # the first run's pull request makes the same change
        assert "is open and already fixes this failure" in last
        stopped = [run for run in await world.server.runs.list() if run.request.number == 2]
        assert [(run.status, run.verdict) for run in stopped] == [(RunStatus.DONE, Verdict.STOPPED)]


@pytest.mark.exhaustive
async def test_failed_checks_are_put_off_while_the_queue_is_full(tmp_path: Path) -> None:
    """They say so, and start by themselves once it is shorter; people are queued all the same."""
    script = HeldScript([FIX, WHY])
    script.hold(1)
    environ = ONE | {"FIXPOINT_QUEUE_LIMIT": "1"}
    files = {
        **FILES,
        ".github/fixpoint.yml": f"{CONFIG}checks: {{settle: 0, auto: default-branch}}\n",
    }
    async with open_world(tmp_path, script, files=files, environ=environ) as world:
        await world.comment("/fix")
        await script.reached(1)
        second = another(world)
        await world.comment("/fix", issue=second)
        await until_told(world, second, "Queued")
        await world.check_ends("test")
        await world.until_said("The queue is full")
        assert [world.shown(check) for check in world.our_checks()] == snapshot(
            [
                """\
Fixpoint: neutral: No run started [Fix this] [What changed?]

Fixpoint did not start a run automatically. The queue is full. A run will start by itself once it is shorter.

- `test`: failure

Press *Fix this* to start one now, or *What changed?* to learn since which commit or release it fails.\
"""
            ]
        )
        assert len(await world.server.runs.list()) == 2
        await world.comment("/fix stop", issue=second)
        await world.until_started(3)
        assert list((await places(world)).values()) == [1]
