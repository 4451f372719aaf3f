"""The agent with nothing in between: provider SDKs over HTTP, tools in a bubblewrap sandbox."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.llm.base import Model
from bot.llm.build import AnthropicAccess, OpenAIAccess, build_model
from bot.llm.prices import Price
from bot.model import (
    Cause,
    Commands,
    Failure,
    Limits,
    Observation,
    Patch,
    Problem,
    Proposal,
    Reproduction,
    Usage,
)
from bot.model.deadline import RunLimits, StopSign
from bot.model.mcp_servers import McpServer
from bot.model.money.budget import own_balance
from bot.model.money.reservations import Money, OwnReservations
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.model.tool_rules import ToolPermission, ToolRisk, ToolRules
from bot.repair.proposers.agent import AgentProposer, ModelReviewer
from bot.repair.proposers.base import Task
from bot.repair.workspace.workbench import SandboxWorkbench
from bot.reporting.reasons import agent
from sandbox.base import Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.git import ObjectStore
from tests.fakes.model import Answer, Call, ModelServer, Overloaded, Say, Script, Think, TooLong

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EDIT = "str_replace_based_edit_tool"
FAILING = "python3 -m unittest -q"
FILES = {
    ".gitignore": "__pycache__/\n",
    "shop/__init__.py": "",
    "shop/total.py": "def total(prices):\n    return sum(prices[1:])\n",
    "tests/__init__.py": "",
    "tests/test_total.py": (
        "import unittest\n\nfrom shop.total import total\n\n\n"
        "class Totals(unittest.TestCase):\n"
        "    def test_all_prices_count(self):\n"
        "        self.assertEqual(total([1, 3]), 4)\n"
    ),
}
FIX = Call(
    EDIT,
    {
        "command": "str_replace",
        "path": "/workspace/shop/total.py",
        "old_str": "prices[1:]",
        "new_str": "prices",
    },
)

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is missing")


@pytest.fixture
async def workbench(tmp_path: Path) -> AsyncIterator[SandboxWorkbench]:
    source = tmp_path / "source"
    for name, content in FILES.items():
        place = source / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    store = ObjectStore(tmp_path / "store.git")
    await store.create()
    provider = BubblewrapProvider(tmp_path / "sandboxes")

    async def opener(name: str) -> Sandbox:
        return await provider.open(SandboxSpec(name=name, source=source))

    workbench = SandboxWorkbench(
        "attempt-1",
        opener,
        store,
        await store.write_tree(source, base=EMPTY_TREE),
        run_limits=RunLimits(time.time() + 3600, StopSign()),
        listener=silent,
        command_seconds=600,
    )
    yield workbench
    await workbench.close()
    await provider.close()


def model_at(server: ModelServer, wire: Literal["anthropic", "openai"]) -> Model:
    key, price = SecretStr("invented"), Price(Decimal(1), Decimal(2), Decimal("0.1"), Decimal(1))
    if wire == "anthropic":
        model = build_model(AnthropicAccess(key, server.anthropic_url))
    else:
        model = build_model(
            OpenAIAccess("local-1", server.openai_url, key), prices={"local-1": price}
        )
    assert model is not None
    return model


def task() -> Task:
    failing = Observation(FAILING, 1, (Failure("test_all_prices_count", message="3 != 4"),))
    return Task(
        n=1,
        problem=Problem("Totals are too small", "`total([1, 3])` is 3."),
        commands=Commands((), FAILING, FAILING),
        reproduction=Reproduction(Cause.REAL, failing),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 3600,
    )


async def attempt(
    server: ModelServer,
    wire: Literal["anthropic", "openai"],
    workbench: SandboxWorkbench,
    work: Task | None = None,
) -> Proposal:
    model = model_at(server, wire)
    try:
        return await AgentProposer(model).propose(
            work or task(), workbench, workbench.remembering(PlainSteps()), silent, lambda _: None
        )
    finally:
        await model.close()


REPAIR: Script = (
    (Think("Where is it?"), Say("I look first."), Call("bash", {"command": "ls; cat shop/total.py"})),
    (
        Call(EDIT, {"command": "view", "path": "/workspace"}),
        Call("search_code", {"query": "total"}),
        Call("run_tests"),
    ),
    FIX,
    Answer((Think("I ponder"),), stop="max_tokens"),
    (Call("run_tests"), Call("bash", raw='{"command": tru'), Call("bash", {"command": "id -u"})),
    Say("The first price was left out. I sum all of them."),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("wire", ["anthropic", "openai"])
async def test_a_repair_over_each_wire(
    wire: Literal["anthropic", "openai"], workbench: SandboxWorkbench
) -> None:
    """Thinking, several calls in a turn, a cut answer and broken JSON: the repair comes out."""
    async with ModelServer(REPAIR) as server:
        proposal = await attempt(server, wire, workbench)
    assert server.breaches == []
    assert proposal.summary == "The first price was left out. I sum all of them."
    assert proposal.ended == ""
    assert proposal.patch.files == ("shop/total.py",)
    assert (proposal.patch.added, proposal.patch.removed) == (1, 1)
    assert proposal.usage.calls == 6
    assert proposal.usage.cost_usd
    *_, last = server.requests
    texts = [result.text for message in last.messages for result in message.results]
    assert "def total(prices)" in texts[0]
    assert (
        texts[1]
        == "shop/\nshop/__init__.py\nshop/total.py\ntests/\ntests/__init__.py\ntests/test_total.py"
    )
    assert texts[2].startswith("Defined (1):\nshop/total.py:1-2: def total(prices):\n\nUsed (")
    assert "3 != 4" in texts[3]
    assert texts[5].startswith(f"`{FAILING}` passed")
    assert "The arguments of bash are not a JSON object" in texts[6]
    if wire == "anthropic":
        assert proposal.usage.cache_read > proposal.usage.input


async def test_too_long_is_shortened_over_the_wire(workbench: SandboxWorkbench) -> None:
    """The provider's own refusal leads to a shorter conversation that it takes."""
    flood = [Call("bash", {"command": f"seq {number}000"}) for number in range(5, 11)]
    async with ModelServer([*flood, TooLong(), FIX, Say("Done.")]) as server:
        proposal = await attempt(server, "anthropic", workbench)
    assert server.breaches == []
    assert (proposal.summary, bool(proposal.patch)) == ("Done.", True)
    assert "older output dropped" in server.requests[-1].text


async def test_overload_is_sat_out(workbench: SandboxWorkbench) -> None:
    """A provider that is busy for a moment costs no attempt."""
    async with ModelServer([Overloaded(retry_after=0.01), FIX, Say("Done.")]) as server:
        proposal = await attempt(server, "anthropic", workbench)
    assert (proposal.ended, bool(proposal.patch)) == ("", True)


@pytest.mark.parametrize("wire", ["anthropic", "openai"])
async def test_the_judge_over_each_wire(wire: Literal["anthropic", "openai"]) -> None:
    """A fresh conversation without tools; its answer is read from the last line."""
    answer = Say('It is the same.\n{"shows_problem": true, "reason": "Both give 3 for 4."}')
    async with ModelServer([answer]) as server:
        model = model_at(server, wire)
        failing = replace(task().reproduction.observation or Observation("", 1), exit_code=1)
        review = await ModelReviewer(model).shows_problem(
            task().problem,
            failing,
            Patch(b"+    assert total([1, 3]) == 4\n", ("tests/a.py",)),
            None,
            Money(OwnReservations(), "judge", own_balance(Limits(), Usage())),
        )
        await model.close()
    assert server.breaches == []
    assert (review.shows, review.reason, review.usage.calls) == (True, "Both give 3 for 4.", 1)
    (asked,) = server.requests
    assert asked.tools == ()
    assert asked.system.splitlines()[0] == snapshot(
        "You judge whether failing tests show a reported problem, or a feature that is missing. You are given a report, the tests that somebody wrote for it, and how they fail on the current code."
    )


MCP = Path(__file__).parents[1] / "fakes" / "mcp_server.py"


async def test_tools_of_mcp_servers_are_used_where_the_operator_wants_them(
    tmp_path: Path, workbench: SandboxWorkbench
) -> None:
    """One in the sandbox, one on this machine, one at an address; what fails is answered."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, str(MCP), "0"), stdout=asyncio.subprocess.PIPE
    )
    assert program.stdout is not None
    port = int(await program.stdout.readline())
    await workbench.write_file("/workspace/server.py", MCP.read_bytes())
    await workbench.write_file("/workspace/port.txt", str(port).encode())
    token = (("TOKEN", SecretStr("t0ken")), ("TICKETS", SecretStr(str(tmp_path / "tickets.txt"))))
    sign = (("Authorization", SecretStr("Bearer t0ken")),)
    servers = (
        McpServer("here", ("python3", "server.py"), risk=ToolRisk.WRITE),
        McpServer("host", (sys.executable, str(MCP)), outside=True, environment=token),
        McpServer("web", url=f"http://127.0.0.1:{port}/mcp", headers=sign, risk=ToolRisk.NETWORK),
        McpServer("gone", url="http://127.0.0.1:9/mcp"),
    )
    rules = ToolRules(
        network=ToolPermission.ALLOW,
        dangerous=ToolPermission.ALLOW,
        named=(("mcp__web__die", ToolPermission.DENY),),
    )
    calls = [
        Call("mcp__here__add", {"a": 1, "b": 2}),
        Call("mcp__web__add", {"a": 3, "b": 4}),
        Call("mcp__here__surroundings"),
        Call("mcp__host__surroundings"),
        Call("mcp__host__close_ticket"),
        Call("mcp__here__die"),
        Call("mcp__host__die"),
        Call("mcp__web__die"),
        Call("mcp__here__add"),
    ]
    async with ModelServer([tuple(calls), Say("Done.")]) as server:
        work = replace(task(), mcp_servers=servers, tool_rules=rules)
        proposal = await attempt(server, "openai", workbench, work)
    program.terminate()
    await program.wait()
    told = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "tool"]
    assert told[:-1] == snapshot(
        [
            "3",
            "7",
            "no-secret-of-ours no-token reaches-nothing",
            "no-secret-of-ours its-token reaches-nothing",
            "It is closed.",
            "mcp__here__die: the server ended without an answer: the server dies.",
            "mcp__host__die: the server ended without an answer.",
            "This repository does not allow mcp__web__die (risk: network): nothing was done. Go on without it.",
        ]
    )
    assert told[-1].startswith("mcp__here__add: the server ended without an answer: Traceback")
    assert (tmp_path / "tickets.txt").read_text() == "closed\n"
    assert proposal.notes == (
        agent.mcp_unreachable("gone", "the server can't be reached: ClientConnectorError"),
        agent.tool_denied("mcp__web__die"),
    )
    offered = [tool["function"]["name"] for tool in server.requests[0].body["tools"]]
    assert [name for name in offered if "add" in name] == [
        "mcp__here__add",
        "mcp__host__add",
        "mcp__web__add",
    ]
    assert "mcp__web__die" not in offered
