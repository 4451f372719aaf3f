"""Streams put together without a network: the odd ones of imitators, and broken ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import CredentialsRefused, ProviderOverloaded, ProviderRefused, RequestTooLong
from bot.llm.anthropic_wire import AnthropicReply, encode_message
from bot.llm.base import Message, Opaque, StopReason, Text, ToolCall, ToolResult
from bot.llm.encoding import EncodedMessages
from bot.llm.failures import Trouble, classify
from bot.llm.headers import retry_after, retry_delay
from bot.llm.openai_reply import OpenAIReply
from bot.llm.reply import DraftCall, ModelReply, finish


def openai_reply(*deltas: Mapping[str, Any], stop: str | None = "tool_calls") -> ModelReply:
    reply = OpenAIReply()
    for delta in deltas:
        reply.feed({"model": "m", "choices": [{"index": 0, "delta": delta}]})
    reply.feed({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
    reply.feed({"model": "m", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}})
    finished = reply.reply()
    assert finished is not None
    return finished


def calls(reply: ModelReply) -> list[tuple[str, Mapping[str, Any]]]:
    return [(block.name, block.input) for block in reply.blocks if isinstance(block, ToolCall)]


def piece(arguments: object, name: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"tool_calls": [{**fields, "function": {"name": name, "arguments": arguments}}]}


def test_calls_are_joined_by_index() -> None:
    """As OpenAI sends them, interleaved if it likes."""
    reply = openai_reply(
        piece("", "bash", index=0, id="a"),
        piece("", "run_tests", index=1, id="b"),
        piece('{"command":', index=0),
        piece("{}", index=1),
        piece(' "ls"}', index=0),
    )
    assert calls(reply) == [("bash", {"command": "ls"}), ("run_tests", {})]


def test_whole_calls_without_index_or_id_are_told_apart() -> None:
    """Each name starts another one, and each gets an id of its own."""
    reply = openai_reply(piece('{"a": 1}', "one"), piece('{"b": 2}', "two"))
    assert calls(reply) == [("one", {"a": 1}), ("two", {"b": 2})]
    ids = [block.id for block in reply.blocks if isinstance(block, ToolCall)]
    assert all(ids)
    assert len(set(ids)) == 2


def test_calls_that_all_say_index_zero_are_told_apart_by_id() -> None:
    """Some gateways count no further."""
    reply = openai_reply(
        piece('{"a": 1}', "one", index=0, id="x"), piece('{"b": 2}', "two", index=0, id="y")
    )
    assert calls(reply) == [("one", {"a": 1}), ("two", {"b": 2})]


def test_arguments_may_be_an_object() -> None:
    """Some servers forget to write JSON into JSON."""
    assert calls(openai_reply(piece({"a": 1}, "one", index=0, id="x"))) == [("one", {"a": 1})]


@pytest.mark.parametrize("stop", ["stop", "eos", "tool_calls"])
def test_what_a_server_did_counts_more_than_its_finish_reason(stop: str) -> None:
    """Calls are calls, whatever it says at the end."""
    assert openai_reply(piece("{}", "one", index=0), stop=stop).stop is StopReason.TOOL_CALLS
    assert openai_reply({"content": "Done."}, stop=stop).stop is StopReason.END


def test_a_refusal_in_openais_own_field_is_one() -> None:
    """With its words as text."""
    reply = openai_reply({"refusal": "I won't."}, stop="stop")
    assert reply.stop is StopReason.REFUSAL
    assert reply.blocks == (Text("I won't."),)


def test_counts_survive_whichever_chunk_has_them() -> None:
    """Last of all with no choices, as OpenAI; details missing, as most others."""
    tokens = openai_reply({"content": "x"}, stop="stop").tokens
    assert (tokens.input, tokens.output, tokens.known) == (9, 3, True)


def test_a_stream_that_never_began_cost_nothing() -> None:
    """One that did is guessed."""
    assert OpenAIReply().spent(3_000) is None
    assert AnthropicReply("a/m").spent() is None
    reply = OpenAIReply()
    reply.feed({"choices": [{"delta": {"content": "abc"}}]})
    spent = reply.spent(3_000)
    assert spent is not None
    assert (spent.input, spent.output) == (1_000, 1)


def test_unknown_blocks_of_anthropic_are_kept_as_they_are() -> None:
    """Redacted thinking, and whatever is added later."""
    block = {"type": "redacted_thinking", "data": "opaque"}
    reply = AnthropicReply("anthropic/m")
    reply.feed({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}})
    reply.feed({"type": "content_block_start", "index": 0, "content_block": block})
    reply.feed({"type": "content_block_stop", "index": 0})
    reply.feed({"type": "a_new_event"})
    reply.feed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}})
    finished = reply.reply()
    assert finished is not None
    assert finished.blocks == (Opaque("anthropic/m", block),)
    assert finished.tokens.input == 3


@given(st.text(max_size=40), st.sampled_from(StopReason))
def test_no_words_of_a_model_break_the_reply(text: str, stop: StopReason) -> None:
    """Every tool call that is left has an object as its input."""
    blocks, _ = finish([DraftCall("1", "bash", text), DraftCall("2", "bash", text)], stop)
    assert all(isinstance(block, ToolCall) and isinstance(block.input, dict) for block in blocks)


def test_a_message_is_encoded_once() -> None:
    """The same bytes again; another reader has bytes of its own."""
    encoded: list[str] = []

    def encode(message: Message, reader: str) -> bytes:
        encoded.append(reader)
        return encode_message(message, reader)

    thought = Opaque("anthropic/a", {"type": "thinking", "thinking": "x", "signature": "y"})
    message = Message("assistant", (thought, Text("Done.")))
    messages = EncodedMessages(encode)
    first, again = messages([message], "anthropic/a"), messages([message], "anthropic/a")
    other = messages([message], "anthropic/b")
    assert first == again
    assert encoded == ["anthropic/a", "anthropic/b"]
    assert b"signature" in first[0]
    assert b"signature" not in other[0]


def test_a_conversation_that_goes_on_is_encoded_as_a_new_one_would_be() -> None:
    """Whatever was asked for before: more, less, and others that only look the same."""
    call, alike = (Message("assistant", (ToolCall("1", "bash", {"n": n}),)) for n in (1, True))
    result = Message("user", (ToolResult("1", "ok"),))
    messages = EncodedMessages(encode_message)
    for told in ([call], [call, result], [alike, result], [alike], [], [result, call]):
        assert messages(told, "") == [encode_message(message, "") for message in told]


def test_ids_of_other_providers_are_made_to_fit() -> None:
    """Call and result alike."""
    call = Message("assistant", (ToolCall("functions.bash:0", "bash", {}),))
    result = Message("user", (ToolResult("functions.bash:0", "ok"),))
    assert json.loads(encode_message(call, ""))["content"][0]["id"] == "functions_bash_0"
    assert json.loads(encode_message(result, ""))["content"][0]["tool_use_id"] == "functions_bash_0"


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble(429, code="insufficient_quota"), CredentialsRefused),
        (Trouble(429, kind="rate_limit_error"), ProviderOverloaded),
        (Trouble(400, message="Your credit balance is too low."), CredentialsRefused),
        (Trouble(400, message="tools.0: unknown"), ProviderRefused),
        (Trouble(400, message="the request exceeds the available context size"), RequestTooLong),
        (Trouble(400, message="prompt is too long: 9 tokens > 8 maximum"), RequestTooLong),
    ],
)
def test_what_a_refusal_means(trouble: Trouble, kind: type[Exception]) -> None:
    """An empty account is not a crowd, and a long prompt is not a bad one."""
    assert type(classify("x", trouble).error) is kind


def test_a_refusal_is_told_in_one_line() -> None:
    """Without line breaks, cut where nobody reads on."""
    text = str(classify("x", Trouble(400, message="bad\n\n request " + "y" * 1_000)).error)
    assert text.startswith("x rejected the request (400: bad request yyy")
    assert len(text) < 400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 20.0),
        ({"retry-after": "soon"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"}, 62.5),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "6ms",
                "x-ratelimit-remaining-tokens": "12",
                "x-ratelimit-reset-tokens": "1h2m",
            },
            0.006,
        ),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.66"}, 7.66),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "later"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1792567670000"}, 10.0),
        ({"x-ratelimit-reset-requests": "1s"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_provider_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    """In seconds, in milliseconds, as a date, or as when a limit that is used up is full again."""
    now = datetime(2026, 10, 21, 7, 27, 40, tzinfo=UTC)
    assert retry_after(headers, now=now) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"details": [{"@type": "QuotaFailure"}, {"retryDelay": "34.07s"}]}, 34.07),
        ({"details": [{"retryDelay": "soon"}]}, None),
        ({"details": "none"}, None),
        ("Too many requests", None),
    ],
)
def test_the_wait_in_a_body_of_google_s(error: object, seconds: float | None) -> None:
    """Gemini and Vertex say it there."""
    assert retry_delay(error) == seconds
