"""Decide which old turns of a conversation go, and say in a line what happened in each."""

from __future__ import annotations

from collections.abc import Sequence

from bot.llm.base import Message, Text, ToolCall, ToolResult
from bot.repair.proposers.agent.action_words import in_words

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
