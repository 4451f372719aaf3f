"""Make a conversation smaller: results of tools, dropped where they are old, else cut; then what it quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from bot.llm.base import Block, Message, Opaque, Text, ToolCall, ToolResult
from bot.model.untrusted import quoted_sizes, requoted
from bot.repair.proposers.agent import notices

_WORTH_DROPPING = 400
_LEAST_OF_RESULT = 500
"""Characters that are left of a result of the newest turn."""
_LEAST_OF_DATA = 100
"""Characters that are left of what a task quotes."""
_CUT_FIRST = ("comment by", "map", "guidance", "tests in")
"""Beginnings of labels."""


def shortened(messages: Sequence[Message], excess: int, *, keep: int) -> tuple[Message, ...]:
    """Return the messages with enough old tool output dropped to save `excess` characters.

    The oldest goes first; the newest messages and everything but tool output stay as they are.

    Args:
        messages: Of the conversation.
        excess: Characters to save.
        keep: How many of the newest messages stay whole.
    """
    result = list(messages)
    for index, message in enumerate(messages[: max(0, len(messages) - keep)]):
        if excess <= 0:
            break
        result[index] = replace(message, blocks=tuple(map(_without_output, message.blocks)))
        excess -= size_of(message) - size_of(result[index])
    return tuple(result)


def squeezed(messages: Sequence[Message], excess: int) -> tuple[Message, ...]:
    """Return the messages with the results of the newest turns made smaller, the last ones least.

    What the model has read is dropped first. Of what it has not, every result keeps its beginning
    and its end, and the longest are cut most.
    """
    older = shortened(messages, excess, keep=1)
    excess -= sum(map(size_of, messages)) - sum(map(size_of, older))
    if excess <= 0:
        return older
    last = older[-1]
    sizes = [len(block.text) for block in last.blocks if isinstance(block, ToolResult)]
    most = max(_LEAST_OF_RESULT, level(sizes, sum(sizes) - excess))
    return (*older[:-1], replace(last, blocks=tuple(_cut(block, most) for block in last.blocks)))


def with_shorter_data(texts: Sequence[str], excess: int) -> tuple[str, ...]:
    """Return texts of which the data that they quote is cut to save `excess` characters.

    What was not quoted stays: our own words, and those of the person who asked. What others said
    and what the model can look up itself goes first; of several blocks the longest are cut most, and
    each keeps its beginning and its end.
    """
    shorter = tuple(texts)
    for kinds in (_CUT_FIRST, ("",)):
        left = excess - sum(map(len, texts)) + sum(map(len, shorter))
        if left > 0:
            sizes = [size for text in shorter for size in quoted_sizes(text, kinds)]
            most = max(_LEAST_OF_DATA, level(sizes, sum(sizes) - left))
            shorter = tuple(requoted(text, most, kinds) for text in shorter)
    return shorter


def level(sizes: Sequence[int], room: int) -> int:
    """Return the length to which the longest are cut so that all of them together have room."""
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(0, share)
        left -= size
    return max(sizes, default=0)


def size_of(message: Message) -> int:
    """Return about how many characters a model reads of a message."""
    return sum(map(_block_size, message.blocks))


def _without_output(block: Block) -> Block:
    if not isinstance(block, ToolResult) or len(block.text) < _WORTH_DROPPING:
        return block
    return replace(block, text=notices.output_dropped(block.text))


def _cut(block: Block, most: int) -> Block:
    if not isinstance(block, ToolResult) or len(block.text) <= most:
        return block
    return replace(block, text=notices.cut_to_fit(block.text, most))


def _block_size(block: Block) -> int:
    match block:
        case Text(text) | ToolResult(_, text):
            return len(text)
        case ToolCall():
            return sum(len(str(value)) for value in block.input.values())
        case Opaque():
            return sum(len(str(value)) for value in block.data.values())
        case _:
            assert_never(block)
