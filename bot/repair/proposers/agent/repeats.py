"""Tell a result that the model has in sight already by what is new in it.

Every turn behind a result pays for it again. An agent runs the same tests after each edit and
looks at the same files: what they show is then mostly what is above, so only that is said, with
what changed.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.limited_process import TooMuch, run_limited
from bot.llm.base import ToolCall, ToolResult
from bot.repair.proposers.agent import notices
from bot.repair.proposers.agent.actions import BASH, RUN_TESTS

_WORTH_SAYING_SHORTER = 400
"""Characters; what is shorter is said again."""
_MOST_LEFT_OF_SAME, _MOST_LEFT_OF_CHANGED = 0.5, 0.33
"""Of a result; where more than that would be left, it is clearer as a whole."""
_LINE_CHARACTERS = 300
_COMMANDS = frozenset({BASH, RUN_TESTS})
"""Tools whose results are told by their differences. What is looked at in order to be edited is
told as a whole, unless it is the same."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A result as the model saw it as a whole, and in which turn."""

    turn: int
    result: ToolResult


class Repeats:
    """What the model was shown, by call.

    Attributes:
        count: How many results were told shorter.
        saved: The characters that they would have had besides.
    """

    def __init__(self) -> None:
        self.count = 0
        self.saved = 0
        self._shown: dict[str, _Shown] = {}

    async def told(
        self,
        call: ToolCall,
        result: ToolResult,
        turn: int,
        in_sight: Callable[[ToolResult], bool],
    ) -> ToolResult:
        """Return the result as the model is told it.

        Args:
            call: What was asked for.
            result: All of what came of it.
            turn: Its number.
            in_sight: Whether the model can still read a result that it was given.
        """
        if result.is_error or len(result.text) < _WORTH_SAYING_SHORTER:
            return result
        key = json.dumps([call.name, dict(call.input)], sort_keys=True, default=str)
        before = self._shown.get(key)
        if before is not None and in_sight(before.result):
            text = await _shorter(call.name, before.result.text, result.text, turn - before.turn)
            if text:
                self.count += 1
                self.saved += len(result.text) - len(text)
                return replace(result, text=text)
        self._shown[key] = _Shown(turn, result)
        return result


async def _shorter(tool: str, before: str, now: str, ago: int) -> str:
    """Return what tells the later result, or "" where that is best told as a whole."""
    if before == now:
        text, most = same(now, ago), _MOST_LEFT_OF_SAME
    elif tool in _COMMANDS:
        try:
            text, most = await run_limited(but_for, before, now, ago), _MOST_LEFT_OF_CHANGED
        except TooMuch:
            return ""
    else:
        return ""
    return text if len(text) <= most * len(now) else ""


def same(text: str, ago: int) -> str:
    """Return the first and the last line of a result, with a note in place of the others."""
    lines = text.split("\n")
    first, last = lines[0][:_LINE_CHARACTERS], lines[-1][:_LINE_CHARACTERS]
    return f"{first}\n{notices.as_before(ago)}\n{last}"


def but_for(before: str, now: str, ago: int) -> str:
    """Return what changed between two results of the same call, and how the later one ends."""
    lines = now.split("\n")
    changes = list(difflib.unified_diff(before.split("\n"), lines, n=1, lineterm=""))[2:]
    return "\n".join([notices.as_before_but_for(ago), *changes, lines[-1]])
