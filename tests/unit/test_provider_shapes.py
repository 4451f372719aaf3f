"""What servers that imitate OpenAI send, each in its own way: chunks as their pages and users show them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.llm.base import Ask, Conversation, Message, Opaque, StopReason, Text, ToolCall, ToolResult
from bot.llm.openai_dialect import Dialect, adapt
from bot.llm.openai_reply import OpenAIReply
from bot.llm.openai_wire import encode_message, request_head, told_to
from bot.llm.reply import ModelReply
from bot.llm.tokens import TokenCounts
from bot.repair.proposers.agent.foreign_arguments import readable


def replied(*chunks: dict[str, Any], text: bool = False) -> ModelReply:
    reply = OpenAIReply(tools_in_text=text)
    for chunk in chunks:
        reply.feed(chunk)
    found = reply.reply()
    assert found is not None
    return found


def delta(stop: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": fields, "finish_reason": stop}]}


def called(name: str, arguments: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **fields}


def calls_of(reply: ModelReply) -> list[tuple[str, Any]]:
    calls = [block for block in reply.blocks if isinstance(block, ToolCall)]
    assert len({call.id for call in calls}) == len(calls), "each has an id of its own"
    assert all(call.id for call in calls)
    return [(call.name, dict(call.input)) for call in calls]


LS = ("bash", {"command": "ls"})
PWD = ("bash", {"command": "pwd"})


@pytest.mark.parametrize(
    "chunks",
    [
        # Gemini: whole calls, without an index, with an empty id or the same one
        [
            delta(tool_calls=[called("bash", '{"command": "ls"}', id="")]),
            delta("stop", tool_calls=[called("bash", '{"command": "pwd"}', id="")]),
        ],
        # vLLM with some parsers: every call has the same id
        [
            delta(tool_calls=[called("bash", '{"command": "ls"}', id="call_0", index=0)]),
            delta(tool_calls=[called("bash", '{"command": "pwd"}', id="call_0", index=1)]),
            delta("tool_calls"),
        ],
        # Ollama: index 0 for all of them, in one chunk; arguments are an object
        [
            delta(
                "tool_calls",
                tool_calls=[
                    called("bash", {"command": "ls"}, id="call_a", index=0),
                    called("bash", {"command": "pwd"}, id="call_b", index=0),
                ],
            )
        ],
        # Together: arguments in pieces, with `eos` as the end
        [
            delta(tool_calls=[called("bash", "", id="x1", index=0)]),
            delta(tool_calls=[{"index": 0, "function": {"arguments": '{"command": '}}]),
            delta(tool_calls=[{"index": 0, "function": {"arguments": '"ls"}'}}]),
            delta(tool_calls=[called("bash", '{"command": "pwd"}', id="x2", index=1)]),
            delta("eos"),
        ],
    ],
)
def test_two_calls_are_two_calls(chunks: list[dict[str, Any]]) -> None:
    """Whatever a server does with ids, indexes and arguments."""
    reply = replied(*chunks)
    assert calls_of(reply) == [LS, PWD]
    assert reply.stop is StopReason.TOOL_CALLS


@pytest.mark.parametrize(
    "chunks",
    [
        [delta(reasoning_content="hm"), delta("stop", content="Done.")],  # DeepSeek, vLLM
        [delta(reasoning="hm"), delta("stop", content="Done.")],  # Groq, Ollama
        [delta(reasoning="hm", reasoning_content="hm"), delta("stop", content="Done.")],
        [
            delta(reasoning="hm", reasoning_details=[{"type": "reasoning.text", "text": "hm"}]),
            delta("stop", content="Done."),
        ],  # OpenRouter
        [delta(content="<think>\nhm\n</think>\n\n"), delta("stop", content="Done.")],
        [
            delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]),
            delta("stop", content=[{"type": "text", "text": "Done."}]),
        ],  # Mistral
    ],
)
def test_thoughts_are_told_from_words(chunks: list[dict[str, Any]]) -> None:
    """In whichever field they come, and only once."""
    reply = replied(*chunks)
    assert reply.blocks == (Opaque("openai", {"thinking": "hm"}), Text("Done."))


def test_thoughts_are_sent_back_in_the_form_that_they_came_in() -> None:
    """OpenRouter's with their signatures, pieces joined; empty ones of Kimi too."""
    call = delta("tool_calls", tool_calls=[called("bash", "{}", id="call_a", index=0)])
    pieces = [
        {"type": "reasoning.text", "index": 0, "text": "h", "format": "google-gemini-v1"},
        {"type": "reasoning.text", "index": 0, "text": "m", "signature": "x"},
        {"type": "reasoning.encrypted", "index": 1, "data": "abc", "id": "r1"},
    ]
    deltas = [
        delta(reasoning=text, reasoning_details=[item])
        for text, item in zip("hm ", pieces, strict=True)
    ]
    said = json.loads(encode_message(Message("assistant", replied(*deltas, call).blocks)))
    assert said["reasoning_details"] == [
        {
            "type": "reasoning.text",
            "index": 0,
            "text": "hm",
            "format": "google-gemini-v1",
            "signature": "x",
        },
        {"type": "reasoning.encrypted", "index": 1, "data": "abc", "id": "r1"},
    ]
    assert "reasoning" not in said
    empty = replied(delta(reasoning_content=""), call)
    assert json.loads(encode_message(Message("assistant", empty.blocks)))["reasoning_content"] == ""


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}}, TokenCounts(9, 2)),
        (
            {"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}},
            TokenCounts(5, 2, 4),
        ),
        ({"usage": {"prompt_tokens": 9, "completion_tokens": None}}, TokenCounts(9, 0)),
        ({"usage": None}, TokenCounts(known=False)),
        ({}, TokenCounts(known=False)),
    ],
)
def test_counts_are_found_where_a_server_puts_them(
    usage: dict[str, Any], tokens: TokenCounts
) -> None:
    """Where there are none, the cost stays unknown."""
    assert replied({**delta("stop", content="Done."), **usage}).tokens == tokens


def test_a_refusal_in_capitals_is_one() -> None:
    """As Gemini has it."""
    assert replied(delta("SAFETY", content="")).stop is StopReason.REFUSAL


def test_what_gemini_adds_to_a_call_goes_back_with_it() -> None:
    """Without the signature of its thought, it refuses the next request."""
    extra = {"google": {"thought_signature": "abc"}}
    reply = replied(
        delta(
            "stop", tool_calls=[called("bash", '{"command": "ls"}', id="c1", extra_content=extra)]
        )
    )
    [sent] = json.loads(b"[" + encode_message(Message("assistant", reply.blocks)) + b"]")
    assert sent["tool_calls"][0]["extra_content"] == extra
    other = Opaque("anthropic", {"extra_content": {"c1": extra}})
    [foreign] = json.loads(
        b"[" + encode_message(Message("assistant", (other, ToolCall("c1", "bash", {})))) + b"]"
    )
    assert "extra_content" not in foreign["tool_calls"][0]


@pytest.mark.parametrize(
    "refusal",
    [
        "registry.ollama.ai/library/gemma:2b does not support tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "No endpoints found that support tool use. To learn more: https://openrouter.ai/docs",
        "Function calling is not enabled for models/gemma-3-27b-it",
        "This model doesn't support tools.",
    ],
)
def test_a_model_without_tools_gets_them_in_words(refusal: str) -> None:
    """Servers say so in many ways; a tool that is wrong is no such thing."""
    learnt = adapt(Dialect(), refusal)
    assert learnt == Dialect(tools="text")
    assert adapt(learnt, refusal) is None
    assert adapt(Dialect(), "Invalid schema for function 'bash': 'object' is not valid") is None
    bare = Conversation("s", (), ())
    assert "tools" not in request_head(bare, Ask(), "m", learnt)


def test_a_template_with_one_call_per_turn_gets_one_turn_per_call() -> None:
    """What was called in one turn, perhaps by another model, is told as several."""
    learnt = adapt(Dialect(), "This model only supports single tool-calls at once!")
    assert learnt == Dialect(one_call=True)
    opening = Message("user", (Text("Fix it."),))
    both = Message("assistant", (Text("I look."), ToolCall("a", *LS), ToolCall("b", *PWD)))
    results = Message("user", (ToolResult("a", "x"), ToolResult("b", "y"), Text("5 turns left.")))
    said = Conversation("", (opening, both, results))
    told = told_to(said, learnt)
    assert told == (
        opening,
        Message("assistant", (Text("I look."), ToolCall("a", *LS))),
        Message("user", (ToolResult("a", "x"),)),
        Message("assistant", (ToolCall("b", *PWD),)),
        Message("user", (ToolResult("b", "y"), Text("5 turns left."))),
    )
    assert told_to(said, Dialect()) == (opening, both, results)


def block(content: str) -> str:
    return f"```tool_call\n{content}\n```"


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        (block('{"name": "bash", "input": {"command": "ls"}}'), [LS]),
        (
            "First\n" + block('{"name": "bash", "input": {"command": "ls"}}') + "\nthen\n"
            + block('{"name": "bash", "input": {"command": "pwd"}}'),
            [LS, PWD],
        ),
        (block('{"name": "run_tests"}'), [("run_tests", {})]),
        (
            block('{"name": "bash", "input": {"command": "echo "hi""}}'),
            [("bash", {"unreadable_input": '{"name": "bash", "input": {"command": "echo "hi""}}'})],
        ),
        (block('{"name": "bash", "input": "ls"}'), [("bash", {"unreadable_input": "ls"})]),
        ("<tool_call>\nls -l\n</tool_call>", [("tool_call", {"unreadable_input": "ls -l"})]),
        ("<function=bash>ls</function>", [("bash", {"unreadable_input": "ls"})]),
        (block("ls -l"), [("tool_call", {"unreadable_input": "ls -l"})]),
        (block(""), [("tool_call", {"unreadable_input": "nothing"})]),
        ("```python\nprint()\n```", []),
        ("I would use ```tool_call``` here.", []),
        ("The template of Hermes has `<tool_call>` tags.", []),
        ('```json\n{"name": "a-package", "version": "1.0"}\n```', []),
        ('{"name": "a-package", "version": "1.0"}', []),
    ],
)  # fmt: skip
def test_only_calls_are_read_as_calls(said: str, calls: list[tuple[str, Any]]) -> None:
    """What is no such object comes back to the model as what it wrote, to be told what is wrong."""
    reply = replied(delta("stop", content=said), text=True)
    assert calls_of(reply) == calls
    assert reply.stop is (StopReason.TOOL_CALLS if calls else StopReason.END)


FORMS = {
    "line breaks in a text": block('{"name": "bash", "input": {"command": "cat <<EOF\n```\nEOF"}}'),
    "another key": block('{"name": "bash", "arguments": {"command": "ls"}}'),
    "without a key": block('{"name": "bash", "command": "ls"}'),
    "encoded twice": block('{"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}'),
    "a list": block('[{"name": "bash", "arguments": {"command": "ls"}}]'),
    "JSON": '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```',
    "no language": '```\n{"tool": "bash", "args": {"command": "ls"}}\n```',
    "OpenAI": '```json\n{"tool_calls": [{"type": "function", "function": {"name": "bash", '
    '"arguments": "{\\"command\\": \\"ls\\"}"}}]}\n```',
    "Hermes, Qwen": '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    "Hermes in a fence": '```xml\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>\n```',
    "Qwen's coders": "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n"
    "</function>\n</tool_call>",
    "Llama": '<function=bash>{"command": "ls"}</function>',
    "Llama, bare": '{"name": "bash", "parameters": {"command": "ls"}}',
    "Llama, marked": '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}<|eom_id|>',
    "Mistral": '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}]',
    "Mistral, newer": '[TOOL_CALLS]bash[ARGS]{"command": "ls"}',
    "GLM": "<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0"
    '<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
    "DeepSeek": "<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>bash\n```json\n"
    '{"command": "ls"}\n```<\uff5ctool▁call▁end\uff5c><\uff5ctool▁calls▁end\uff5c>',
    "DeepSeek, newer": '<\uff5ctool▁call▁begin\uff5c>bash<\uff5ctool▁sep\uff5c>{"command": "ls"}<\uff5ctool▁call▁end\uff5c>',
    "MiniMax": '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n'
    "</invoke>\n</minimax:tool_call>",
    "gpt-oss": '<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "ls"}'
    "<|call|>",
}


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_read_in_the_forms_that_models_learned(form: str) -> None:
    """With the words before and behind them, and without the marks around them."""
    reply = replied(delta("stop", content=FORMS[form]), text=True)
    meant = "cat <<EOF\n```\nEOF" if form == "line breaks in a text" else "ls"
    [[tool, given]] = calls_of(reply)
    assert (tool, readable(ToolCall("1", tool, given))) == ("bash", {"command": meant})
    assert len(reply.blocks) == 1
    if not FORMS[form].startswith("{"):
        reply = replied(delta("stop", content=f"I look.\n{FORMS[form]}\nThen I go on."), text=True)
        assert (reply.blocks[0], reply.blocks[2]) == (Text("I look."), Text("Then I go on."))


@pytest.mark.parametrize("form", [form for form, said in FORMS.items() if said[0] not in "`{"])
def test_what_a_server_did_not_read_itself_is_read_here(form: str) -> None:
    """A model's own marks come as text where a server lacks the parser for its template."""
    assert calls_of(replied(delta("stop", content=FORMS[form]))) == [LS]


def test_fences_are_words_where_tools_are_called_properly() -> None:
    """A summary may show such blocks."""
    said = FORMS["JSON"]
    assert replied(delta("stop", content=said)).blocks == (Text(said),)


def test_half_a_block_at_the_limit_is_no_call() -> None:
    """It was cut off."""
    cut = replied(delta("length", content='```tool_call\n{"name": "bash", "inp'), text=True)
    assert (calls_of(cut), cut.stop) == ([], StopReason.MAX_TOKENS)
