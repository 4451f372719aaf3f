"""Those who watch see a model's plan as it stands, and what each of several attempts does and costs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.model import Call, Request, Step
from tests.flows.world import CONFIG, FILES, FIX, WHY, World, open_world

ADMIN = "a-token-of-an-administrator"


def plan(first: str, second: str) -> Call:
    steps = [
        {"step": "Find the cause", "check": "grep names the line", "status": first},
        {"step": "Mend it", "check": "check.sh passes", "status": second},
    ]
    return Call("notes", {"plan": steps})


class Held:
    """A model that follows a plan, and waits for somebody to look at it before the third turn."""

    def __init__(self) -> None:
        self.reached, self.looked = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: Request) -> Step:
        if request.turn == 3 and not self.looked.is_set():
            self.reached.set()
            await self.looked.wait()
        turns: list[Step] = [
            plan("doing", "todo"),
            plan("done", "doing"),
            FIX,
            plan("done", "done"),
            WHY,
        ]
        return turns[min(request.turn, len(turns)) - 1]


async def page(world: World, run_id: str, path: str) -> str:
    """Return what the dashboard or the API shows of a run."""
    headers = {"Authorization": f"Bearer {ADMIN}"}
    async with (
        aiohttp.ClientSession(str(world.web.make_url("/")), headers=headers) as web,
        web.get(path.format(run_id)) as answer,
    ):
        return await answer.text()


@pytest.mark.slow
@pytest.mark.parametrize("candidates", [1, 2])
async def test_a_plan_is_shown_while_it_is_followed(tmp_path: Path, candidates: int) -> None:
    """In the comment and on the dashboard, with what was spent; the report keeps its steps."""
    config = f"{CONFIG}proposers: [agent]\ncandidates: {candidates}\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    model, environ = Held(), {"FIXPOINT_ADMIN_TOKEN": ADMIN}
    async with open_world(tmp_path, model, files=files, environ=environ) as world:
        await world.comment("/fix")
        await asyncio.wait_for(model.reached.wait(), 60)
        for _ in range(100):
            if "1 of 2 steps done" in (shown := world.said()[0]):
                break
            await asyncio.sleep(0.1)
        assert "<summary>Plan of attempt 1: 1 of 2 steps done</summary>" in shown
        assert "- [x] Find the cause. Check: grep names the line\n" in shown
        assert "- [ ] Mend it (in progress). Check: check.sh passes\n" in shown
        assert ("2 attempts at the same time" in shown) == (candidates > 1)
        assert "· $0 of $2.00" not in shown
        run = (await world.server.runs.list())[0]
        for number in range(1, candidates + 1):
            assert candidates == 1 or f"  - Attempt {number}: turn " in shown
        html = await page(world, run.id, "/runs/{}")
        assert "Plan: 1 of 2 steps done" in html
        assert "Check: check.sh passes" in html
        assert ("Attempt 2: turn 2" in html) == (candidates > 1)
        model.looked.set()
        await world.settled()
        [pull] = world.pulls()
        assert "a plan (2 of 2 steps done)" in (pull.body or "")
        assert "<summary>Plan of attempt 1: 2 of 2 steps done</summary>" in (pull.body or "")
        report = await page(world, run.id, "/api/v1/runs/{}/report")
        assert '"check": "grep names the line"' in report
        html = await page(world, run.id, "/runs/{}")
        assert "Plan: 2 of 2 steps done" in html
        assert "Attempt 2: turn 2" not in html
