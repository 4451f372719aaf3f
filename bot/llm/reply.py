"""Make a turn of what a provider streamed, whatever its wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.llm.base import Block, StopReason, ToolCall
from bot.llm.tokens import TokenCounts

UNREADABLE_INPUT = "unreadable_input"
"""The only key of a tool call's input when the model wrote no JSON object: its own words.

The tool then misses the keys it needs and says so, and the model sees what it wrote.
"""


@dataclass(frozen=True, slots=True)
class DraftCall:
    """A tool call as it came: its input is text that should be a JSON object."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One finished answer of a provider. `model` is the provider's own name for it.

    `cleared` are input tokens that the provider left out by itself.
    """

    blocks: tuple[Block, ...]
    stop: StopReason
    model: str
    tokens: TokenCounts
    cleared: int = 0


def finish(
    drafts: Iterable[Block | DraftCall], stop: StopReason
) -> tuple[tuple[Block, ...], StopReason]:
    """Turn drafts into blocks, and agree the stop reason with them.

    A refusal's tool calls are dropped. So is the last one of an answer that hit its token limit,
    unless its input is complete. Some servers say `stop` although they call tools, or the reverse;
    what they did counts.
    """
    pending = list(drafts)
    blocks: list[Block] = []
    for position, draft in enumerate(pending):
        if not isinstance(draft, DraftCall):
            blocks.append(draft)
        elif stop is not StopReason.REFUSAL:
            cut = stop is StopReason.MAX_TOKENS and position == len(pending) - 1
            value = _input(draft.text, cut=cut)
            if value is not None:
                blocks.append(ToolCall(draft.id, draft.name, value))
    return tuple(blocks), _agreed(stop, calls=any(isinstance(block, ToolCall) for block in blocks))


def _input(text: str, *, cut: bool) -> Mapping[str, Any] | None:
    if not text.strip():
        return None if cut else {}
    try:
        value = json.loads(text)
        if isinstance(value, str):  # some gateways encode it twice
            value = json.loads(value)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    return None if cut else {UNREADABLE_INPUT: text}


def _agreed(stop: StopReason, *, calls: bool) -> StopReason:
    if stop is StopReason.END and calls:
        return StopReason.TOOL_CALLS
    if stop is StopReason.TOOL_CALLS and not calls:
        return StopReason.END
    return stop
