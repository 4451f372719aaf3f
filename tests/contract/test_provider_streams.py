"""What docs/models.md promises of streams, by HTTP: cut anywhere, with whatever stands between events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Self

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import ProviderError, ProviderOverloaded
from bot.llm.anthropic_model import AnthropicModel
from bot.llm.base import Ask, StopReason
from bot.llm.base import Turn as ReadTurn
from bot.llm.openai_model import OpenAIModel
from bot.llm.retries import ProviderRetries
from bot.model.route import ModelStrength
from tests.contract.providers import KEY, answered, conversation
from tests.unit.package_patterns import ROOT
from tests.unit.test_provider_shapes import called, delta
from tests.unit.test_provider_streams import (
    CUTTERS,
    THINKING,
    TURNS,
    Cutter,
    Server,
    Turn,
    openai,
    zero_for_all,
)

ONCE = ProviderRetries().single()
COUNTS = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}
DONE = b"data: [DONE]\n\n"

BETWEEN = (
    b": keep-alive\n\n",
    b": OPENROUTER PROCESSING\n\n",
    b"\n",
    b"retry: 3000\n\n",
    b"event: ping\n\n",
    b'event: ping\ndata: {"type": "ping"}\n\n',
    b'event: vendor.metrics\nid: 7\ndata: {"queue": 3}\n\n',
    b"data: null\n\n",
    b"data: []\n\n",
    b'data: {"object": "chat.completion.chunk", "choices": [], "usage": null}\n\n',
    b'data: {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}\n\n',
    b'data: {"choices": null}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": null, "logprobs": null}]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": null, "content_filter_results": {}}]}\n\n',
)
"""Comments, events of others, chunks that say nothing: Azure, OpenRouter, proxies, vLLM."""

UNKNOWN = (
    b": keep-alive\n\n",
    b'event: ping\ndata: {"type": "ping"}\n\n',
    b'event: vendor_metrics\ndata: {"type": "vendor_metrics"}\n\n',
    b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0}\n\n'.replace(
        b"0}", b'0, "delta": {"type": "sources_delta"}}'
    ),
)
"""What may stand between Anthropic's: https://platform.claude.com/docs/en/build-with-claude/streaming."""

WHOLE = Cutter(())
EXAMPLES = settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # one server for all of them: each is a request of its own

PLACES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=6).map(tuple)
Places = tuple[tuple[int, int], ...]


def lines(chunk: dict[str, Any], form: int) -> bytes:
    """Return a chunk as an event, in one of the ways that the format has."""
    text = json.dumps(chunk, ensure_ascii=form % 2 == 0, indent=1 if form == 4 else None)
    if form == 4:
        return "".join(f"data: {line}\n" for line in text.split("\n")).encode() + b"\n"
    return (f"data:{text}\n\n" if form == 3 else f"data: {text}\n\n").encode()


def among(events: Sequence[bytes], places: Places, others: Sequence[bytes]) -> list[bytes]:
    """Return the events with others between them."""
    mixed = [*events]
    for place, other in places:
        mixed.insert(place % (len(mixed) + 1), others[other % len(others)])
    return mixed


def pieces(data: bytes, cut: Cutter) -> Iterator[bytes]:
    """Yield the bytes in pieces of the drawn sizes, over and over: characters are cut, too."""
    sizes, start, n = cut.sizes or (len(data) or 1,), 0, 0
    while start < len(data):
        size = sizes[n % len(sizes)] * (1 if n < 40 else 64)
        yield data[start : start + size]
        start, n = start + size, n + 1


class Replay:
    """A server that answers each question with the same bytes, and models that ask it."""

    def __init__(self) -> None:
        self.pieces: Sequence[bytes] = ()
        self.asked: list[dict[str, Any]] = []
        app = web.Application()
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=1.0)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        models = {ModelStrength.DEFAULT: "gpt-4.1"}
        self.openai = OpenAIModel(api_key=KEY, base_url=f"{url}/v1", models=models, patience=ONCE)
        models = {ModelStrength.DEFAULT: "claude-sonnet-5-5"}
        self.anthropic = AnthropicModel(KEY, base_url=url, models=models, patience=ONCE)
        return self

    async def __aexit__(self, *failed: object) -> None:
        await self.openai.close()
        await self.anthropic.close()
        await self._runner.cleanup()

    async def read(self, data: bytes, cut: Cutter = WHOLE) -> ReadTurn:
        """Return what is read of a stream in OpenAI's format."""
        self.pieces = tuple(pieces(data, cut))
        return await self.openai.respond(conversation(), Ask())

    async def read_anthropic(self, data: bytes, cut: Cutter) -> ReadTurn:
        """Return what is read of a stream in Anthropic's."""
        self.pieces = tuple(pieces(data, cut))
        return await self.anthropic.respond(conversation(), Ask())

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        for piece in self.pieces:
            await response.write(piece)
        await response.write_eof()
        return response


@pytest.fixture
async def replay() -> AsyncIterator[Replay]:
    async with Replay() as server:
        yield server


def same(told: ReadTurn, turn: Turn) -> bool:
    """Whether words and calls are those of the turn, each call with an id of its own."""
    calls = [(call.name, dict(call.input)) for call in told.tool_calls]
    ids = {call.id for call in told.tool_calls}
    return (calls, len(ids), told.text.strip()) == ([*turn.calls], len(calls), turn.words)


@pytest.mark.slow
@pytest.mark.parametrize("server", [*THINKING, zero_for_all], ids=lambda server: server.__name__)
@EXAMPLES
@given(turn=TURNS, cut=CUTTERS, places=PLACES, form=st.integers(0, 4), ends=st.booleans())
async def test_every_dialect_by_http(
    replay: Replay,
    server: Server,
    turn: Turn,
    cut: Cutter,
    places: Places,
    form: int,
    *,
    ends: bool,
) -> None:
    """In pieces of any bytes, with comments and foreign events between, with or without an end mark."""
    events = [lines(chunk, form) for chunk in server(turn, cut)]
    data = b"".join(among(events, places, BETWEEN)) + DONE * ends
    data = data.replace(b"\n", b"\r\n") if form == 1 else data
    told = await replay.read(data, cut)
    assert same(told, turn)
    assert told.stop is (StopReason.TOOL_CALLS if turn.calls else StopReason.END)
    if server is not zero_for_all:
        assert told.thought.strip() == turn.thought


def block(
    n: int, opened: dict[str, Any], deltas: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": n, "content_block": opened}
    yield from ({"type": "content_block_delta", "index": n, "delta": each} for each in deltas)
    yield {"type": "content_block_stop", "index": n}


def anthropic_events(turn: Turn, cut: Cutter) -> Iterator[dict[str, Any]]:
    """Yield a turn as Anthropic streams it."""
    usage = {"input_tokens": 900, "output_tokens": 1}
    yield {"type": "message_start", "message": {"model": "claude-sonnet-5-5", "usage": usage}}
    if turn.thought:
        parts = [{"type": "thinking_delta", "thinking": each} for each in cut.pieces(turn.thought)]
        parts.append({"type": "signature_delta", "signature": "c2lnbmVk"})
        yield from block(0, {"type": "thinking", "thinking": "", "signature": ""}, parts)
    if turn.words:
        parts = [{"type": "text_delta", "text": each} for each in cut.pieces(turn.words)]
        yield from block(1, {"type": "text", "text": ""}, parts)
    for n, (name, given_input) in enumerate(turn.calls, 2):
        text = json.dumps(given_input) if given_input else ""
        parts = [{"type": "input_json_delta", "partial_json": each} for each in cut.pieces(text)]
        opened = {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {}}
        yield from block(n, opened, parts)
    reason = "tool_use" if turn.calls else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 20},
    }
    yield {"type": "message_stop"}


@EXAMPLES
@given(turn=TURNS, cut=CUTTERS, places=PLACES)
async def test_anthropic_by_http(replay: Replay, turn: Turn, cut: Cutter, places: Places) -> None:
    """Through its SDK, with pings and events that are not known yet, which it says may come."""
    events = [
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        for event in anthropic_events(turn, cut)
    ]
    first, *rest = events
    data = first + b"".join(among(rest[:-1], places, UNKNOWN)) + rest[-1]
    told = await replay.read_anthropic(data, cut)
    assert same(told, turn)
    assert told.thought.strip() == turn.thought
    assert told.usage.output == 20


ERRORS = {
    "OpenAI": b'data: {"error": {"message": "%s", "type": "server_error", "code": null}}\n\n',
    "vLLM": b'data: {"error": {"object": "error", "message": "%s", "type": "x", "code": 500}}\n\n',
    "older vLLM": b'data: {"object": "error", "message": "%s", "type": "x", "param": null, "code": 500}\n\n',
    "OpenRouter": b'data: {"id": "1", "error": {"code": "server_error", "message": "%s"}, "choices": '
    b'[{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}\n\n',
    "Groq": b'event: error\ndata: {"error": {"message": "%s", "type": "x"}, "status_code": 500}\n\n',
    "Google": b'data: [{"error": {"code": 500, "message": "%s", "status": "INTERNAL"}}]\n\n',
    "Ollama": b'data: {"error": "%s"}\n\n',
    "a gateway": b'event: error\ndata: {"message": "%s"}\n\n',
}


@pytest.mark.parametrize("form", ERRORS)
async def test_an_error_in_the_middle_is_told(replay: Replay, form: str) -> None:
    """Wherever it stands, in the words of the server, and what came before is no turn."""
    turn = Turn("", "I look.", (("bash", {"command": "ls"}), ("run_tests", {})))
    chunks = [lines(chunk, 0) for chunk in openai(turn, Cutter((4, 4, 4, 4)))][:-1]
    for at in range(0, len(chunks) + 1, 2):
        data = b"".join(chunks[:at]) + ERRORS[form] % b"the engine died" + DONE
        with pytest.raises(ProviderError, match="the engine died"):
            await replay.read(data, Cutter((7,)))


async def test_an_error_that_no_event_tells_is_a_cut_stream(replay: Replay) -> None:
    """As llama.cpp has them: in a field of their own, which the format says to ignore."""
    error = b'error: {"code": 500, "message": "the engine died", "type": "server_error"}\n\n'
    with pytest.raises(ProviderError, match="cut off"):
        await replay.read(lines(delta(content="I"), 0) + error)


async def test_an_overload_in_the_middle_is_one(replay: Replay) -> None:
    """By the code that stands where a status has no place."""
    data = b'data: {"error": {"code": 429, "message": "Rate limit exceeded"}}\n\n'
    with pytest.raises(ProviderOverloaded):
        await replay.read(lines(delta(content="I"), 0) + data)


SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}
DETAILS = [
    {"type": "reasoning.text", "index": 0, "text": "I look", "signature": None},
    {"type": "reasoning.text", "index": 0, "text": " first.", "signature": "c2lnbmVk"},
]


async def test_what_comes_with_a_call_goes_back_with_it(replay: Replay) -> None:
    """Gemini's signature of a thought and OpenRouter's details, which come in pieces."""
    said = [delta(reasoning=each["text"], reasoning_details=[each]) for each in DETAILS]
    call = called("bash", '{"command": "ls"}', id="c1", index=0, extra_content=SIGNED)
    chunks = (*said, delta(tool_calls=[call]), delta("tool_calls"))
    first = await replay.read(b"".join(lines(chunk, 0) for chunk in chunks) + DONE)
    replay.pieces = (lines(delta("stop", content="Done."), 0),)
    await replay.openai.respond(answered(conversation(), first, "a.py"), Ask())
    [told] = [each for each in replay.asked[-1]["messages"] if each["role"] == "assistant"]
    assert told["tool_calls"][0]["extra_content"] == SIGNED
    [detail] = told["reasoning_details"]
    assert (detail["text"], detail["signature"]) == ("I look first.", "c2lnbmVk")


PRICED = "0.00196"  # 900 of gpt-4.1's tokens in and 20 out


@pytest.mark.parametrize(
    ("chunks", "output"),
    [
        ([delta("stop"), {"choices": [], "usage": COUNTS}], 20),
        ([delta("stop"), {"usage": COUNTS}], 20),
        ([{**delta("stop"), "usage": COUNTS}], 20),
        ([{**delta("stop"), "x_groq": {"id": "r", "usage": COUNTS}}], 20),
        (
            [
                {**delta(content=""), "usage": {"prompt_tokens": 900, "completion_tokens": 0}},
                {**delta(content=""), "usage": {"prompt_tokens": 900, "completion_tokens": 7}},
                {**delta("stop"), "usage": COUNTS},
                {"choices": [], "usage": None},
            ],
            20,
        ),
        ([{**delta("stop"), "usage": None}], None),
        ([delta("stop")], None),
    ],
    ids=["last", "alone", "with the end", "Groq", "vLLM, in each chunk", "null", "none"],
)
async def test_counts_are_read_wherever_they_stand(
    replay: Replay, chunks: list[dict[str, Any]], output: int | None
) -> None:
    """And where there are none, what it cost is unknown, and not nothing."""
    data = b"".join(lines(chunk, 0) for chunk in (delta(content="Done."), *chunks)) + DONE
    told = await replay.read(data)
    assert told.text == "Done."
    assert (told.usage.cost_usd is None) == (output is None)
    if output is not None:
        assert (told.usage.input, told.usage.output) == (900, output)
        assert str(told.usage.cost_usd) == PRICED


PROMISES = {
    "A parameter is refused": (
        "contract/test_provider_dialects.py::test_a_dialect_is_learnt_once",
    ),
    "Tool calls without ids": (
        "contract/test_provider_streams.py::test_every_dialect_by_http",
        "contract/test_provider_dialects.py::test_arguments_are_an_object_whatever_a_model_writes",
    ),
    "Thoughts in `reasoning`": ("contract/test_provider_streams.py::test_every_dialect_by_http",),
    "Thoughts that go back": (
        "contract/test_provider_streams.py::test_what_comes_with_a_call_goes_back_with_it",
        "contract/test_provider_dialects.py::test_thoughts_go_back_with_the_calls_that_they_led_to",
        "contract/test_provider_dialects.py::test_a_server_that_wants_thoughts_back_has_some_of_every_turn",
        "contract/test_provider_dialects.py::test_a_server_that_refuses_thoughts_gets_none",
    ),
    "A call that the model wrote wrongly": (
        "contract/test_provider_dialects.py::test_a_call_that_groq_could_not_read_is_read_here",
        "contract/test_provider_dialects.py::test_a_call_that_gemini_could_not_read_is_asked_for_again",
    ),
    "No token counts": (
        "contract/test_provider_streams.py::test_counts_are_read_wherever_they_stand",
        "contract/test_provider_dialects.py::test_a_server_that_counts_nothing_leaves_the_cost_open",
    ),
    "Gemini's thought signatures": (
        "contract/test_provider_streams.py::test_what_comes_with_a_call_goes_back_with_it",
    ),
    "A window that prompt": (
        "contract/test_provider_failures.py::test_a_full_window_gets_a_shorter_answer_first",
        "contract/test_provider_failures.py::test_a_conversation_that_leaves_no_room_says_how_much_of_it_fits",
        "contract/test_provider_failures.py::test_a_model_with_shorter_answers_is_asked_for_those",
        "flows/test_small_window.py::test_however_a_server_counts_and_refuses",
        "unit/test_room.py::test_a_window_is_read_however_it_is_worded",
    ),
    "Ids of tool calls": (
        "contract/test_provider_dialects.py::test_mistral_gets_short_ids_and_a_word_before_a_note",
        "contract/test_provider_dialects.py::test_ids_that_are_too_long_for_openai_become_short",
    ),
    "No user message behind a tool's result": (
        "contract/test_provider_dialects.py::test_mistral_gets_short_ids_and_a_word_before_a_note",
        "contract/test_provider_dialects.py::test_a_model_without_system_messages_reads_the_rules_first",
    ),
    "One tool call per turn": (
        "contract/test_provider_dialects.py::test_a_template_with_one_call_per_turn_is_told_so",
    ),
    "`retry-after` as seconds": (
        "contract/test_provider_dialects.py::test_a_limit_is_waited_for_as_long_as_the_server_says",
        "unit/test_provider_replies.py::test_the_wait_that_a_provider_asks_for",
    ),
    "Comments, unknown events": (
        "contract/test_provider_streams.py::test_every_dialect_by_http",
        "contract/test_provider_streams.py::test_anthropic_by_http",
    ),
    "An error in the middle": (
        "contract/test_provider_streams.py::test_an_error_in_the_middle_is_told",
        "contract/test_provider_streams.py::test_an_overload_in_the_middle_is_one",
    ),
}
"""Each row of the page's table of servers, by its first words, and the tests that hold it."""


def test_every_promise_has_a_test() -> None:
    """A row that is added to the page needs one, and a test that is gone is missed."""
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    rows = page.partition("| Difference |")[2].partition("\n\n")[0].split("\n")[2:]
    unheld = [row for row in rows if not any(row.startswith(f"| {key}") for key in PROMISES)]
    assert unheld == []
    assert len(rows) == len(PROMISES)
    for test in {test for tests in PROMISES.values() for test in tests}:
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), test
