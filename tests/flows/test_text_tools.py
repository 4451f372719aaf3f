"""Attempts of models without tool calling, over HTTP: they write their calls, each in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.model import Proposal
from bot.model.tool_calls import ToolCalls
from tests.contract.providers import anthropic, closing, openai
from tests.fakes.model import Call, ModelServer, Say, by_turn
from tests.flows.agent_world import world


async def written(folder: Path, *turns: str) -> tuple[Proposal, Sequence[str]]:
    """Return what an attempt leaves whose model writes these turns, and what it was told."""
    script = by_turn(*map(Say, turns))
    async with ModelServer(script) as server:
        async with closing(openai(server, tool_calls=ToolCalls.TEXT)) as model:
            proposal = await world(folder).attempt(model)
        return proposal, [
            message.text for message in server.requests[-1].messages if message.role == "user"
        ]


async def test_a_repair_in_four_dialects(tmp_path: Path) -> None:
    """Of line breaks that are not escaped, another key, Hermes' tags and a block of JSON."""
    proposal, told = await written(
        tmp_path,
        'I look.\n```tool_call\n{"name": "bash", "input": {"command": "cat <<EOF\none\nEOF\ncat app.txt"}}\n```',
        '```tool_call\n{"name": "bash", "arguments": {"command": "cat check.sh"}}\n```',
        '<tool_call>\n{"name": "bash", "arguments": {"command": "sed -i s/wrong/right/ app.txt"}}\n</tool_call>',
        '```json\n{"name": "run_tests", "parameters": {}}\n```',
        "Done.",
    )
    assert (proposal.summary, proposal.patch.files) == ("Done.", ("app.txt",))
    assert "one\nwrong\n(exit code 0)" in told[1]
    assert "grep -qx right" in told[2]
    assert "passed" in told[4]


async def test_a_block_that_cannot_be_read_is_answered_with_what_to_write(tmp_path: Path) -> None:
    """Where it breaks and what a call looks like, whole; the attempt goes on."""
    proposal, told = await written(
        tmp_path,
        '```tool_call\n{"name": "bash", "input": {"command": "echo "hi""}}\n```',
        "<tool_call>\nsed -i s/wrong/right/ app.txt\n</tool_call>",
        '<function=bash>{"command": "sed -i s/wrong/right/ app.txt"}</function>',
        "Done.",
    )
    assert "The arguments of bash are not a JSON object: Expecting ',' delimiter" in told[1]
    whole = '```tool_call\n{"name": "bash", "input": {"command": "git status --short"}}\n```'
    assert whole in told[1]
    assert "This block names no tool, so nothing was done." in told[2]
    assert whole in told[2]
    assert proposal.patch.files == ("app.txt",)


async def test_ids_that_a_server_gives_twice_are_told_apart(tmp_path: Path) -> None:
    """One that counts in each turn anew; the provider that goes on may refuse such a conversation."""
    fix = {"command": "sed -i s/wrong/right/ app.txt"}
    script = by_turn(
        [
            Call("bash", {"command": "cat app.txt"}, "call_0"),
            Call("bash", {"command": "ls"}, "call_1"),
        ],
        [
            Call("bash", fix, "call_0"),
            Call("read_files", {"paths": ["app.txt", "check.sh"]}, "call_1"),
        ],
        Say("Done."),
    )
    async with ModelServer(script) as server, closing(anthropic(server)) as model:
        proposal = await world(tmp_path).attempt(model)
    assert (proposal.summary, proposal.patch.files) == ("Done.", ("app.txt",))
    assert not server.breaches
    ids = [result.call_id for message in server.requests[-1].messages for result in message.results]
    assert ids == ["call_0", "call_1", "call_0_2", "call_1_2", "call_1_2_2"]
