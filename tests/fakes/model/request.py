"""A request as a script sees it, whichever wire it came over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """One message. `calls` are the names and inputs of the tools that it calls."""

    role: Literal["user", "assistant"]
    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        wire: Over which it came.
        model: That is asked.
        system: The system prompt.
        messages: The conversation.
        tools: Names of the tools.
        effort: Asked for, or None.
        max_tokens: Of the answer.
        body: All of it, as it came.
        headers: All of them but the credentials, in lower case.
    """

    wire: Literal["anthropic", "openai"]
    model: str
    system: str
    messages: tuple[Seen, ...]
    tools: tuple[str, ...] = ()
    effort: str | None = None
    max_tokens: int = 0
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def turn(self) -> int:
        """Which turn of the conversation this asks for, from 1."""
        return 1 + sum(message.role == "assistant" for message in self.messages)

    @property
    def first(self) -> str:
        """The words that opened the conversation."""
        return self.messages[0].text

    @property
    def results(self) -> tuple[Result, ...]:
        """What the tools called in the last turn gave back."""
        return self.messages[-1].results

    @cached_property
    def text(self) -> str:
        """Everything that was said and returned, the system prompt included."""
        said = [self.system]
        for message in self.messages:
            said += [message.text, *(result.text for result in message.results)]
        return "\n".join(said)
