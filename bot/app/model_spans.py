"""The span of a model call, by OpenTelemetry's conventions for generative AI."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, assert_never

from bot.errors import ProviderError
from bot.llm.base import (
    Ask,
    Block,
    Conversation,
    Message,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)
from bot.model.untrusted import clip
from bot.telemetry import span
from bot.telemetry.place import RunPlace
from bot.telemetry.span import AttributeValue, SpanData

_MESSAGES = 20
"""Of a conversation, the last ones: those before them are in the spans of earlier turns."""

_CHARACTERS = 8_000
"""Of one text in them."""

_FINISH = {
    StopReason.END: "stop",
    StopReason.TOOL_CALLS: "tool_call",
    StopReason.MAX_TOKENS: "length",
    StopReason.REFUSAL: "content_filter",
}


def answered(
    place: RunPlace,
    turn: Turn,
    ask: Ask,
    told: Conversation | None,
    began: float,
    seconds: float,
) -> SpanData:
    """Return the span of a call that was answered.

    Args:
        place: Where in a run it was made.
        turn: The answer.
        ask: How it was asked for.
        told: What the model was told, where the span is to say that; else None.
        began: Unix time.
        seconds: Until the answer was there.
    """
    usage = turn.usage
    attributes: dict[str, AttributeValue] = {
        **_asked(place, ask, turn.model),
        span.PROVIDER: turn.provider,
        span.RESPONSE_MODEL: turn.model,
        span.FINISH_REASONS: (_FINISH[turn.stop],),
        # by the conventions it includes what came from the provider's cache
        span.INPUT_TOKENS: usage.input + usage.cache_read + usage.cache_write,
        span.OUTPUT_TOKENS: usage.output,
        span.CACHE_READ_TOKENS: usage.cache_read,
        span.CACHE_WRITE_TOKENS: usage.cache_write,
    }
    if usage.cost_usd is not None:
        attributes["fixpoint.cost_usd"] = float(usage.cost_usd)
    if turn.notes:
        attributes["fixpoint.notes"] = turn.notes
    if told is not None:
        finish = {"finish_reason": _FINISH[turn.stop]}
        answer = {**_message(Message("assistant", turn.blocks)), **finish}
        attributes[span.SYSTEM_INSTRUCTIONS] = _json(_parts([Text(told.system)]))
        attributes[span.INPUT_MESSAGES] = _json(list(map(_message, told.messages[-_MESSAGES:])))
        attributes[span.OUTPUT_MESSAGES] = _json([answer])
    return _chat(place, turn.model, attributes, began, seconds)


def failed(
    place: RunPlace,
    model: str,
    ask: Ask,
    error: ProviderError,
    began: float,
    seconds: float,
) -> SpanData:
    """Return the span of a call that nobody answered; see `answered`."""
    attributes = {**_asked(place, ask, model), span.ERROR_TYPE: type(error).__name__}
    return _chat(place, model, attributes, began, seconds, str(error))


def _chat(
    place: RunPlace,
    model: str,
    attributes: dict[str, AttributeValue],
    began: float,
    seconds: float,
    error: str = "",
) -> SpanData:
    return SpanData(
        place.run_id,
        f"chat {model}",
        place.key,
        began,
        began + seconds,
        attributes=attributes,
        calls_out=True,
        error=error,
    )


def _asked(place: RunPlace, ask: Ask, model: str) -> dict[str, AttributeValue]:
    return {
        span.OPERATION: "chat",
        span.CONVERSATION: f"{place.run_id} {place.attempt or 0}",
        span.REQUEST_MODEL: ask.model or model,
        span.REQUEST_MAX_TOKENS: ask.max_tokens,
    }


def _message(message: Message) -> dict[str, Any]:
    """Return a message as the conventions' JSON schema has it."""
    return {"role": message.role, "parts": _parts(message.blocks)}


def _parts(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [part for block in blocks if (part := _part(block)) is not None]


def _part(block: Block) -> dict[str, Any] | None:
    match block:
        case Text(text):
            return {"type": "text", "content": clip(text, _CHARACTERS)}
        case ToolCall(id=call, name=name, input=given):
            arguments = {
                key: clip(item, _CHARACTERS) if isinstance(item, str) else item
                for key, item in given.items()
            }
            return {"type": "tool_call", "id": call, "name": name, "arguments": arguments}
        case ToolResult(call_id=call, text=text):
            response = clip(text, _CHARACTERS)
            return {"type": "tool_call_response", "id": call, "response": response}
        case Opaque():
            thought = clip(block.thought, _CHARACTERS)
            return {"type": "reasoning", "content": thought} if thought else None
        case _:
            assert_never(block)


def _json(value: list[dict[str, Any]]) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
