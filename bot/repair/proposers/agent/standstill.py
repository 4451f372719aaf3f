"""Notice a model whose edits change nothing: whatever it runs fails as it did before."""

from __future__ import annotations

import re

from bot.llm.base import ToolCall, ToolResult
from bot.repair.proposers.agent.actions import BASH, RUN_TESTS

SAME_OUTCOMES = 6
"""Commands that fail in the same way, whatever was edited in between, before help comes."""

_VOLATILE = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b|0x[0-9a-fA-F]+"
    r"|\bline \d+|(?<=\.\w{2}):\d+|(?<=\.\w):\d+|(?<=\.\w{3}):\d+|\bpytest-\d+"
)
"""What an edit above a failure moves, and what differs from run to run. Counts are left."""

_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|errors?|traceback|not ok|panicked)\b", re.IGNORECASE
)
_HEADLINE = re.compile(r"\A`.*?` (?=passed|failed|timed out)", re.DOTALL)
_NOTHING = "(no output)"
_PASSED = "(exit code 0)"


class Standstill:
    """Counts equal outcomes of commands until one of these commands ends in a new way.

    What passes counts where tests are run, and where its output says that something failed: a pipe
    or an `echo` behind a command hides its exit code. What prints nothing shows nothing.
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._last: dict[str, str] = {}

    def count(self, call: ToolCall, result: ToolResult) -> int:
        """Note what a tool gave back; return how often commands have ended like this since progress."""
        if call.name not in {BASH, RUN_TESTS} or result.is_error:
            return 0
        command = " ".join(str(call.input.get("command") or "").split())
        outcome = _outcome(call.name, command, _VOLATILE.sub("", result.text))
        before = self._last.get(command)
        self._last[command] = outcome
        if before is not None and outcome != before and outcome not in self._times:
            self._times = dict.fromkeys(self._times, 0)
        if not outcome:
            return 0
        self._times[outcome] = self._times.get(outcome, 0) + 1
        return self._times[outcome]


def _outcome(tool: str, command: str, text: str) -> str:
    """Return how a command ended, the same for the same failure; "" where nothing failed."""
    if tool == RUN_TESTS:
        return _HEADLINE.sub("", text, count=1)
    output, _, ending = text.rpartition("\n")
    if output == _NOTHING:
        return ""
    if ending != _PASSED:
        return text
    return f"{command}\n{text}" if _FAILS.search(output) else ""
