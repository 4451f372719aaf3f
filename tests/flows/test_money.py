"""Stories of money: caps that hold over runs, and what people are told of them."""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal
from pathlib import Path

from inline_snapshot import snapshot

from bot.repair.model import Verdict
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
    open_world,
)


async def accounts(world: World) -> dict[str, tuple[bool, str]]:
    """Return of each account whether it was charged, and what is reserved."""
    run = await world.run()
    assert run.report is not None
    return {
        one.account.scope: (bool(one.spent.usd), str(one.reserved.usd))
        for one in run.report.balances
    }


async def test_every_account_is_charged(tmp_path: Path) -> None:
    """The report shows it, and so does `fixpoint budget`."""
    async with open_world(tmp_path, attempts(RIGHT)) as world:
        await world.comment("/fix")
        await world.settled()
        charged = dict.fromkeys(
            ["server", "installation", "repository", "thread", "run"], (True, "0")
        )
        assert await accounts(world) == charged
        [pull] = world.pulls()
        [shown] = re.findall(
            r"<summary>Budget</summary>(.*?)</details>", world.level(pull.body or ""), re.DOTALL
        )
        assert shown == snapshot("""\


| Account | Spent | Reserved | Left | Cap | Tokens | Sandbox |
| --- | --- | --- | --- | --- | --- | --- |
| run RUN | $0.N | $0 | $N.N | $2.00 | N | N s |
| `acme/app#1` | $0.N | $0 | $N.N | $20.00 | N | N s |
| acme/app on DAY | $0.N | $0 | $N.N | $50.00 | N | N s |
| installation ID on DAY | $0.N | $0 | $N.N | $100.00 | N | N s |
| this server on DAY | $0.N | $0 | $N.N | $200.00 | N | N s |

""")
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
        assert "budget of $0.10 for all runs on acme/app#1 no longer covers" in second.reason
        assert first.report is not None
        assert first.report.patch, "the best that there is, is shown"
        assert first.cost_usd is not None
        assert second.cost_usd is not None
        assert 0 < first.cost_usd + second.cost_usd <= Decimal("0.10")


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
This run could not start. This repository may start 1 runs an hour, and so many were started in the last one. Wait a while. Then comment `/fix retry`.

<!-- fixpoint:run=RUN kind=progress -->
""")
