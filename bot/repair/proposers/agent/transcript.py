"""The conversation of one attempt, kept short enough for a model by dropping old tool output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from bot.llm.base import (
    Block,
    Conversation,
    Message,
    Opaque,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
)

MOST_CHARACTERS = 400_000
"""About 100,000 to 130,000 tokens: below every current model's window, with room to answer."""
_STRIDE = 0.5
"""What remains after shortening. A large stride keeps the provider's prefix cache warm: between
two of them every turn only appends."""
_KEPT_MESSAGES = 4
"""The newest messages stay whole, whatever their size."""
_WORTH_DROPPING = 400


class Transcript:
    """Grows at its end; shortened seldom, and always in the same way for the same content."""

    def __init__(self, system: str, opening: str, tools: tuple[Tool, ...]) -> None:
        self._system = system
        self._tools = tools
        self._messages: tuple[Message, ...] = (Message("user", (Text(opening),)),)
        self._size = len(system) + len(opening)

    @property
    def conversation(self) -> Conversation:
        """What the model is asked to continue."""
        return Conversation(self._system, self._messages, self._tools)

    def add_turn(self, turn: Turn) -> None:
        """Append what the model said, even nothing: sides take turns."""
        self._add(Message("assistant", turn.blocks))

    def add_answer(self, results: Sequence[ToolResult], note: str = "") -> None:
        """Append the tools' results, and a note of ours behind them."""
        notes = (Text(note),) if note else ()
        self._add(Message("user", (*results, *notes)))

    def shorten_when_long(self) -> None:
        """Drop old tool output when the conversation has grown past `MOST_CHARACTERS`."""
        if self._size > MOST_CHARACTERS:
            self._shorten(int(MOST_CHARACTERS * _STRIDE))

    def shorten(self) -> bool:
        """Halve the conversation as far as tool output allows; return whether that changed it."""
        before = self._size
        self._shorten(before // 2)
        return self._size < before

    def _shorten(self, target: int) -> None:
        self._messages = shortened(self._messages, self._size - target)
        self._size = len(self._system) + sum(map(_size, self._messages))

    def _add(self, message: Message) -> None:
        self._messages = (*self._messages, message)
        self._size += _size(message)


def shortened(messages: Sequence[Message], excess: int) -> tuple[Message, ...]:
    """Return the messages with enough old tool output dropped to save `excess` characters.

    The oldest goes first; the newest messages and everything but tool output stay as they are.
    """
    result = list(messages)
    for index, message in enumerate(messages[: max(0, len(messages) - _KEPT_MESSAGES)]):
        if excess <= 0:
            break
        result[index] = replace(message, blocks=tuple(map(_without_output, message.blocks)))
        excess -= _size(message) - _size(result[index])
    return tuple(result)


def _without_output(block: Block) -> Block:
    if not isinstance(block, ToolResult) or len(block.text) < _WORTH_DROPPING:
        return block
    note = f"({len(block.text):,} characters of older output dropped; run it again if you need it)"
    return replace(block, text=note)


def _size(message: Message) -> int:
    return sum(map(_block_size, message.blocks))


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
