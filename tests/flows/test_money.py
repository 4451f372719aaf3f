"""Stories of money: caps that hold over runs, and what people are told of them."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from bot.reporting.reasons import run_life
from bot.storage.runs import RunStatus
from tests.flows.command_line import Desk
from tests.flows.world import (
    CONFIG,
    FILES,
    FIX,
    RIGHT,
    WHY,
    World,
    attempts,
    bash,
    edit,
    entered,
    open_scene,
    open_world,
)


async def accounts(world: World) -> dict[str, tuple[bool, str]]:
    """Return of each account whether it was charged, and what is reserved."""
    run = await world.run()
    assert run.report is not None
    return {
        balance.account.scope: (bool(balance.spent.usd), str(balance.reserved.usd))
        for balance in run.report.balances
    }


@pytest.mark.exhaustive
async def test_every_account_is_charged(tmp_path: Path) -> None:
    """The report keeps it, and `fixpoint budget` shows it."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        await world.comment("/fix")
        await world.settled()
        charged = dict.fromkeys(
            ["server", "installation", "repository", "thread", "run"], (True, "0")
        )
        assert await accounts(world) == charged
        run, desk = await world.run(), Desk(tmp_path, tmp_path, settings_of(world), None)
        for name in ("acme/app#1", run.id):
            [account] = json.loads((await desk.run("budget", name, "--json")).out)["accounts"]
            assert Decimal(account["spent_usd"]) == run.cost_usd
        told = await desk.run("budget")
        assert (told.code, told.err) == (0, "")
        assert "installation" in told.out


def settings_of(world: World) -> dict[str, str]:
    """Return the environment of another process beside the server."""
    variables = world.variables(world.settings.fixpoint_data)
    return {**variables, "PATH": os.environ["PATH"]}


@pytest.mark.exhaustive
async def test_a_thread_that_cost_enough(tmp_path: Path) -> None:
    """All runs on it together stay below the cap, and each shows the best that it has."""
    environ = {"FIXPOINT_THREAD_USD": "0.10"}
    files = {**FILES, ".github/fixpoint.yml": f"{CONFIG}proposers: [agent]\n"}
    script = attempts([bash("ls"), edit("wrong", "worse")] * 30)
    async with open_world(tmp_path, script, files=files, environ=environ) as world:
        await world.comment("/fix")
        await world.settled()
        first = await world.run()
        await world.comment("/fix")
        await world.settled()
        second = await world.run()
        assert (first.verdict, second.verdict) == (Verdict.BUDGET_SPENT, Verdict.BUDGET_SPENT)
        assert world.model is not None
        assert "what is left of the budget for all runs on acme/app#1." in second.reason
        assert first.report is not None
        assert first.report.patch, "the best that there is, is shown"
        assert first.cost_usd is not None
        assert second.cost_usd is not None
        assert 0 < first.cost_usd + second.cost_usd <= Decimal("0.10")


@pytest.mark.slow
async def test_tokens_and_sandbox_time_are_capped(tmp_path: Path) -> None:
    """By the repo config, within what the server allows."""
    config = f"{CONFIG}proposers: [agent]\ncaps:\n  run_tokens: 6000\n"
    async with open_world(
        tmp_path, attempts(RIGHT), files={**FILES, ".github/fixpoint.yml": config}
    ) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.BUDGET_SPENT
        assert "the budget of 6,000 tokens no longer covers" in run.reason
        world.state.push(
            world.repository,
            "main",
            {
                ".github/fixpoint.yml": f"{CONFIG}caps: {{sandbox: 1}}\n",
                "check.sh": "sleep 2\nexit 1\n",
            },
        )
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.BUDGET_SPENT
        assert "sandbox time" in (await world.run()).reason


@pytest.mark.exhaustive
async def test_runs_have_a_pace(tmp_path: Path) -> None:
    """The run too many is told so, and the next hour has room again."""
    async with open_world(
        tmp_path, attempts([FIX, WHY]), environ={"FIXPOINT_RUNS_PER_HOUR": "1"}
    ) as world:
        await world.comment("/fix")
        await world.settled()
        await world.comment("/fix")
        await world.settled()
        assert (await world.run()).verdict is Verdict.REFUSED
        assert world.said()[-1] == snapshot("""\
This repository has reached its limit of 1 run per hour. Wait up to an hour, then comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""")


@pytest.mark.exhaustive
async def test_a_person_may_allow_as_much_again(tmp_path: Path) -> None:
    """A run that spent its budget is over; an approval, days later too, goes on from its attempts."""
    config = f"{CONFIG}proposers: [agent]\nbudget_usd: 0.08\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    script = attempts([bash(f"echo {n}") for n in range(60)], RIGHT)
    async with open_scene(tmp_path, script, files=files) as scene:
        async with entered(scene, tmp_path) as world:
            await world.comment("/fix")
            await world.settled()
            first = await world.run()
            assert (first.status, first.verdict) == (RunStatus.DONE, Verdict.BUDGET_SPENT)
            told = world.said()[0]
            assert told.startswith("**Not fixed: the budget is used up.** ")
            assert told.split("\n\n")[1:3] == snapshot(
                [
                    "**Next:** Look at `sh check.sh`: `FAILED checks.sh::app - app.txt says wrong`. To extend the budget and continue, comment `/fix approve ID`.",
                    "`/fix approve ID` extends the budget by $0.N, 3 attempts and N s, and continues from here. Extending the budget requires the role `maintain` or higher. The offer expires on DAY at TIME UTC.",
                ]
            )
        async with entered(scene, tmp_path) as world:
            await world.comment("/fix approve", by="wes")
            await world.settled()
            assert "requires the role `maintain`" in world.said()[-1]
            await world.comment("/fix retry", by="wes")
            await world.settled()
            assert world.said()[-1] == snapshot("""\
The last run here used up its budget. Extending the budget requires the role `maintain` or higher in this repository: `/fix approve` continues that run until the offer expires, `/fix retry` starts over.

<!-- fixpoint:run=DELIVERY kind=spent -->
""")
            await world.comment("/fix approve")
            await world.until_started(2)
            await world.settled()
            second = await world.run()
            assert second.verdict is Verdict.FIXED
            assert second.request.continues == first.id
            [pull] = world.pulls()
            assert run_life.budget_extended("ada", first.id) in (pull.body or "")
            assert second.report is not None
            assert [attempt.accepted for attempt in second.report.attempts] == [False, True]
            await world.comment("/fix approve")
            await world.settled()
            assert "Nothing is waiting for approval here." in world.said()[-1]
