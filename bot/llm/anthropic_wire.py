"""Anthropic's Messages API as values: a conversation into its JSON, its events into a reply.

Format: https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

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

_CACHE = {"type": "ephemeral"}

CONTEXT_EDITING = "context-management-2025-06-27"
"""The beta that a request with `context_management` has to name."""
_KEPT_TOOL_USES = 4

_FIRST_ADAPTIVE = (4, 6)
_VERSION = re.compile(r"^claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?")
_OLD_STYLE = re.compile(r"^claude-\d")

_NO_FUNCTION = re.compile(
    r"\btools?\b.{0,40}?\b(?:type|tag|function|input_schema|description)s?\b", re.IGNORECASE
)
_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9_-]")

_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "pause_turn": StopReason.END,  # only tools that run at Anthropic pause, and we use none
    "tool_use": StopReason.TOOL_CALLS,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
}


def author(provider: str, model: str) -> str:
    """Return the name under which a model's thinking is kept: only that model can read it."""
    return f"{provider}/{model}"


def thinks_adaptively(model: str) -> bool:
    """Return whether the model takes `thinking: adaptive` and `effort`: all from Claude 4.6 on.

    Names of a form that is not known are taken for newer models.
    """
    if _OLD_STYLE.match(model):
        return False
    version = _VERSION.match(model)
    if version is None:
        return True
    return (int(version[1]), int(version[2] or 0)) >= _FIRST_ADAPTIVE


def request_head(
    conversation: Conversation, ask: Ask, model: str, *, clears: bool = True, typed: bool = True
) -> dict[str, Any]:
    """Return the request without its messages.

    `clears`: the server knows context editing; `typed`: it knows Anthropic's own types of tools.

    Two breakpoints of the cache: behind system and tools, which all conversations of a kind share,
    and (the top-level one) behind the last block, which the next turn then reads back.
    """
    head: dict[str, Any] = {
        "model": model,
        "max_tokens": ask.max_tokens,
        "stream": True,
    }
    mark = {"cache_control": _CACHE} if conversation.cached else {}
    head |= mark
    if conversation.tools:
        head["tools"] = [_tool(tool, typed=typed) for tool in conversation.tools]
    if conversation.system:
        head["system"] = [{"type": "text", "text": conversation.system, **mark}]
    if thinks_adaptively(model):
        # some models would leave out what they think, and people watch
        head["thinking"] = {"type": "adaptive", "display": "summarized"}
        if ask.effort:
            head["output_config"] = {"effort": ask.effort}
        if clears and conversation.clear_beyond is not None:
            head["context_management"] = {"edits": [_clearing(conversation)]}
    return head


def _clearing(conversation: Conversation) -> dict[str, Any]:
    """Return the edit that leaves out old results of tools, seldom and much of them at once.

    Each time, the cache loses what is behind the first result that goes.
    https://platform.claude.com/docs/en/build-with-claude/context-editing
    """
    most = conversation.clear_beyond or 0
    return {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": most},
        "keep": {"type": "tool_uses", "value": _KEPT_TOOL_USES},
        "clear_at_least": {"type": "input_tokens", "value": most // 3},
        "exclude_tools": list(conversation.never_cleared),
    }


def encode_message(message: Message, reader: str) -> bytes:
    """Return the message as JSON for `reader` (see `author`); others' opaque blocks are left out.

    Blocks that the API refuses are left out too: text without a visible character, and an answer
    of thinking alone, which gets a word in its place.
    """
    content = [part for block in message.blocks if (part := _part(block, reader)) is not None]
    if all(part["type"] not in {"text", "tool_use", "tool_result"} for part in content):
        content = [{"type": "text", "text": "(no answer)"}]
    return dumps({"role": message.role, "content": content})


def _part(block: Block, reader: str) -> Mapping[str, Any] | None:
    match block:
        case Text(text):
            return {"type": "text", "text": text} if text.strip() else None
        case ToolCall(call_id, name, value):
            return {"type": "tool_use", "id": _id(call_id), "name": name, "input": dict(value)}
        case ToolResult(call_id, text, is_error):
            part = {"type": "tool_result", "tool_use_id": _id(call_id), "content": text}
            return {**part, "is_error": True} if is_error else part
        case Opaque(provider, data):
            return data if provider == reader else None
        case _:
            assert_never(block)


def _id(call_id: str) -> str:
    """Return an id that Anthropic takes; other providers also use dots and colons."""
    return _NOT_IN_IDS.sub("_", call_id)


def refuses_types(tools: Sequence[Tool], refusal: str) -> bool:
    """Return whether a server says that it does not know Anthropic's own types of tools.

    Gateways in front of other servers take only functions: they name the type, or a field that they
    miss in what has a type.
    """
    types = [tool.anthropic_type for tool in tools if tool.anthropic_type]
    named = any(item in refusal for item in types)
    return bool(types) and (named or _NO_FUNCTION.search(refusal) is not None)


def _tool(tool: Tool, *, typed: bool) -> dict[str, Any]:
    if tool.anthropic_type and typed:
        return {"type": tool.anthropic_type, "name": tool.name}
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


class AnthropicReply:
    """Puts the events of one stream together."""

    def __init__(self, author: str) -> None:
        self._author = author
        self._model = ""
        self._stop: StopReason | None = None
        self._usage: dict[str, int] = {}
        self._drafts: list[Block | DraftCall] = []
        self._open: dict[str, Any] = {}
        self._pieces: dict[str, list[str]] = {}
        self._received = 0
        self._cleared = 0

    def feed(self, event: Mapping[str, Any]) -> None:
        """Take the next event. Raises `LookupError` when it lacks what its type has."""
        match event.get("type"):
            case "message_start":
                self._model = event["message"].get("model", "")
                self._count(event["message"].get("usage"))
            case "content_block_start":
                self._open = dict(event["content_block"])
                self._pieces = {}
            case "content_block_delta":
                self._extend(event["delta"])
            case "content_block_stop":
                self._close()
            case "message_delta":
                reason = event["delta"].get("stop_reason")
                self._stop = _STOPS.get(reason, StopReason.END) if reason else self._stop
                edits = (event.get("context_management") or {}).get("applied_edits") or []
                self._cleared = sum(edit.get("cleared_input_tokens", 0) for edit in edits)
                self._count(event.get("usage"))
            case _:
                pass  # message_stop, ping, and whatever is added later

    def reply(self) -> ModelReply | None:
        """Return the answer, or None when the stream ended before its stop reason."""
        if self._stop is None:
            return None
        blocks, stop = finish(self._drafts, self._stop)
        return ModelReply(
            blocks,
            stop,
            self._model,
            self._tokens(self._usage.get("output_tokens", 0)),
            self._cleared,
        )

    def spent(self) -> TokenCounts | None:
        """Return what a cut stream cost: the prompt as counted, what came of the answer guessed."""
        if not self._usage:
            return None
        counted = self._usage.get("output_tokens", 0)
        return self._tokens(max(counted, estimate(self._received)))

    def _extend(self, delta: Mapping[str, Any]) -> None:
        for key in ("text", "thinking", "signature", "partial_json"):
            piece = delta.get(key)
            if piece:
                self._pieces.setdefault(key, []).append(piece)
                self._received += len(piece)

    def _close(self) -> None:
        block, joined = self._open, {key: "".join(own) for key, own in self._pieces.items()}
        match block.get("type"):
            case "text":
                self._drafts.append(Text(block.get("text", "") + joined.get("text", "")))
            case "tool_use":
                text = joined.get("partial_json") or _given_input(block)
                self._drafts.append(DraftCall(block["id"], block["name"], text))
            case _:
                whole = {key: block.get(key, "") + own for key, own in joined.items()}
                self._drafts.append(Opaque(self._author, {**block, **whole}))
        self._open, self._pieces = {}, {}

    def _count(self, usage: Mapping[str, Any] | None) -> None:
        """Take over the counters; they are cumulative, and later events may leave some out."""
        for key, value in (usage or {}).items():
            if isinstance(value, int):
                self._usage[key] = value

    def _tokens(self, output: int) -> TokenCounts:
        return TokenCounts(
            input=self._usage.get("input_tokens", 0),
            output=output,
            cache_read=self._usage.get("cache_read_input_tokens", 0),
            cache_write=self._usage.get("cache_creation_input_tokens", 0),
            known=bool(self._usage),
        )


def _given_input(block: Mapping[str, Any]) -> str:
    """Return the input that came with the block's start; some gateways send no deltas."""
    given = block.get("input")
    return dumps(given).decode() if given else ""
