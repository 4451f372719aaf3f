"""The conversation of one attempt, kept short enough for the model that has to read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from bot.llm.base import (
    Conversation,
    Message,
    Opaque,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
)
from bot.repair.proposers.agent import notices
from bot.repair.proposers.agent.action_words import in_words
from bot.repair.proposers.agent.actions import NOTES
from bot.repair.proposers.agent.context_compaction import (
    shortened,
    size_of,
    squeezed,
    with_shorter_data,
)

_LISTED_TURNS = 60
_LINE_CHARACTERS = 300
_WORDS_CHARACTERS = 120
_OUTCOME_CHARACTERS = 40


def fold(sizes: Sequence[int], excess: int, *, keep: int) -> int:
    """Return how many of the oldest messages go: an even number, so that sides still take turns.

    Args:
        sizes: Of the messages behind the opening, the model's and ours by turns.
        excess: Characters to save.
        keep: How many of the newest stay, at least.
    """
    gone = saved = 0
    while saved < excess and gone + 2 <= len(sizes) - keep:
        saved += sizes[gone] + sizes[gone + 1]
        gone += 2
    return gone


def newest_that_fit(lines: Sequence[str], characters: int) -> Sequence[str]:
    """Return the newest of the lines, as many as there is room for: at most 60, at least one."""
    listed = 0
    for line in reversed(lines[-_LISTED_TURNS:]):
        characters -= len(line)
        if characters < 0 and listed:
            break
        listed += 1
    return lines[len(lines) - listed :]


def in_one_line(said: Message, answer: Message) -> str:
    """Return a turn as a line: the first words of the model, what it did, and how that ended."""
    words = " ".join(block.text for block in said.blocks if isinstance(block, Text))
    outcomes = {block.call_id: block for block in answer.blocks if isinstance(block, ToolResult)}
    acts = [
        in_words(call) + _outcome(outcomes.get(call.id))
        for call in said.blocks
        if isinstance(call, ToolCall)
    ]
    parts = [_cut(words, _WORDS_CHARACTERS), "; ".join(acts)]
    return _cut(" | ".join(part for part in parts if part), _LINE_CHARACTERS) or "(nothing)"


def _outcome(result: ToolResult | None) -> str:
    if result is None:
        return ""
    last = result.text.rstrip().rpartition("\n")[2]
    if result.is_error:
        return " → error"
    is_short = last.startswith("(") and len(last) <= _OUTCOME_CHARACTERS
    return f" → {last.strip('()')}" if is_short else ""


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


MOST_CHARACTERS = 400_000
"""About 100,000 to 130,000 tokens: below every current model's window, with room to answer. The
window of a smaller model is learned when it refuses a conversation."""
CLEAR_BEYOND = 80_000
"""Input tokens from which on a provider that edits contexts by itself does; ours comes later."""
_CHARACTERS_PER_TOKEN = 3.5
_STRIDE = 0.5
"""What remains after shortening. A large stride keeps the provider's prefix cache warm: between
two of them every turn only appends."""
_LEARNED = 0.9
"""Of what fits into a window: the most that the next conversations may have."""
_KEPT_MESSAGES = 4
"""The newest messages stay whole, unless they don't fit without the others either."""
_OPENING_SHARE = 0.5
"""Of the room that rules and tools leave: the most that a task has which doesn't fit as a whole. The
rest is for the work on it."""
_LISTED_SHARE = 0.25
"""Of the longest conversation: what the lines about turns that went may have."""


class Transcript:
    """Grows at its end; shortened seldom, and always in the same way for the same content.

    First the output of old tools goes, then whole turns, of which a line each remains. Where that is
    still too much for a small window, what a long task quotes is cut, then the results of the newest
    turns, and in the end these are folded as well. System prompt and the rest of the opening always
    stay, and what the agent noted is said again.

    Attributes:
        cut: The characters that what the task quotes was cut by.
        pruned: How often it was shortened.
        left_out: The characters that this saved.
    """

    def __init__(
        self,
        system: str,
        opening: Sequence[str],
        tools: tuple[Tool, ...],
        *,
        prunes: bool = True,
        cached: bool = True,
    ) -> None:
        """Say how it begins, whether it may be shortened, and whether providers keep it."""
        self.cut = 0
        self.pruned = 0
        self.left_out = 0
        self._prunes = prunes
        self._cached = cached
        self._system = system
        self._tools = tools
        self._opening = tuple(map(Text, opening))
        self._folded: tuple[str, ...] = ()
        self._messages: tuple[Message, ...] = (Message("user", self._opening),)
        self._most = MOST_CHARACTERS
        self._spared = 0
        self._size = self._measured()

    @property
    def conversation(self) -> Conversation:
        """What the model is asked to continue."""
        return Conversation(
            self._system,
            self._messages,
            self._tools,
            CLEAR_BEYOND if self._prunes else None,
            never_cleared=(NOTES,),
            cached=self._cached,
        )

    def shows(self, result: ToolResult) -> bool:
        """Whether the model can still read a result as it was given.

        Where a provider leaves out old ones by itself, only the newest are sure to be there.
        """
        messages = self._messages[-_KEPT_MESSAGES:] if self._spared else self._messages
        return any(block == result for message in messages for block in message.blocks)

    def offer(self, tools: tuple[Tool, ...]) -> None:
        """Let the model use these tools; before it is asked for the first time."""
        self._tools = tools
        self._size = self._measured()

    def add_turn(self, turn: Turn) -> None:
        """Append what the model said, even nothing: sides take turns."""
        self._add(Message("assistant", turn.blocks))
        self._spared = int(turn.cleared * _CHARACTERS_PER_TOKEN)

    def add_answer(self, results: Sequence[ToolResult], note: str = "") -> None:
        """Append the tools' results, and a note of ours behind them."""
        notes = (Text(note),) if note else ()
        last = self._messages[-1]
        if last.role == "user":  # the turn between was taken back
            self._messages = self._messages[:-1]
            self._add(replace(last, blocks=(*last.blocks, *results, *notes)))
        else:
            self._add(Message("user", (*results, *notes)))

    def drop_turn(self) -> None:
        """Take back the last turn, which the model would otherwise be held to: it refused."""
        self._messages = self._messages[:-1]
        self._size = self._measured()

    def forget_thoughts(self) -> None:
        """Drop what only the model that thought it can read."""
        self._messages = tuple(map(_without_thoughts, self._messages))
        self._size = self._measured()

    def start_afresh(self, kept: str, note: str) -> None:
        """Leave a line of each turn, the agent's notes and a note of ours; the next turn is the first."""
        turns = self._messages[1:]
        self._folded = (*self._folded, *map(in_one_line, turns[::2], turns[1::2]))
        self._messages = (Message("user", (*self._opening, self._told(kept), Text(note))),)
        self._size = self._measured()

    def shorten_when_long(self, kept: str = "") -> None:
        """Shorten the conversation when it has grown too long; `kept` are the agent's notes."""
        if self._prunes and self._size - self._spared > self._most:
            self._shorten(int(self._most * _STRIDE), self._most, kept)

    def shorten(self, kept: str = "", fits: float | None = None) -> bool:
        """Shorten a conversation that was refused as too long; return whether that changed it.

        Later ones stay below what fits; where nobody says what does, below the refused one.

        Args:
            kept: The agent's notes.
            fits: The share of the conversation that the model takes, or None.
        """
        before = self._size
        if not self._prunes:
            return False
        most = int(before * min(1.0, 1.0 if fits is None else max(0.0, fits)) * _LEARNED)
        self._most = min(self._most, most)
        must = before // 2 if fits is None else self._most
        self._shorten(min(int(self._most * _STRIDE), must), must, kept)
        return self._size < before

    def _shorten(self, target: int, must: int, kept: str) -> None:
        """Shorten to the target if old turns are enough for that, and in any way to what must be."""
        before = self._size
        self._messages = shortened(self._messages, self._size - target, keep=_KEPT_MESSAGES)
        self._fold(self._measured() - target, kept, keep=_KEPT_MESSAGES)
        if self._measured() > must:
            room = must - self._measured(without_messages=True)
            self._cut_opening(self._opening_size - int(room * _OPENING_SHARE))
        self._messages = squeezed(self._messages, self._measured() - must)
        self._fold(self._measured() - must, kept, keep=2)
        self._fold(self._measured() - must, kept, keep=0)
        self._cut_opening(self._measured() - must)
        self._size = self._measured()
        if self._size < before:
            self.pruned += 1
            self.left_out += before - self._size

    def _cut_opening(self, excess: int) -> None:
        if excess <= 0:
            return
        texts = with_shorter_data([text.text for text in self._opening], excess)
        behind = self._messages[0].blocks[len(self._opening) :]
        before, self._opening = self._opening_size, tuple(map(Text, texts))
        self.cut += before - self._opening_size
        first = replace(self._messages[0], blocks=(*self._opening, *behind))
        self._messages = (first, *self._messages[1:])

    def _fold(self, excess: int, kept: str, *, keep: int) -> None:
        turns = self._messages[1:]
        gone = fold([size_of(message) for message in turns], excess, keep=keep)
        if not gone:
            return
        self._folded = (*self._folded, *map(in_one_line, turns[:gone:2], turns[1:gone:2]))
        last = () if turns[gone:] else (Text(notices.turn_too_large()),)
        self._messages = (
            Message("user", (*self._opening, self._told(kept), *last)),
            *turns[gone:],
        )

    def _told(self, kept: str) -> Text:
        """Return what is said of the turns that went, and what the agent noted."""
        listed = newest_that_fit(self._folded, int(self._most * _LISTED_SHARE))
        return Text(notices.folded(len(self._folded), listed, kept))

    def _measured(self, *, without_messages: bool = False) -> int:
        tools = sum(
            len(json.dumps(dict(tool.schema))) + len(tool.description) for tool in self._tools
        )
        messages = () if without_messages else self._messages
        return len(self._system) + tools + sum(map(size_of, messages))

    @property
    def _opening_size(self) -> int:
        return sum(len(text.text) for text in self._opening)

    def _add(self, message: Message) -> None:
        self._messages = (*self._messages, message)
        self._size += size_of(message)


def _without_thoughts(message: Message) -> Message:
    kept = tuple(block for block in message.blocks if not isinstance(block, Opaque))
    return replace(message, blocks=kept)
