"""Notice a model that does the same thing over and over and sees the same result."""

from __future__ import annotations

import json
import re

from bot.llm.base import ToolCall, ToolResult

_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b")
"""Addresses and durations: they differ from run to run and mean nothing."""


class Repetition:
    """Counts equal actions with equal results since the last action that was new.

    An edit and the tests behind it are not repetition, however often: each edit is new. Going
    round in circles is, whether the circle has one action or several.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, str], int] = {}

    def count(self, call: ToolCall, result: ToolResult) -> int:
        """Note the action and return how often it was done since anything new happened."""
        key = (
            call.name,
            json.dumps(call.input, sort_keys=True, default=str),
            _VOLATILE.sub("", result.text),
        )
        if key not in self._seen:
            self._seen = dict.fromkeys(self._seen, 0)
        self._seen[key] = self._seen.get(key, 0) + 1
        return self._seen[key]
