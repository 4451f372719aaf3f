"""What every provider's answers promise, over HTTP and through its own SDK."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import AsyncIterator
from decimal import Decimal
from itertools import pairwise

import pytest

from bot.llm.base import (
    Ask,
    Message,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
)
from bot.llm.prices import known_prices
from bot.llm.reply import UNREADABLE_INPUT
from bot.model.route import ModelStrength
from tests.contract.providers import (
    Make,
    answered,
    anthropic,
    ask,
    conversation,
    making,
    openai,
)
from tests.fakes.model import (
    Answer,
    Call,
    Counts,
    ModelServer,
    Request,
    Say,
    Step,
    Think,
    by_turn,
)


@pytest.fixture(params=[anthropic, openai])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Each provider in turn."""
    async with making(request.param) as make:
        yield make


async def test_text_comes_back_with_its_price(make: Make) -> None:
    """The plainest answer: text, stop reason, model, tokens, cost."""
    counts = Counts(input=1_000, output=200, cache_read=5_000)
    turn, _ = await ask(make, [Answer((Say("Done."),), counts=counts)])
    assert turn.text == "Done."
    assert turn.stop is StopReason.END
    assert (turn.usage.input, turn.usage.output, turn.usage.cache_read) == (1_000, 200, 5_000)
    price = known_prices().price(turn.model)
    assert price is not None
    expected = (1_000 * price.input + 200 * price.output + 5_000 * price.cache_read) / 1_000_000
    assert turn.usage.cost_usd == expected
    assert turn.notes == ()


async def test_long_text_is_put_together(make: Make) -> None:
    """Deltas join without loss, whatever characters they are cut between."""
    text = "é ✓ 🚀 unicode\n\n" * 500
    turn, _ = await ask(make, [Say(text)])
    assert turn.text == text


async def test_several_calls_come_in_order(make: Make) -> None:
    """Inputs longer than a delta, and a tool without any input."""
    command = "echo '\\n' " + "x" * 2_000
    turn, _ = await ask(
        make, [(Say("I look."), Call("bash", {"command": command}), Call("run_tests"))]
    )
    assert turn.stop is StopReason.TOOL_CALLS
    assert [(call.name, call.input) for call in turn.tool_calls] == [
        ("bash", {"command": command}),
        ("run_tests", {}),
    ]
    assert len({call.id for call in turn.tool_calls}) == 2


async def test_a_whole_conversation_keeps_the_rules(make: Make) -> None:
    """The server checks each request as the real API does: results, ids, signed thinking."""

    def script(request: Request) -> Step:
        if request.turn > 5:
            return Say("Fixed.")
        return (Think(f"Turn {request.turn}."), Say("Next."), Call("bash", {"command": "ls"}))

    async with ModelServer(script) as server:
        model, talk = make(server), conversation()
        while (turn := await model.respond(talk, Ask())).tool_calls:
            talk = answered(talk, turn, "src\ntests")
    assert turn.text == "Fixed."
    assert server.breaches == []
    assert [request.turn for request in server.requests] == [1, 2, 3, 4, 5, 6]
    assert server.requests[-1].results[0].text == "src\ntests"


async def test_each_turn_reads_the_prefix_from_the_cache(make: Make) -> None:
    """Only what is new is paid at the full price or written; the bytes before it are the same."""
    async with ModelServer(by_turn(*[Call("bash", {"command": "ls"})] * 4, Say("Done."))) as server:
        model, talk, usages = make(server), conversation(text="Fix it. " * 200), []
        while (turn := await model.respond(talk, Ask())).tool_calls:
            usages.append(turn.usage)
            talk = answered(talk, turn, "output " * 100)
    assert usages[0].cache_read == 0
    for before, after in pairwise(usages):
        assert after.cache_read == before.cache_read + before.cache_write + before.input
    prefixes = [json.dumps(request.body["messages"])[:-1] for request in server.requests]
    for before_text, after_text in pairwise(prefixes):
        assert after_text.startswith(before_text)


async def test_the_strength_and_the_repo_config_choose_the_model(make: Make) -> None:
    """Default, stronger, and an exact name before both."""
    script = by_turn(Say("."))
    default, _ = await ask(make, script, Ask())
    stronger, _ = await ask(make, script, Ask(strength=ModelStrength.STRONGER))
    exact, _ = await ask(make, script, Ask(strength=ModelStrength.STRONGER, model="claude-opus-5"))
    assert default.model in {"claude-sonnet-5-5", "gpt-4.1"}
    assert stronger.model in {"claude-opus-5-5", "gpt-5"}
    assert exact.model == "claude-opus-5"


async def test_effort_and_length_are_passed_on(make: Make) -> None:
    """As the run's configuration says."""
    _, server = await ask(make, [Say(".")], Ask(effort="low", max_tokens=123))
    assert (server.requests[0].effort, server.requests[0].max_tokens) == ("low", 123)


async def test_an_answer_at_its_limit_does_not_execute_half_a_call(make: Make) -> None:
    """Complete calls before it stay; the cut one is dropped."""
    parts = (Call("bash", {"command": "ls"}), Call("bash", raw='{"command": "rm -rf bu'))
    turn, _ = await ask(make, [Answer(parts, stop="max_tokens")])
    assert turn.stop is StopReason.MAX_TOKENS
    assert [call.input for call in turn.tool_calls] == [{"command": "ls"}]


async def test_an_answer_at_its_limit_before_any_input_has_no_call(make: Make) -> None:
    """An input that had not begun is not an empty one."""
    turn, _ = await ask(make, [Answer((Call("run_tests", raw=""),), stop="max_tokens")])
    assert turn.tool_calls == ()


@pytest.mark.parametrize("raw", ['{"command": ', '["ls"]', "ls"])
async def test_unreadable_input_goes_back_to_the_model(make: Make, raw: str) -> None:
    """The tool misses its keys and says so; the conversation goes on by the rules."""
    async with ModelServer([Call("bash", raw=raw), Say("Sorry.")]) as server:
        model, talk = make(server), conversation()
        turn = await model.respond(talk, Ask())
        assert turn.tool_calls[0].input == {UNREADABLE_INPUT: raw}
        await model.respond(answered(talk, turn, "no command given"), Ask())
    assert server.breaches == []


async def test_a_refusal_is_no_end(make: Make) -> None:
    """And whatever it was about to call is not called."""
    turn, _ = await ask(
        make, [Answer((Say("No."), Call("bash", {"command": "ls"})), stop="refusal")]
    )
    assert turn.stop is StopReason.REFUSAL
    assert turn.tool_calls == ()


async def test_blank_text_and_broken_unicode_are_not_refused(make: Make) -> None:
    """What a tool or a person sent may be empty or hold half a character."""
    turn_before = Message(
        "assistant", (Text("  \n"), ToolCall("call:1.x", "bash", {"command": "a"}))
    )
    results = Message("user", (ToolResult("call:1.x", "\udce9 \x00 ok"),))
    async with ModelServer([Say("Done.")]) as server:
        model = make(server)
        turn = await model.respond(conversation(turn_before, results), Ask())
    assert turn.text == "Done."
    assert server.breaches == []


async def test_another_providers_thinking_is_left_out(make: Make) -> None:
    """Signed blocks mean nothing to anybody else."""
    foreign = Opaque("elsewhere/model-1", {"type": "thinking", "thinking": "x", "signature": "y"})
    before = Message("assistant", (foreign, Text("I see.")))
    only = Message("assistant", (foreign,))
    again = Message("user", (Text("Go on."),))
    async with ModelServer([Say("Done.")]) as server:
        model = make(server)
        await model.respond(conversation(before, again, only, again), Ask())
    assert server.breaches == []
    assert "signature" not in json.dumps(server.requests[0].body)


async def test_the_worst_case_covers_the_answer(make: Make) -> None:
    """Nothing cached, the longest answer; unknown for a model without a price."""
    async with ModelServer([Answer((Say("Done."),))]) as server:
        model, question = make(server), Ask(max_tokens=5)
        worst = model.worst_case(conversation(), question)
        turn = await model.respond(conversation(), question)
        assert worst.usd is not None
        assert turn.usage.cost_usd is not None
        assert Decimal(0) < turn.usage.cost_usd <= worst.usd
        assert turn.usage.tokens <= worst.tokens
        assert model.worst_case(conversation(), Ask(model="unheard-of")).usd is None


async def test_an_unknown_model_costs_an_unknown_amount(make: Make) -> None:
    """Its tokens are counted all the same."""
    turn, _ = await ask(make, [Say("Done.")], Ask(model="unheard-of"))
    assert turn.usage.cost_usd is None
    assert turn.usage.tokens > 0


async def test_several_conversations_share_one_model(make: Make) -> None:
    """From the first question on, whoever comes first."""
    async with ModelServer(lambda request: Say(f"About {request.first}")) as server:
        model = make(server)
        turns = await asyncio.gather(
            *(model.respond(conversation(text=str(n)), Ask()) for n in range(8))
        )
    assert [turn.text for turn in turns] == [f"About {n}" for n in range(8)]


async def test_turns_share_a_connection(make: Make) -> None:
    """A new one for each turn would cost a handshake, and with TLS several round trips."""
    async with ModelServer(lambda _: Say("Done.")) as server:
        model = make(server)
        for n in range(4):
            await model.respond(conversation(text=str(n)), Ask())
    assert len(server.connections) == 1


async def test_thoughts_can_be_read(make: Make) -> None:
    """By people who watch, apart from what the model says; without any there are none."""
    turn, _ = await ask(make, [(Think("Hm. Perhaps."), Say("I look."), Call("bash"))])
    assert (turn.thought, turn.text) == ("Hm. Perhaps.", "I look.")
    silent, _ = await ask(make, [Say("Done.")])
    assert silent.thought == ""


async def test_a_turn_pickles(make: Make) -> None:
    """A durable run keeps it."""
    turn, _ = await ask(make, [(Think("Hm."), Say("I look."), Call("bash", {"command": "ls"}))])
    assert pickle.loads(pickle.dumps(turn)) == turn
