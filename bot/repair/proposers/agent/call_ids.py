"""Give each call of a conversation an id of its own: some servers count anew in every turn."""

from __future__ import annotations

from dataclasses import replace

from bot.llm.base import ToolCall


class CallIds:
    """The ids of an attempt's calls. Anthropic's API refuses a conversation that has one twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._given: set[str] = set()

    def own(self, call: ToolCall) -> ToolCall:
        """Return the call with its id, or with a number behind it where another call has that."""
        identity, number = call.id, 1
        while identity in self._given:
            number += 1
            identity = f"{call.id}_{number}"
        self._given.add(identity)
        return call if identity == call.id else replace(call, id=identity)
