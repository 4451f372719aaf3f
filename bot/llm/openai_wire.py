"""The Chat Completions API as values: a conversation into its JSON, its chunks into a reply.

Format: https://developers.openai.com/api/reference/resources/chat/subresources/completions, and
what the servers that imitate it do differently.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, assert_never
from uuid import uuid4

from bot.llm.base import (
    Ask,
    Block,
    Conversation,
    Message,
    Opaque,
    StopReason,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from bot.llm.encoding import dumps
from bot.llm.reply import DraftCall, ModelReply, finish
from bot.llm.tokens import TokenCounts, estimate
from bot.model.untrusted import clip

_AUTHOR = "openai"
"""Of thoughts. They are for people alone: this API doesn't take them back."""

_LONGEST_THOUGHT = 4_000

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.MAX_TOKENS,
    "tool_calls": StopReason.TOOL_CALLS,
    "function_call": StopReason.TOOL_CALLS,
    "content_filter": StopReason.REFUSAL,
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server or model understands; learnt from its refusals, see `adapt`.

    Attributes:
        limit: The field for the answer's longest length. Compatible servers know `max_tokens`;
            OpenAI's own models since o1 only the newer name.
        usage: Whether `stream_options` may ask for the token counts.
        effort: `asked` sends what is asked for; `none` turns reasoning off, which OpenAI demands
            of its newest models when tools are used in this API; `omit` sends nothing.
        temperature: Whether one may be asked for.
    """

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    usage: bool = True
    effort: Literal["asked", "none", "omit"] = "asked"
    temperature: bool = True


def adapt(dialect: Dialect, refusal: str) -> Dialect | None:
    """Return the dialect to try after a 400 that says `refusal`, or None when it is no such thing."""
    text = refusal.lower()
    if dialect.limit == "max_tokens" and "max_completion_tokens" in text:
        return replace(dialect, limit="max_completion_tokens")
    if dialect.limit == "max_completion_tokens" and dialect.limit in text:
        return replace(dialect, limit="max_tokens")
    if dialect.usage and ("stream_options" in text or "include_usage" in text):
        return replace(dialect, usage=False)
    if dialect.effort != "omit" and "reasoning_effort" in text:
        off = dialect.effort == "asked" and "none" in text
        return replace(dialect, effort="none" if off else "omit")
    if dialect.temperature and "temperature" in text:
        return replace(dialect, temperature=False)
    return None


def request_head(
    conversation: Conversation, ask: Ask, model: str, dialect: Dialect
) -> dict[str, Any]:
    """Return the request without its messages."""
    head: dict[str, Any] = {"model": model, dialect.limit: ask.max_tokens, "stream": True}
    if dialect.usage:
        head["stream_options"] = {"include_usage": True}
    if dialect.effort == "none":
        head["reasoning_effort"] = "none"
    elif dialect.effort == "asked" and ask.effort:
        head["reasoning_effort"] = ask.effort
    if dialect.temperature and ask.temperature is not None:
        head["temperature"] = ask.temperature
    if conversation.tools:
        head["tools"] = [_tool(tool) for tool in conversation.tools]
    return head


def system_message(text: str) -> bytes:
    """Return the message that goes before all others."""
    return dumps({"role": "system", "content": text})


def encode_message(message: Message, _variant: str = "") -> bytes:
    """Return the message as one or more JSON objects with commas between.

    Each tool result is a message of its own there. Opaque blocks belong to other providers.
    """
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for block in message.blocks:
        match block:
            case Text(text):
                texts.append(text)
            case ToolCall(call_id, name, value):
                arguments = json.dumps(dict(value), ensure_ascii=False)
                function = {"name": name, "arguments": arguments}
                calls.append({"id": call_id, "type": "function", "function": function})
            case ToolResult(call_id, text):
                parts.append({"role": "tool", "tool_call_id": call_id, "content": text})
            case Opaque():
                pass
            case _:
                assert_never(block)
    said: dict[str, Any] = {"role": message.role, "content": "\n".join(texts)}
    if calls:
        said = {**said, "content": said["content"] or None, "tool_calls": calls}
    if calls or texts or not parts:
        parts.append(said)
    return b",".join(dumps(part) for part in parts)


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.schema),
    }
    return {"type": "function", "function": function}


@dataclass(slots=True)
class _Slot:
    """A tool call that is still arriving."""

    index: int | None
    id: str
    name: str
    pieces: list[str]


class OpenAIReply:
    """Puts the chunks of one stream together."""

    def __init__(self) -> None:
        self._model = ""
        self._stop: StopReason | None = None
        self._usage: Mapping[str, Any] | None = None
        self._text: list[str] = []
        self._slots: list[_Slot] = []
        self._refused = False
        self._started = False
        self._received = 0
        self._thought: list[str] = []

    def feed(self, chunk: Mapping[str, Any]) -> None:
        """Take the next chunk. Raises `LookupError` when it lacks what a chunk has."""
        self._started = True
        self._model = chunk.get("model") or self._model
        self._usage = chunk.get("usage") or self._usage
        for choice in (chunk.get("choices") or [])[:1]:
            self._extend(choice.get("delta") or {})
            reason = choice.get("finish_reason")
            if reason:
                self._stop = _STOPS.get(reason, StopReason.END)

    def reply(self) -> ModelReply | None:
        """Return the answer, or None when the stream ended before its finish reason."""
        if self._stop is None:
            return None
        text = "".join(self._text)
        thought = clip("".join(self._thought), _LONGEST_THOUGHT)
        drafts: list[Block | DraftCall] = (
            [Opaque(_AUTHOR, {"thinking": thought})] if thought else []
        )
        drafts += [Text(text)] if text else []
        drafts += [
            DraftCall(slot.id or f"call_{uuid4().hex}", slot.name, "".join(slot.pieces))
            for slot in self._slots
        ]
        blocks, stop = finish(drafts, StopReason.REFUSAL if self._refused else self._stop)
        return ModelReply(blocks, stop, self._model, _tokens(self._usage))

    def spent(self, request_size: int) -> TokenCounts | None:
        """Return what a cut stream cost. The counts come last, so without them it is a guess."""
        if self._usage:
            return _tokens(self._usage)
        if not self._started:
            return None
        return TokenCounts(input=estimate(request_size), output=estimate(self._received))

    def _extend(self, delta: Mapping[str, Any]) -> None:
        refusal = delta.get("refusal") or ""
        self._refused = self._refused or bool(refusal)
        text = (delta.get("content") or "") + refusal
        if text:
            self._text.append(text)
        thought = delta.get("reasoning_content") or ""
        if thought:
            self._thought.append(thought)
        self._received += len(text) + len(thought)
        for call in delta.get("tool_calls") or []:
            self._extend_call(call)

    def _extend_call(self, call: Mapping[str, Any]) -> None:
        function = call.get("function") or {}
        slot = self._slot(call, starts=bool(function.get("name")))
        slot.id = slot.id or call.get("id") or ""
        slot.name = slot.name or function.get("name") or ""
        piece = function.get("arguments") or ""
        if not isinstance(piece, str):  # some servers send the object itself
            piece = json.dumps(piece, ensure_ascii=False)
        slot.pieces.append(piece)
        self._received += len(piece)

    def _slot(self, call: Mapping[str, Any], *, starts: bool) -> _Slot:
        """Return the call that this piece belongs to.

        Pieces name it by index. Some servers leave the index out, and some say 0 for each of
        several calls; there a new id, or a name without an index, starts the next one.
        """
        index, call_id = call.get("index"), call.get("id") or ""
        for slot in reversed(self._slots):
            another = bool(call_id and slot.id and call_id != slot.id)
            if slot.index == index and not another and not (index is None and starts):
                return slot
        self._slots.append(_Slot(index, call_id, "", []))
        return self._slots[-1]


def _tokens(usage: Mapping[str, Any] | None) -> TokenCounts:
    """Return the counts. Unlike Anthropic's, `prompt_tokens` includes what the cache had."""
    if not usage:
        return TokenCounts(known=False)
    details = usage.get("prompt_tokens_details") or {}
    read, written = details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0
    return TokenCounts(
        input=max((usage.get("prompt_tokens") or 0) - read - written, 0),
        output=usage.get("completion_tokens") or 0,
        cache_read=read,
        cache_write=written,
    )
