"""Reviews of our pull requests that come while a run works on the pull request."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.model import Verdict
from bot.storage.runs import RunRecord
from tests.fakes.model import Request, Say, Step
from tests.flows.world import CONFIG, SETTLE_SECONDS, World, edit, open_world

FILES: dict[str, str | bytes] = {
    "app.txt": "right\n",
    "extra.txt": "wrong\n",
    "third.txt": "wrong\n",
    "check.sh": "for one in *.txt; do grep -qx right $one || { echo FAIL: $one; exit 1; }; done\n",
    ".github/fixpoint.yml": f"{CONFIG}proposers: [agent]\n",
}


class Held:
    """Mends both files, and holds the first answer back until it is told to go on."""

    def __init__(self) -> None:
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: Request) -> Step:
        self.asked.set()
        await self.go_on.wait()
        steps: list[Step] = [
            edit("wrong", "right", "extra.txt"),
            edit("wrong", "right", "third.txt"),
            Say("Both say right."),
        ]
        return steps[min(request.turn, len(steps)) - 1]


async def until_runs(world: World, number: int) -> tuple[RunRecord, ...]:
    """Return the runs once there are so many, and nothing is going on."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while len(await world.server.runs.list()) < number:  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.05)
    await world.settled()
    return await world.server.runs.list()


async def test_a_review_that_comes_during_a_run_is_worked_on_after_it(tmp_path: Path) -> None:
    """Its author is told so, and its thread is answered."""
    script = Held()
    async with open_world(tmp_path, script, files=FILES) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"more.txt": "right\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        first = ("", "changes_requested", ("extra.txt", "This is wrong too."))
        second = ("Say hello.", "changes_requested", ("more.txt", "This must say hello."))
        await world.deliver(world.github.review(pull, "wes", *first))
        async with asyncio.timeout(SETTLE_SECONDS):
            await script.asked.wait()
        await world.deliver(world.github.review(pull, "ada", *second))
        script.go_on.set()
        after, before = await until_runs(world, 2)
        assert (before.verdict, after.request.actor) == (Verdict.FIXED, "ada"), before.reason
        assert after.request.instructions.startswith("Say hello.")
        told = [text for text in world.said(pull) if "when it is over" in text]
        assert len(told) == 1
        assert told[0].startswith("A run is active here. Fixpoint takes up the review by `ada`")
        assert pull.pull is not None
        assert [len(thread.comments) for thread in pull.pull.threads] == [2, 2]
