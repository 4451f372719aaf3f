"""One turn, streamed in the way of each server of docs/models.md in pieces of any size, is read alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.base import Opaque, StopReason, Text, ToolCall
from bot.llm.openai_reply import OpenAIReply
from tests.unit.test_provider_shapes import called, delta

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Turn:
    """What a model thinks, says and calls."""

    thought: str
    words: str
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Cutter:
    """Cuts texts into pieces, by numbers that are drawn."""

    sizes: tuple[int, ...]

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the text in order; an empty one in one piece."""
        start = 0
        for size in self.sizes:
            if start + size >= len(text):
                break
            yield text[start : start + size]
            start += size
        yield text[start:]


Chunks = Iterator[dict[str, Any]]
Server = Callable[[Turn, Cutter], Chunks]

NAMES = st.sampled_from(["bash", "run_tests", "read_file"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="<>`[]{}"), max_size=60)
INPUTS = st.dictionaries(
    st.sampled_from(["command", "path", "limit"]),
    st.text(max_size=20) | st.integers() | st.booleans() | st.none() | st.lists(st.integers()),
    max_size=3,
)
TURNS = st.builds(
    Turn,
    TEXTS.map(str.strip),
    TEXTS.map(str.strip),
    st.lists(st.tuples(NAMES, INPUTS), max_size=3).map(tuple),
)
CUTTERS = st.builds(Cutter, st.lists(st.integers(1, 9), max_size=30).map(tuple))


def said(turn: Turn, cut: Cutter, thoughts: str | None = "reasoning_content") -> Chunks:
    """Yield thoughts in a field of their own, and words."""
    if thoughts and turn.thought:
        yield from (delta(**{thoughts: piece}) for piece in cut.pieces(turn.thought))
    if turn.words:
        yield from (delta(content=piece) for piece in cut.pieces(turn.words))


def openai(turn: Turn, cut: Cutter) -> Chunks:
    """OpenAI: index and id at first, then arguments by index."""
    yield from said(turn, cut)
    for n, (name, given_input) in enumerate(turn.calls):
        yield delta(tool_calls=[called(name, "", id=f"call_{n}", index=n)])
        for piece in cut.pieces(json.dumps(given_input)):
            yield delta(tool_calls=[{"index": n, "function": {"arguments": piece}}])
    yield delta("tool_calls" if turn.calls else "stop")


def interleaved(turn: Turn, cut: Cutter) -> Chunks:
    """A gateway: the pieces of several calls in turn."""
    yield from said(turn, cut)
    for n, (name, _) in enumerate(turn.calls):
        yield delta(tool_calls=[called(name, "", id=f"call_{n}", index=n)])
    for n, (_, given_input) in reversed([*enumerate(turn.calls)]):
        for piece in cut.pieces(json.dumps(given_input)):
            yield delta(tool_calls=[{"index": n, "function": {"arguments": piece}}])
    yield delta("tool_calls")


def interleaved_by_id(turn: Turn, cut: Cutter) -> Chunks:
    """Another gateway: the pieces of several calls in turn, told by their ids."""
    yield from said(turn, cut)
    for n, (name, _) in enumerate(turn.calls):
        yield delta(tool_calls=[called(name, "", id=f"call_{n}")])
    for n, (_, given_input) in reversed([*enumerate(turn.calls)]):
        for piece in cut.pieces(json.dumps(given_input)):
            yield delta(tool_calls=[{"id": f"call_{n}", "function": {"arguments": piece}}])
    yield delta("tool_calls")


def gemini(turn: Turn, cut: Cutter) -> Chunks:
    """Gemini: whole calls, without an index, with an empty id, and `stop` at the end."""
    yield from said(turn, cut, "reasoning")
    for name, given_input in turn.calls:
        yield delta(tool_calls=[called(name, json.dumps(given_input), id="")])
    yield delta("STOP")


def same_id(turn: Turn, cut: Cutter) -> Chunks:
    """Some parsers of vLLM: the same id for every call."""
    yield from said(turn, cut, "reasoning")
    for n, (name, given_input) in enumerate(turn.calls):
        yield delta(tool_calls=[called(name, "", id="call_0", index=n)])
        for piece in cut.pieces(json.dumps(given_input)):
            yield delta(tool_calls=[{"index": n, "function": {"arguments": piece}}])
    yield delta("tool_calls")


def same_id_without_index(turn: Turn, cut: Cutter) -> Chunks:
    """Whole calls that all have one id and no index."""
    yield from said(turn, cut)
    for name, given_input in turn.calls:
        yield delta(tool_calls=[called(name, json.dumps(given_input), id="call_0")])
    yield delta("tool_calls")


def ollama(turn: Turn, cut: Cutter) -> Chunks:
    """Ollama: all calls in one chunk, index 0 for each, arguments as an object."""
    yield from said(turn, cut, "reasoning")
    calls = [
        called(name, given_input, id=f"call_{n}", index=0)
        for n, (name, given_input) in enumerate(turn.calls)
    ]
    yield delta("stop", tool_calls=calls)


def zero_for_all(turn: Turn, cut: Cutter) -> Chunks:
    """An older Ollama: a chunk for each call, index 0, and no ids."""
    yield from said(turn, cut, None)
    for name, given_input in turn.calls:
        yield delta(tool_calls=[called(name, json.dumps(given_input), index=0)])
    yield delta("stop")


def named_in_each_piece(turn: Turn, cut: Cutter) -> Chunks:
    """llama.cpp and some gateways: id and name stand in each piece, and no index."""
    yield from said(turn, cut)
    for n, (name, given_input) in enumerate(turn.calls):
        for piece in cut.pieces(json.dumps(given_input)):
            yield delta(tool_calls=[called(name, piece, id=f"call_{n}")])
    yield delta("tool_calls")


def encoded_twice(turn: Turn, cut: Cutter) -> Chunks:
    """A gateway: arguments are JSON within a string of JSON."""
    yield from said(turn, cut)
    for n, (name, given_input) in enumerate(turn.calls):
        yield delta(tool_calls=[called(name, "", id=f"call_{n}", index=n)])
        for piece in cut.pieces(json.dumps(json.dumps(given_input))):
            yield delta(tool_calls=[{"index": n, "function": {"arguments": piece}}])
    yield delta("tool_calls")


def mistral(turn: Turn, cut: Cutter) -> Chunks:
    """Mistral: content in typed parts, whole calls."""
    if turn.thought:
        for piece in cut.pieces(turn.thought):
            parts = [{"type": "text", "text": piece}]
            yield delta(content=[{"type": "thinking", "thinking": parts}])
    if turn.words:
        for piece in cut.pieces(turn.words):
            yield delta(content=[{"type": "text", "text": piece}])
    calls = [
        called(name, json.dumps(given_input), id=f"abcdefgh{n}", index=n)
        for n, (name, given_input) in enumerate(turn.calls)
    ]
    yield delta("tool_calls" if calls else "stop", tool_calls=calls)


def openrouter(turn: Turn, cut: Cutter) -> Chunks:
    """OpenRouter: thoughts twice, as text and with details; null where there is nothing."""
    for piece in cut.pieces(turn.thought) if turn.thought else ():
        detail = {"type": "reasoning.text", "index": 0, "text": piece}
        yield delta(content="", reasoning=piece, reasoning_details=[detail])
    for chunk in openai(Turn("", turn.words, turn.calls), cut):
        chunk["choices"][0]["delta"] |= {"reasoning": None, "refusal": None, "role": "assistant"}
        yield chunk


def aloud(turn: Turn, cut: Cutter) -> Chunks:
    """A model that marks its thoughts itself."""
    thought = f"<think>\n{turn.thought}\n</think>\n\n" if turn.thought else ""
    yield from openai(Turn("", thought + turn.words, turn.calls), cut)


def aloud_from_the_prompt(turn: Turn, cut: Cutter) -> Chunks:
    """A model whose template has begun its thoughts: only their end is marked."""
    thought = f"{turn.thought}\n</think>\n\n" if turn.thought else ""
    yield from openai(Turn("", thought + turn.words, turn.calls), cut)


def together(turn: Turn, cut: Cutter) -> Chunks:
    """Together: `eos` as the end, counts in a chunk without choices."""
    *chunks, _ = openai(turn, cut)
    yield from chunks
    yield delta("eos")
    yield {"model": "m", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


THINKING = (
    openai, interleaved, interleaved_by_id, gemini, same_id, same_id_without_index, ollama, named_in_each_piece,
    encoded_twice, mistral, openrouter, aloud, aloud_from_the_prompt, together,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("server", [*THINKING, zero_for_all], ids=lambda server: server.__name__)
@given(turn=TURNS, cut=CUTTERS)
def test_every_server_says_the_same(server: Server, turn: Turn, cut: Cutter) -> None:
    """Thoughts, words and calls in order, each call with an id of its own."""
    reply = OpenAIReply()
    for chunk in server(turn, cut):
        reply.feed(json.loads(json.dumps(chunk)))
    read = reply.reply()
    assert read is not None
    calls = [block for block in read.blocks if isinstance(block, ToolCall)]
    assert [(call.name, dict(call.input)) for call in calls] == [*turn.calls]
    assert len({call.id for call in calls}) == len(calls)
    assert "".join(b.text for b in read.blocks if isinstance(b, Text)).strip() == turn.words
    if server is not zero_for_all:
        thoughts = [block.thought for block in read.blocks if isinstance(block, Opaque)]
        assert "".join(thoughts).strip() == turn.thought
    assert read.stop is (StopReason.TOOL_CALLS if calls else StopReason.END)


@pytest.mark.slow
@pytest.mark.parametrize("server", THINKING, ids=lambda server: server.__name__)
@given(turn=TURNS, cut=CUTTERS, at=st.integers(0, 40))
def test_a_cut_stream_is_no_turn(server: Server, turn: Turn, cut: Cutter, at: int) -> None:
    """Whatever arrived before: a call that looks complete may lack the next one."""
    chunks = [*server(turn, cut)]
    ends = next(n for n, chunk in enumerate(chunks) if chunk["choices"][0]["finish_reason"])
    reply = OpenAIReply()
    for chunk in chunks[: min(at, ends)]:
        reply.feed(chunk)
    assert reply.reply() is None
