"""What refusals say of the tokens there are, and how long an answer is asked for after them."""

from __future__ import annotations

import pytest

from bot.errors import ProviderRefused, RequestTooLong
from bot.llm.failures import Trouble, classify
from bot.llm.output_limit import Rooms, TokenRoom, read_room

TOO_LONG = {
    "vLLM": (
        ("This model's maximum context length is 16384 tokens. However, you requested 122946 tokens "
        "(112946 in the messages, 10000 in the completion). Please reduce the length."),
        TokenRoom(16_384, 112_946),
    ),
    "vLLM, the answer": (
        ("'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context "
        "length is 32768 tokens and your request has 20000 input tokens (16000 > 32768 - 20000)."),
        TokenRoom(32_768, 20_000),
    ),
    "vLLM, which stops counting": (
        ("This model's maximum context length is 128000 tokens. However, you requested 65535 output "
        "tokens and your prompt contains at least 62466 input tokens, for a total of at least "
        "128001 tokens."),
        TokenRoom(128_000),
    ),
    "SGLang": (
        ("Requested token count exceeds the model's maximum context length of 32768 tokens. You "
        "requested a total of 36000 tokens: 20000 tokens from the input messages and 16000 tokens "
        "for the completion."),
        TokenRoom(32_768, 20_000),
    ),
    "OpenAI": (
        ("This model's maximum context length is 128000 tokens. However, your messages resulted in "
        "130000 tokens (129000 in the messages, 1000 in the functions)."),
        TokenRoom(128_000, 130_000),
    ),
    "OpenRouter": (
        ("This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 "
        "tokens (30000 of text input, 10000 in the output)."),
        TokenRoom(32_768, 30_000),
    ),
    "llama.cpp": (
        "request (16456 tokens) exceeds the available context size (16384 tokens), try increasing it",
        TokenRoom(16_384, 16_456),
    ),
    "Anthropic": (
        "prompt is too long: 200082 tokens > 199999 maximum",
        TokenRoom(199_999, 200_082),
    ),
    "Anthropic, the answer": (
        ("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again"),
        TokenRoom(200_000, 188_240),
    ),
    "Mistral": (
        ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
        "context length"),
        TokenRoom(32_768, 40_000),
    ),
    "Gemini": (
        "The input token count (1000001) exceeds the maximum number of tokens allowed (1000000).",
        TokenRoom(1_000_000, 1_000_001),
    ),
    "TGI, Together": (
        ("`inputs` tokens + `max_new_tokens` must be <= 32769. Given: 20000 `inputs` tokens and "
        "16000 `max_new_tokens`"),
        TokenRoom(32_769, 20_000),
    ),
    "Fireworks": (
        "The prompt is too long: 9234, model maximum context length: 8191",
        TokenRoom(8_191, 9_234),
    ),
    "nobody": ("Please reduce the length of the messages or completion.", TokenRoom()),
}  # fmt: skip

ANSWER = {
    "OpenAI": "max_tokens is too large: 16000. This model supports at most 8192 completion tokens, "
    "whereas you provided 16000.",
    "Anthropic": "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens",
    "DeepSeek": "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    "Groq": "`max_completion_tokens` must be less than or equal to `8192`, the maximum value for it",
}


@pytest.mark.parametrize("server", TOO_LONG)
def test_a_window_is_read_however_it_is_worded(server: str) -> None:
    """The window and what the prompt has, of those that name them."""
    message, room = TOO_LONG[server]
    failed = classify(server, Trouble(400, message=message))
    assert (type(failed.error), failed.room) == (RequestTooLong, room)


@pytest.mark.parametrize("server", ANSWER)
def test_the_longest_answer_is_read_however_it_is_worded(server: str) -> None:
    """It is no long conversation, but a shorter answer will do."""
    failed = classify(server, Trouble(400, message=ANSWER[server]))
    assert (type(failed.error), failed.room) == (ProviderRefused, TokenRoom(answer=8_192))


def test_the_tokens_of_a_minute_are_a_window_and_too_many_bytes_are_none() -> None:
    """Groq's 413 counts the answer as well; a proxy's knows of bytes alone."""
    minute = "Request too large on tokens per minute (TPM): Limit 6000, Requested 20193, please"
    assert classify("groq", Trouble(413, message=minute)).room == TokenRoom(6_000)
    assert classify("nginx", Trouble(413, message="Request Entity Too Large")).room is None


def test_an_answer_gets_what_the_window_leaves() -> None:
    """As long as that is worth asking for; else the conversation has to become shorter."""
    rooms = Rooms()
    assert rooms.most("m", 16_000, 60_000) == 16_000
    assert rooms.learn("m", TokenRoom(32_000, 20_000), 16_000, 60_000)
    assert rooms.most("m", 16_000, 60_000) == 32_000 - 20_000 - 64
    assert rooms.most("m", 16_000, 30_000) == 16_000
    assert rooms.most("m", 16_000, 90_000) == 4_000
    assert rooms.most("another", 16_000, 90_000) == 16_000
    assert not rooms.learn("m", TokenRoom(32_000, 30_000), 4_000, 90_000)
    fits = rooms.share_that_fits("m", TokenRoom(32_000, 30_000), 90_000)
    assert fits == pytest.approx((32_000 - 4_000 - 64) / 30_000)


def test_without_figures_the_shortest_answer_is_tried_for_what_is_as_large() -> None:
    """And nothing is known of the share that would fit."""
    rooms = Rooms()
    assert rooms.learn("m", TokenRoom(), 16_000, 60_000)
    assert rooms.most("m", 16_000, 60_000) == 4_000
    assert rooms.most("m", 16_000, 59_000) == 16_000
    assert not rooms.learn("m", TokenRoom(), 4_000, 60_000)
    assert rooms.share_that_fits("m", TokenRoom(), 60_000) is None


def test_a_small_window_keeps_a_fourth_for_the_answer() -> None:
    """4,000 tokens of 8,192 would leave too little for the conversation."""
    rooms = Rooms()
    assert rooms.learn("m", TokenRoom(8_192), 16_000, 30_000)
    assert rooms.most("m", 16_000, 30_000) == 8_192 // 4


def test_a_limit_of_answers_is_kept() -> None:
    """Whatever the size of the request."""
    rooms = Rooms()
    assert rooms.learn("m", read_room(ANSWER["OpenAI"]), 16_000, 9_000)
    assert rooms.most("m", 16_000, 9_000) == 8_192
    assert rooms.most("m", 4_000, 9_000) == 4_000


def test_a_count_that_is_too_low_is_found_out() -> None:
    """A server that says what it has, and not what it counted: the least answer is asked for at once."""
    rooms = Rooms()
    refused = TokenRoom(window=16_000)
    asked = rooms.most("m", 16_000, 20_000)
    assert rooms.learn("m", refused, asked, 20_000)
    first = rooms.most("m", asked, 20_000)
    assert first == 4_000
    assert not rooms.learn("m", refused, first, 20_000), "then the conversation is too long"
    rooms.count("m", 9_000, 15_000)
    assert rooms.most("m", 16_000, 15_000) == 16_000 - 9_000 - 64
