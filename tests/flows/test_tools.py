"""Stories of what a model's tools may do: by the repository's rules, and with a person's yes."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.llm.base import ToolCall
from bot.model import Verdict
from bot.model.mcp_servers import McpServer
from bot.model.tool_rules import ToolPermission, ToolRules
from bot.reporting.reasons import agent
from bot.server.serve import open_server
from bot.settings.environment import load_server_settings
from bot.storage.approvals import ApprovalStore
from bot.storage.runs import RunStatus
from tests.fakes.model import Step
from tests.flows.agent_world import FILES as WRONG
from tests.flows.agent_world import JournaledSteps, Killed, ScriptedModel, says, world
from tests.flows.agent_world import bash as bash_call
from tests.flows.agent_world import edit as edit_call
from tests.flows.test_approval import ended, world_of
from tests.flows.world import (
    CONFIG,
    FILES,
    FIX,
    LOOK_SECONDS,
    SETTLE_SECONDS,
    WHY,
    World,
    attempts,
    bash,
    open_scene,
    open_world,
    served,
)

MCP = Path(__file__).parents[1] / "fakes" / "mcp_server.py"

ASKS: list[Step] = [bash("cat app.txt"), bash("ls"), FIX, WHY]
FILES_THAT_ASK: dict[str, str | bytes] = {
    **FILES,
    "shop.py": "def total():\n    return 1\n",
    ".github/fixpoint.yml": f"{CONFIG}tools:\n  named:\n    bash: ask\n",
}


@pytest.mark.slow
async def test_a_tool_waits_for_a_person_and_the_conversation_goes_on(tmp_path: Path) -> None:
    """The question is stored: a restarted server waits for the same answer, and asks no model twice."""
    async with open_scene(tmp_path, attempts(ASKS), files=FILES_THAT_ASK) as scene:
        assert scene.model is not None
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        async with open_server(settings) as server, served(server) as web:
            story = world_of(scene, server, web, settings)
            await story.comment("/fix")
            await waiting(story)
            assert len(scene.model.requests) == 1
            assert "shop.py:\n  1-2 def total():" in scene.model.requests[0].first
        async with open_server(settings) as server, served(server) as web:
            story = world_of(scene, server, web, settings)
            await waiting(story)
            assert story.said()[1:] == snapshot(
                [
                    """\
**The agent asks to use `bash`** (risk: write):

```
$ cat app.txt
```

`/fix approve ID` allows this tool for the rest of the run; `/fix reject ID` ends the run. Approving requires the role `maintain` or higher. Without an answer, the run continues without the tool on DAY at TIME UTC.

<!-- fixpoint:run=RUN kind=tool-bash -->
"""
                ]
            )
            await story.comment("/fix approve", by="wes")
            assert (await story.run()).status is RunStatus.WAITING
            await story.comment("/fix approve")
            run = await ended(story)
            assert run.verdict is Verdict.FIXED
            assert run.report is not None
            assert agent.tool_approved("bash", "ada") in run.report.notes
            assert story.repaired() == "right\n"
            assert len(scene.model.requests) == len(ASKS)
            assert sum("asks to use" in text for text in story.said()) == 1


@pytest.mark.exhaustive
async def test_two_people_who_allow_a_tool_at_once_are_one(tmp_path: Path) -> None:
    """The second answer comes before the run has heard the first, and is to no question."""
    async with open_world(tmp_path, attempts(ASKS), files=FILES_THAT_ASK) as story:
        await story.comment("/fix")
        await waiting(story)
        story.state.advance(1)
        answers = [story.github.comment(story.issue, "ada", "/fix approve") for _ in range(3)]
        for event in answers:
            await story.deliver(event)
        run = await ended(story)
        assert run.verdict is Verdict.FIXED, run.reason
        assert story.repaired() == "right\n"


@pytest.mark.exhaustive
async def test_a_follow_up_of_a_review_waits_and_goes_on(tmp_path: Path) -> None:
    """The question stands in the pull request, and the answer there continues the run."""
    async with open_world(tmp_path, attempts(ASKS), files=FILES_THAT_ASK) as story:
        story.state.push(story.repository, "fixpoint/1-x", {"more.txt": "x\n"})
        pull = story.state.open_pull_request(
            story.repository, story.state.app.bot, "Say right", head="fixpoint/1-x"
        )
        remark = ("changes_requested", ("more.txt", "This is not enough."))
        await story.deliver(story.github.review(pull, "wes", "", *remark))
        await waiting(story)
        await story.comment("/fix approve", issue=pull)
        run = await ended(story)
        assert run.verdict is Verdict.FIXED, run.reason
        assert run.report is not None
        assert agent.tool_approved("bash", "ada") in run.report.notes
        assert any("asks to use" in text for text in story.said(pull))
        assert story.file("app.txt", "fixpoint/1-x") == "right\n"


@pytest.mark.exhaustive
async def test_a_person_who_rejects_a_tool_ends_the_run(tmp_path: Path) -> None:
    """As `/fix reject` does to all that waits."""
    async with open_scene(tmp_path, attempts(ASKS), files=FILES_THAT_ASK) as scene:
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        async with open_server(settings) as server, served(server) as web:
            story = world_of(scene, server, web, settings)
            await story.comment("/fix")
            await waiting(story)
            await story.comment("/fix reject")
            assert (await ended(story)).verdict is Verdict.STOPPED


async def test_what_is_not_allowed_is_answered(tmp_path: Path) -> None:
    """A tool that the repository denies, or that nobody can be asked about, is not used."""
    rules = ToolRules(
        write=ToolPermission.ASK, named=(("str_replace_based_edit_tool", ToolPermission.DENY),)
    )
    story = world(tmp_path, tool_rules=rules)
    model = ScriptedModel(
        says(bash_call("ls"), edit_call("view", "app.txt")), says("I may do nothing.")
    )
    assert not (await story.attempt(model)).patch
    assert [(result.is_error, result.text) for result in model.results] == snapshot(
        [
            (
                True,
                "bash needs a person's approval, and nobody can be asked here: nothing was done. Go on without it.",
            ),
            (
                True,
                "This repository does not allow str_replace_based_edit_tool (risk: read): nothing was done. Go on without it.",
            ),
        ]
    )
    assert story.workbench.did == []


@pytest.mark.parametrize(
    ("rules", "there"),
    [
        (
            ToolRules(),
            "bash, str_replace_based_edit_tool, run_tests, search_code, notes, try_edits",
        ),
        (
            ToolRules(try_edits=False),
            "bash, str_replace_based_edit_tool, run_tests, search_code, notes",
        ),
        (
            ToolRules(
                try_edits=False,
                named=(("search_code", ToolPermission.DENY), ("notes", ToolPermission.DENY)),
            ),
            "bash, str_replace_based_edit_tool, run_tests",
        ),
        (
            ToolRules(write=ToolPermission.DENY),
            "str_replace_based_edit_tool, search_code, notes",
        ),
        (
            ToolRules(read=ToolPermission.DENY),
            "bash, str_replace_based_edit_tool, run_tests, try_edits",
        ),
    ],
)
async def test_what_is_switched_off_is_neither_offered_nor_named_nor_done(
    rules: ToolRules, there: str, tmp_path: Path
) -> None:
    """An answer to an unknown tool lists those that the model was offered."""
    story = world(tmp_path, {**WRONG, "a.py": "x = 1\n"}, tool_rules=rules)
    fields = {"path": "a.py", "old_str": "1", "template": "{{n}}", "holes": {"n": ["2"]}}
    tried = ToolCall("", "try_edits", fields)
    model = ScriptedModel(says(ToolCall("", "decompile", {}), tried), says("Done."))
    await story.attempt(model)
    assert ", ".join(tool.name for tool in model.asked[0][0].tools) == there
    unknown, trial = model.results
    assert unknown.text == f"There is no tool decompile. The tools are {there}."
    if "try_edits" not in there:
        refused = (
            "This repository does not allow try_edits (risk: write)",
            "There is no tool try_edits.",
        )
        assert trial.text.startswith(refused)


async def test_the_tools_of_servers_are_named_too(tmp_path: Path) -> None:
    """Where a model misspells one, it reads what it is called."""
    rules = ToolRules(dangerous=ToolPermission.ALLOW)
    server = tickets_server(tmp_path / "tickets.txt")
    story = world(tmp_path, tool_rules=rules, mcp_servers=(server,))
    model = ScriptedModel(says(ToolCall("", "mcp__host__close", {})), says("Done."))
    await story.attempt(model)
    assert model.results[0].is_error
    assert ", mcp__host__close_ticket" in model.results[0].text


async def waiting(story: World) -> None:
    """Wait until the run waits for a person."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while not await is_waiting(story):  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(LOOK_SECONDS)


async def is_waiting(story: World) -> bool:
    """Whether a question stands in the thread: what is said before that answers none."""
    youngest = await story.server.runs.list(1)
    if not youngest or youngest[0].status is not RunStatus.WAITING:
        return False
    asked = await ApprovalStore(story.server.database).open_of(youngest[0].id)
    return bool(asked) and all(question.posted_at is not None for question in asked)


def tickets_server(tickets: Path) -> McpServer:
    """Return a server that notes in a file what it is asked to close."""
    environment = (("TICKETS", SecretStr(str(tickets))),)
    return McpServer("host", (sys.executable, str(MCP)), outside=True, environment=environment)


@pytest.mark.parametrize("offered", [True, False])
async def test_a_repository_can_do_without_the_tools_of_servers(
    tmp_path: Path, *, offered: bool
) -> None:
    """With `tools: {mcp: false}` no server is started, and the model is told of none."""
    tickets = tmp_path / "tickets.txt"
    rules = ToolRules(dangerous=ToolPermission.ALLOW, mcp=offered)
    story = world(tmp_path / "tree", mcp_servers=(tickets_server(tickets),), tool_rules=rules)
    model = ScriptedModel(says(ToolCall("", "mcp__host__close_ticket", {})), says("Done."))
    proposal = await story.attempt(model)
    named = {tool.name for tool in model.asked[0][0].tools}
    assert ("mcp__host__close_ticket" in named) == offered
    assert tickets.exists() == offered
    assert model.results[0].is_error == (not offered)
    assert proposal.used == ("1 tool call (1 `mcp__host__close_ticket`)",)


async def test_what_changes_something_outside_is_not_done_twice(tmp_path: Path) -> None:
    """A server that dies during such a call tells the model so; its calls before are kept."""
    tickets = tmp_path / "tickets.txt"
    server = tickets_server(tickets)
    story = world(
        tmp_path / "tree",
        mcp_servers=(server,),
        tool_rules=ToolRules(dangerous=ToolPermission.ALLOW),
    )
    close = ToolCall("", "mcp__host__close_ticket", {})
    model = ScriptedModel(says(close), says(close), says("Done."))
    journal: list[tuple[str, object]] = []
    with pytest.raises(Killed):
        await story.attempt(model, steps=JournaledSteps(journal, 6))
    names = [name for name, _ in journal]
    assert names[-1] == "attempt 1: turn 2.1: begin", names
    journal[-1] = (names[-1], "an earlier process")
    await story.attempt(model, steps=JournaledSteps(journal, 100))
    assert [result.text for result in model.results] == snapshot(
        [
            "It is closed.",
            "mcp__host__close_ticket: the server was restarted during this call: it may or may not have been done.",
        ]
    )
    assert tickets.read_text() == "closed\nclosed\n"
