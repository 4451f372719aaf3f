"""What only one provider has to get right."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from bot.errors import (
    ProviderRefused,
)
from bot.llm.base import Ask, Conversation, Message, Text, ToolCall, ToolResult
from bot.llm.build import OpenAIAccess, build_model
from bot.llm.retries import ProviderRetries
from bot.model.tool_calls import ToolCalls
from tests.contract.providers import (
    BASH,
    RUN_TESTS,
    answered,
    anthropic,
    ask,
    closing,
    conversation,
    failure,
    openai,
)
from tests.fakes.model import (
    Answer,
    Call,
    ModelServer,
    Rejected,
    Request,
    Say,
    Step,
    Think,
    by_turn,
)


async def test_anthropic_thinks_adaptively_where_the_model_can() -> None:
    """Models before 4.6 refuse the parameter, and effort with it."""
    for model, adaptive in (
        ("claude-opus-5-5", True),
        ("claude-sonnet-4-6", True),
        ("claude-haiku-4-5-20251001", False),
        ("claude-3-5-haiku-latest", False),
        ("claude-sonnet-4-20250514", False),
    ):
        _, server = await ask(anthropic, [Say(".")], Ask(model=model, effort="high"))
        body = server.requests[0].body
        assert ("thinking" in body, "output_config" in body) == (adaptive, adaptive)


async def test_anthropic_clears_old_results_of_tools_by_itself() -> None:
    """Where the model can, and the server knows how: a gateway that refuses is asked without it."""
    long = replace(conversation(), clear_beyond=90_000, never_cleared=("notes",))
    async with ModelServer([Say("."), Rejected("context_management: Extra inputs are not permitted"),
                            Say("."), Say(".")]) as server:  # fmt: skip
        model = anthropic(server)
        assert (await model.respond(long, Ask())).cleared == 0
        assert (await model.respond(long, Ask())).text == "."
        await model.respond(long, Ask())
        await model.close()
    assert ["context_management" in request.body for request in server.requests] == [
        True,
        True,
        False,
        False,
    ]
    [edit] = server.requests[0].body["context_management"]["edits"]
    assert edit["trigger"] == {"type": "input_tokens", "value": 90_000}
    assert edit["exclude_tools"] == ["notes"]
    _, plain = await ask(anthropic, [Say(".")], Ask(model="claude-3-5-haiku-latest"))
    assert "context_management" not in plain.requests[0].body


@pytest.mark.parametrize(
    "refusal",
    [
        "tools.0: Input tag 'bash_20250124' found using 'type' does not match any expected tags",
        "Unsupported tool type",
        "tools.0.custom.input_schema: Field required",
        "Invalid 'tools[0].function': missing",
    ],
)
async def test_a_gateway_that_knows_only_functions_gets_them(refusal: str) -> None:
    """From the first refusal on, for that model: its calls are the same."""

    def gateway(request: Request) -> Step:
        types = [tool.get("type", "custom") for tool in request.body["tools"]]
        return Rejected(refusal) if set(types) != {"custom"} else Call("bash", {"command": "ls"})

    async with ModelServer(gateway) as server, closing(anthropic(server)) as model:
        for _ in range(2):
            turn = await model.respond(conversation(), Ask())
            assert [call.name for call in turn.tool_calls] == ["bash"]
        await model.respond(conversation(), Ask(model="claude-opus-5-5"))
    asked = [
        (item.body["model"], "input_schema" in item.body["tools"][0]) for item in server.requests
    ]
    sonnet, opus = "claude-sonnet-5-5", "claude-opus-5-5"
    assert asked == [(sonnet, False), (sonnet, True), (sonnet, True), (opus, False), (opus, True)]


async def test_a_refusal_that_functions_do_not_help_is_told() -> None:
    """What is wrong with a tool of our own is not learnt as something else."""
    refusal = "tools.1.custom.input_schema: JSON schema is invalid"
    script: list[Step] = [Rejected(refusal), Rejected(refusal), Say(".")]
    async with ModelServer(script) as server, closing(anthropic(server)) as model:
        with pytest.raises(ProviderRefused, match="JSON schema is invalid"):
            await model.respond(conversation(), Ask())
        await model.respond(conversation(), Ask())
    assert ["input_schema" in request.body["tools"][0] for request in server.requests] == [
        False, True, False,
    ]  # fmt: skip


async def test_anthropic_says_how_much_it_cleared() -> None:
    """What it left out by itself does not have to be shortened here."""
    turns: list[Message] = [Message("user", (Text("Fix it."),))]
    for n in range(8):
        turns.append(Message("assistant", (ToolCall(f"c{n}", "bash", {"command": "ls"}),)))
        turns.append(Message("user", (ToolResult(f"c{n}", "y" * 40_000),)))
    long = Conversation("system", tuple(turns), (BASH,), clear_beyond=60_000)
    async with ModelServer([Say(".")]) as server:
        model = anthropic(server)
        turn = await model.respond(long, Ask())
        await model.close()
    assert turn.cleared == 40_000


async def test_anthropic_gets_its_own_tools_by_type() -> None:
    """Custom ones by schema."""
    _, server = await ask(anthropic, [Say(".")])
    bash, run_tests = server.requests[0].body["tools"]
    assert bash == {"type": "bash_20250124", "name": "bash"}
    assert run_tests["input_schema"] == RUN_TESTS.schema


async def test_openai_gets_every_tool_by_schema() -> None:
    """Nobody else knows Anthropic's types."""
    _, server = await ask(openai, [Say(".")])
    functions = [tool["function"] for tool in server.requests[0].body["tools"]]
    assert [function["parameters"] for function in functions] == [BASH.schema, RUN_TESTS.schema]


async def test_a_server_that_counts_nothing_leaves_the_cost_open() -> None:
    """Unless the model is declared free."""
    answer = Answer((Say("Done."),), reports_usage=False)
    turn, _ = await ask(openai, [answer])
    assert turn.usage.cost_usd is None
    async with ModelServer([answer]) as server:
        access = OpenAIAccess("local-model", server.openai_url, free=True)
        model = build_model(access)
        assert model is not None
        free = await model.respond(conversation(), Ask())
        await model.close()
    assert free.usage.cost_usd == Decimal(0)


@pytest.mark.parametrize(
    ("refusal", "field"),
    [
        (
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens",
        ),
        ("stream_options is not allowed", "stream_options"),
        ("Unknown parameter: reasoning_effort", "reasoning_effort"),
        ("`temperature` is not supported with this model.", "temperature"),
    ],
)
async def test_a_dialect_is_learnt_once(refusal: str, field: str) -> None:
    """A server that refuses a parameter is asked without it, then and later."""

    def script(request: Request) -> Step:
        return Rejected(refusal) if field in request.body else Say("Done.")

    async with ModelServer(script) as server:
        model = openai(server)
        for _ in range(2):
            turn = await model.respond(conversation(), Ask(effort="low", temperature=0.7))
            assert turn.text == "Done."
        await model.close()
    assert len(server.requests) == 3


async def test_reasoning_is_turned_off_where_it_forbids_tools() -> None:
    """OpenAI's newest models take tools in this API only without reasoning."""

    def script(request: Request) -> Step:
        if request.effort == "none":
            return Say("Done.")
        return Rejected(
            "Function tools with reasoning_effort are not supported for this model in "
            "/v1/chat/completions. Use /v1/responses or set reasoning_effort to 'none'."
        )

    turn, _ = await ask(openai, script)
    assert turn.text == "Done."


async def test_a_model_without_tools_is_offered_them_in_words() -> None:
    """Learnt from the refusal; calls and results go as text, and `native` forbids that."""

    def script(request: Request) -> Step:
        if request.tools:
            return Rejected("registry.ollama.ai/library/gemma:2b does not support tools")
        if request.turn == 1:
            return Say('I look.\n\n```tool_call\n{"name": "bash", "input": {"command": "ls"}}\n```')
        return Say("Done.")

    async with ModelServer(script) as server, closing(openai(server)) as model:
        before = conversation()
        turn = await model.respond(before, Ask())
        assert turn.text == "I look."
        [call] = turn.tool_calls
        assert (call.name, dict(call.input)) == ("bash", {"command": "ls"})
        last = await model.respond(answered(before, turn, "a.py"), Ask())
        assert last.text == "Done."
    assert len(server.requests) == 3
    seen = server.requests[-1]
    assert "## run_tests" in seen.system
    assert "You repair programs." in seen.system
    said, result = seen.messages[-2:]
    assert '{"name": "bash", "input": {"command": "ls"}}' in said.text
    assert result.text.endswith("a.py")
    assert not said.calls
    assert not result.results
    error = await failure(openai, script, tool_calls=ToolCalls.NATIVE)
    assert isinstance(error, ProviderRefused)


async def test_a_refusal_that_no_dialect_answers_is_final() -> None:
    """No endless trying."""
    error = await failure(openai, by_turn(Rejected("max_completion_tokens is a bad idea")))
    assert isinstance(error, ProviderRefused)


async def _two_turns(server: ModelServer, *, twice: bool = False) -> list[dict[str, Any]]:
    """Let a model call a tool, once or twice, and end; return what it is told of its own turns."""
    async with closing(openai(server)) as model:
        told = conversation()
        for _ in range(2 if twice else 1):
            turn = await model.respond(told, Ask())
            told = answered(told, turn, *("a.py" for _ in turn.tool_calls))
        assert (await model.respond(told, Ask())).text == "Done."
    return [
        statement
        for statement in server.requests[-1].body["messages"]
        if statement["role"] == "assistant"
    ]


async def test_thoughts_go_back_with_the_calls_that_they_led_to() -> None:
    """Whole, in the field that they came in."""
    thought = "I look first. " * 500
    script = by_turn([Think(thought), Call("bash", {"command": "ls"})], Say("Done."))
    async with ModelServer(script) as server:
        [said] = await _two_turns(server)
    assert said["reasoning_content"] == thought
    async with ModelServer(script, thoughts_in="reasoning") as server:
        [said] = await _two_turns(server)
    assert said["reasoning"] == thought
    assert "reasoning_content" not in said


async def test_thoughts_without_a_call_stay_here() -> None:
    """Nobody needs them any more."""
    script = by_turn([Think("Easy."), Say("Hm.")], Say("Done."))
    async with ModelServer(script) as server, closing(openai(server)) as model:
        turn = await model.respond(conversation(), Ask())
        await model.respond(answered(conversation(), turn), Ask())
    assert turn.thought == "Easy."
    assert all(
        "reasoning_content" not in statement for statement in server.requests[-1].body["messages"]
    )


@pytest.mark.parametrize(
    "refusal",
    [
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "Missing `reasoning_content` field in the assistant message at message index 4.",
        "thinking is enabled but reasoning_content is missing in assistant tool call message",
    ],
)
async def test_a_server_that_wants_thoughts_back_has_some_of_every_turn(refusal: str) -> None:
    """DeepSeek and Kimi want them of turns that came without as well, and none that are empty."""

    def script(request: Request) -> Step:
        mine = [
            statement for statement in request.body["messages"] if statement["role"] == "assistant"
        ]
        if not all(item.get("reasoning_content") for item in mine):
            return Rejected(refusal)
        if request.turn == 1:
            return [Think("I look."), Call("bash", {"command": "ls"})]
        return Call("bash", {"command": "cat a.py"}) if request.turn == 2 else Say("Done.")

    async with ModelServer(script) as server:
        first, second = await _two_turns(server, twice=True)
    assert first["reasoning_content"] == "I look."
    assert "cat a.py" in second["reasoning_content"]
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (422, ("[{'type': 'extra_forbidden', 'loc': ['body', 'messages', 2, 'assistant', "
              "'reasoning_content'], 'msg': 'Extra inputs are not permitted'}]")),
        (400, ("'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : "
              "property 'reasoning_content' is unsupported)]")),
        (400, ("The reasoning_content is an intermediate result for display purposes only and will "
              "not be included in the context for inference. Please remove it.")),
    ],
    ids=["Mistral", "Groq", "DeepSeek's older reasoner"],
)  # fmt: skip
async def test_a_server_that_refuses_thoughts_gets_none(status: int, refusal: str) -> None:
    """Learned from the refusal, once."""

    def script(request: Request) -> Step:
        if any("reasoning_content" in statement for statement in request.body["messages"]):
            return Rejected(refusal, status=status)
        thought = Think("I look.")
        return [thought, Call("bash", {"command": "ls"})] if request.turn < 3 else Say("Done.")

    async with ModelServer(script) as server:
        first, _ = await _two_turns(server, twice=True)
    assert "reasoning_content" not in first
    assert len(server.requests) == 4


def _mistral(request: Request) -> str:
    """Return what Mistral's API says of a request, or ""."""
    messages = request.body["messages"]
    ids = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    for call_id in [
        *ids,
        *(message["tool_call_id"] for message in messages if message["role"] == "tool"),
    ]:
        if len(call_id) != 9 or not (call_id.isascii() and call_id.isalnum()):
            return f"Tool call id was {call_id} but must be a-z, A-Z, 0-9, with a length of 9."
    roles = [message["role"] for message in messages]
    after_tool = ("tool", "user") in pairwise(roles)
    return "Unexpected role 'user' after role 'tool'" if after_tool else ""


async def test_mistral_gets_short_ids_and_a_word_before_a_note() -> None:
    """Whatever ids a conversation has: those of another provider, or one with a number behind."""

    def script(request: Request) -> Step:
        refusal = _mistral(request)
        return Rejected(refusal) if refusal else Say("Done.")

    calls = tuple(ToolCall(f"call_{n}f{'0' * 30}", "bash", {"command": "ls"}) for n in range(2))
    calls = (*calls, ToolCall(f"{calls[0].id}_2", "bash", {"command": "pwd"}))
    results = tuple(ToolResult(call.id, f"result of {call.id}") for call in calls)
    told = conversation(
        Message("assistant", calls), Message("user", (*results, Text("5 turns are left.")))
    )
    async with ModelServer(script) as server, closing(openai(server)) as model:
        for _ in range(2):
            assert (await model.respond(told, Ask())).text == "Done."
    assert len(server.requests) == 4
    messages = server.requests[-1].body["messages"]
    sent = [call["id"] for call in messages[2]["tool_calls"]]
    assert len(set(sent)) == 3
    assert [message["tool_call_id"] for message in messages[3:6]] == sent
    assert [message["content"] for message in messages[3:6]] == [result.text for result in results]
    assert [message["role"] for message in messages[6:]] == ["assistant", "user"]
    assert messages[-1]["content"] == "5 turns are left."


async def test_ids_that_are_too_long_for_openai_become_short() -> None:
    """40 characters; those of others, and ours with a number behind them, may have more."""
    refusal = (
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum "
        "length 40, but got a string with length 43 instead."
    )

    def script(request: Request) -> Step:
        calls = [
            call
            for statement in request.body["messages"]
            for call in statement.get("tool_calls", [])
        ]
        return Rejected(refusal) if any(len(call["id"]) > 40 for call in calls) else Say("Done.")

    call = ToolCall("c" * 43, "bash", {"command": "ls"})
    told = conversation(
        Message("assistant", (call,)), Message("user", (ToolResult(call.id, "a.py"),))
    )
    async with ModelServer(script) as server, closing(openai(server)) as model:
        assert (await model.respond(told, Ask())).text == "Done."


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (500, "Jinja Exception: System role not supported at row 1, column 71"),
    ],
    ids=["Google", "llama.cpp"],
)
async def test_a_model_without_system_messages_reads_the_rules_first(
    status: int, refusal: str
) -> None:
    """In the user's first message."""

    def script(request: Request) -> Step:
        return Rejected(refusal, status=status) if request.system else Say("Done.")

    async with ModelServer(script) as server, closing(openai(server)) as model:
        assert (await model.respond(conversation(), Ask())).text == "Done."
    first = server.requests[-1].messages[0]
    assert first.text == "You repair programs.\nFix it."


async def test_a_call_that_groq_could_not_read_is_read_here() -> None:
    """Or asked for again, where it can't be read at all."""
    said = "Failed to call a function. Please adjust your prompt. See 'failed_generation'."
    written = '<function=bash>{"command": "ls"}</function>'
    refusals = [
        Rejected(said, code="tool_use_failed", fields={"failed_generation": text})
        for text in (written, "bash ls")
    ]
    turn, server = await ask(openai, [refusals[0]])
    assert [(call.name, dict(call.input)) for call in turn.tool_calls] == [
        ("bash", {"command": "ls"})
    ]
    assert turn.usage.input > 100
    turn, server = await ask(openai, [refusals[1], Say("Done.")])
    assert turn.text == "Done."
    assert len(server.requests) == 2


async def test_a_call_that_gemini_could_not_read_is_asked_for_again() -> None:
    """An empty answer that says why is no answer."""
    nothing = Answer((), reason="MALFORMED_FUNCTION_CALL")
    turn, server = await ask(openai, [nothing, Say("Done.")])
    assert turn.text == "Done."
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "limit",
    [
        Rejected("Rate limit reached", 429, headers={"retry-after": "0.3"}),
        Rejected(
            "Rate limit reached",
            429,
            headers={"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "300ms"},
        ),
        Rejected(
            "Quota exceeded",
            429,
            "RESOURCE_EXHAUSTED",
            fields={"details": [{"@type": "RetryInfo", "retryDelay": "0.3s"}]},
            listed=True,
        ),
    ],
    ids=["retry-after", "OpenAI, Groq, Together", "Google"],
)
async def test_a_limit_is_waited_for_as_long_as_the_server_says(limit: Rejected) -> None:
    """Not as long as is usual, and not at once."""
    patience = ProviderRetries(first_wait=60.0, longest_wait=5.0)
    turn, server = await ask(openai, [limit, Say("Done.")], patience=patience)
    assert turn.text == "Done."
    (_, refused), (asked, _) = server.times
    assert 0.3 <= asked - refused < 4.0


async def test_a_template_with_one_call_per_turn_is_told_so() -> None:
    """Several calls and their results become several turns, then and later."""

    def script(request: Request) -> Step:
        several = any(
            len(statement.get("tool_calls", [])) > 1 for statement in request.body["messages"]
        )
        if several:
            return Rejected("This model only supports single tool-calls at once!")
        if request.turn == 1:
            return [Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"})]
        return Say("Done.")

    async with ModelServer(script) as server, closing(openai(server)) as model:
        turn = await model.respond(conversation(), Ask())
        told = answered(conversation(), turn, "a.py", "/workspace")
        for _ in range(2):
            assert (await model.respond(told, Ask())).text == "Done."
    assert len(server.requests) == 4
    roles = [statement["role"] for statement in server.requests[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]


@pytest.mark.parametrize(
    "arguments",
    ['{"command": "ls"}', '{"command": "ls"', '"{\\"command\\": \\"ls\\"}"', "", "ls", '["ls"]'],
)
async def test_arguments_are_an_object_whatever_a_model_writes(arguments: str) -> None:
    """So that the next request can be read by the server that got them."""
    script = by_turn(Call("bash", raw=arguments), Say("Done."))
    async with ModelServer(script) as server, closing(openai(server)) as model:
        turn = await model.respond(conversation(), Ask())
        [call] = turn.tool_calls
        assert isinstance(call.input, dict)
        assert (await model.respond(answered(conversation(), turn, "a.py"), Ask())).text == "Done."
    assert not server.breaches


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (404, "No endpoints found that support tool use. Try disabling 'bash'."),
        (500, "tools param requires --jinja flag"),
    ],
    ids=["OpenRouter", "llama.cpp"],
)
async def test_no_tools_is_understood_whatever_the_status(status: int, refusal: str) -> None:
    """Not every server calls it a bad request."""

    def script(request: Request) -> Step:
        return Rejected(refusal, status=status) if request.tools else Say("Done.")

    turn, server = await ask(openai, script)
    assert turn.text == "Done."
    assert len(server.requests) == 2
