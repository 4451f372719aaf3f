"""The Chat Completions API as values: a conversation into its JSON.

Format: https://developers.openai.com/api/reference/resources/chat/subresources/completions, and
what the servers that imitate it do differently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.llm import text_tools
from bot.llm.base import (
    Ask,
    Block,
    Conversation,
    Message,
    Opaque,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from bot.llm.encoding import dumps
from bot.llm.openai_dialect import Dialect

_STAND_IN_CHARACTERS = 200
_SHORT = 9
_BRIDGE = "I see."

AUTHOR = "openai"
"""Of thoughts, which are for people alone, and of what a server wants back with a call."""

EXTRA = "extra_content"
"""What Gemini adds to a call, and refuses the next request without: its thought's signature."""

BACK = "sent_back"
"""A turn's thoughts as they came, by the name of their field."""


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
    if conversation.tools and dialect.tools == "native":
        head["tools"] = [_tool(tool) for tool in conversation.tools]
    return head


def system_messages(conversation: Conversation, dialect: Dialect) -> list[bytes]:
    """Return what goes before all other messages."""
    rules = _rules(conversation, dialect)
    return [dumps({"role": "system", "content": rules})] if rules and dialect.system else []


def _rules(conversation: Conversation, dialect: Dialect) -> str:
    parts = [conversation.system] if conversation.system else []
    if dialect.tools == "text" and conversation.tools:
        parts.append(text_tools.instructions(conversation.tools))
    return "\n\n".join(parts)


def told_to(conversation: Conversation, dialect: Dialect) -> Sequence[Message]:
    """Return the messages as the dialect has them.

    Each call is in a turn of its own where it must be, and the rules are in the first message where
    they have no other place.
    """
    messages = conversation.messages
    if dialect.one_call and dialect.tools == "native":
        messages = tuple(message for pair in _pairs(messages) for message in pair)
    rules = "" if dialect.system else _rules(conversation, dialect)
    if not rules:
        return messages
    first = Message(messages[0].role, (Text(rules), *messages[0].blocks))
    return (first, *messages[1:])


def _pairs(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Yield messages, those of several calls with their results as several turns."""
    position = 0
    while position < len(messages):
        message = messages[position]
        calls = [block for block in message.blocks if isinstance(block, ToolCall)]
        if len(calls) < 2 or position + 1 == len(messages):  # noqa: PLR2004 - several
            yield (message,)
            position += 1
            continue
        yield _one_by_one(message, messages[position + 1], calls)
        position += 2


def _one_by_one(said: Message, answer: Message, calls: Sequence[ToolCall]) -> tuple[Message, ...]:
    words = tuple(block for block in said.blocks if not isinstance(block, ToolCall))
    results = {block.call_id: block for block in answer.blocks if isinstance(block, ToolResult)}
    rest = tuple(block for block in answer.blocks if not isinstance(block, ToolResult))
    turns: list[Message] = []
    for place, call in enumerate(calls):
        last = place == len(calls) - 1
        given = (results[call.id],) if call.id in results else ()
        turns += [
            Message("assistant", (*(() if place else words), call)),
            Message("user", (*given, *(rest if last else ()))),
        ]
    return tuple(turns)


def encode_message(message: Message, dialect: Dialect = Dialect()) -> bytes:  # noqa: B008 - frozen
    """Return the message as one or more JSON objects with commas between.

    Each tool result is a message of its own there. Opaque blocks belong to other providers, but
    for what a server of this kind wants back with its calls.

    Args:
        message: Of the conversation.
        dialect: Of the server, or the model.
    """
    if dialect.tools == "text":
        content = text_tools.as_text(message.blocks)
        return dumps({"role": message.role, "content": content})
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    calls = _calls(message.blocks, dialect)
    parts = _results(message.blocks, dialect)
    said: dict[str, Any] = {"role": message.role, "content": "\n".join(texts)}
    if calls:
        said = {**said, "content": said["content"] or None, "tool_calls": calls}
    if message.role == "assistant":
        said |= _thoughts(message.blocks, dialect)
    if parts and texts and dialect.bridged:
        parts.append({"role": "assistant", "content": _BRIDGE})
    if calls or texts or not parts:
        parts.append(said)
    return b",".join(dumps(part) for part in parts)


def _calls(blocks: Sequence[Block], dialect: Dialect) -> list[dict[str, Any]]:
    extras = _extras(blocks)
    calls: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, ToolCall):
            arguments = json.dumps(dict(block.input), ensure_ascii=False)
            function = {"name": block.name, "arguments": arguments}
            extra = {EXTRA: extras[block.id]} if block.id in extras else {}
            sent = _sent_id(block.id, dialect)
            calls.append({"id": sent, "type": "function", "function": function, **extra})
    return calls


def _results(blocks: Sequence[Block], dialect: Dialect) -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": _sent_id(block.call_id, dialect), "content": block.text}
        for block in blocks
        if isinstance(block, ToolResult)
    ]


def _extras(blocks: Sequence[Block]) -> Mapping[str, Any]:
    """Return what a server of this kind wants back with its calls, by their ids."""
    ours = [block for block in blocks if isinstance(block, Opaque) and block.provider == AUTHOR]
    return {key: value for opaque in ours for key, value in (opaque.data.get(EXTRA) or {}).items()}


def _sent_id(call_id: str, dialect: Dialect) -> str:
    if not dialect.short_ids:
        return call_id
    return hashlib.blake2b(call_id.encode(errors="replace")).hexdigest()[:_SHORT]


def _thoughts(blocks: Sequence[Block], dialect: Dialect) -> Mapping[str, Any]:
    """Return the fields with a turn's thoughts, where the server is to have them.

    DeepSeek takes no empty ones, and a model that reads the same words in every turn says no more
    than them: what stands in for thoughts is what the turn did.
    """
    if dialect.thoughts == "never":
        return {}
    ours = [block for block in blocks if isinstance(block, Opaque) and block.provider == AUTHOR]
    came: Mapping[str, Any] = next(
        (opaque.data[BACK] for opaque in ours if BACK in opaque.data), {}
    )
    if dialect.thoughts != "always" or any(came.values()):
        return came
    said = [block.text for block in blocks if isinstance(block, Text)]
    did = [
        f"{block.name} {json.dumps(dict(block.input))}"
        for block in blocks
        if isinstance(block, ToolCall)
    ]
    words = " ".join([*said, *did])[:_STAND_IN_CHARACTERS]
    return {next(iter(came), "reasoning_content"): words or "(nothing)"}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.schema),
    }
    return {"type": "function", "function": function}
