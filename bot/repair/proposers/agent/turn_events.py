"""What those who watch are told of a model's turns and tools."""

from __future__ import annotations

from bot.llm.base import ToolCall, ToolResult, Turn
from bot.model import Usage
from bot.model.progress import ToolUsed, TurnFinished
from bot.model.untrusted import clip
from bot.repair.proposers.agent.action_words import file_of, in_words
from bot.reporting.reasons import agent

_CHARACTERS = 4_000
"""Of each text that is told."""


def turn_finished(
    turn: Turn, *, attempt: int, number: int, usage: Usage, seconds: float
) -> TurnFinished:
    """Return the event of a turn.

    Args:
        turn: Of the model.
        attempt: Counts from 1.
        number: Of the turn, from 1.
        usage: Of the attempt so far.
        seconds: That the answer took.
    """
    return TurnFinished(
        attempt,
        number,
        turn.model,
        ", ".join(map(in_words, turn.tool_calls)) or agent.FINISHED,
        usage,
        clip(turn.text.strip(), _CHARACTERS),
        calls=len(turn.tool_calls),
        seconds=seconds,
        thought=clip(turn.thought.strip(), _CHARACTERS),
    )


def tool_used(
    call: ToolCall, result: ToolResult, *, attempt: int, turn: int, seconds: float
) -> ToolUsed:
    """Return the event of a tool that did what the model asked for in that turn."""
    path, operation = file_of(call)
    return ToolUsed(
        attempt=attempt,
        turn=turn,
        tool=call.name,
        action=in_words(call),
        asked={name: clip(str(key), _CHARACTERS) for name, key in call.input.items()},
        answer=clip(result.text, _CHARACTERS),
        failed=result.is_error,
        path=path,
        operation=operation,
        seconds=seconds,
    )
