"""What a script can make the server do: say things, call tools, fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.model.request import Request

Stop = Literal["end", "tool_calls", "max_tokens", "refusal"]


@dataclass(frozen=True, slots=True)
class Say:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """Thinking that comes signed from Anthropic's wire and as `reasoning_content` from OpenAI's."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `raw` is sent instead of the input's JSON; the id is made unless given."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""
    raw: str | None = None


Part = Say | Think | Call


@dataclass(frozen=True, slots=True)
class Counts:
    """Token counts that the answer reports."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer.

    Attributes:
        parts: In order.
        stop: Why it ends; None for what its parts imply.
        counts: What it reports; None for an estimate with a simulated prompt cache.
        reports_usage: False for servers that know nothing of token counts.
        reason: A finish reason that OpenAI's wire has besides; "" for that of `stop`.
    """

    parts: tuple[Part, ...]
    stop: Stop | None = None
    counts: Counts | None = None
    reports_usage: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overloaded:
    """Anthropic's 529 or OpenAI's 429, perhaps with the seconds to wait."""

    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class ServerError:
    """A 5xx without a meaning."""

    status: int = 500


@dataclass(frozen=True, slots=True)
class Unauthorized:
    """The key is wrong."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """The conversation does not fit into the context window."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Any other error answer; `fields` are further ones of its error.

    `listed` sends it as Google does, in a list.
    """

    message: str
    status: int = 400
    kind: str = "invalid_request_error"
    code: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    listed: bool = False


@dataclass(frozen=True, slots=True)
class CutStream:
    """Send the first `events` events of the answer and no more.

    Attributes:
        answer: What would have been said.
        events: How many events go out; the start of the message is the first one.
        abrupt: Break the connection instead of ending the response in good order.
    """

    answer: Part | Sequence[Part] | Answer
    events: int = 3
    abrupt: bool = False


@dataclass(frozen=True, slots=True)
class ErrorMidStream:
    """Send the first `events` events of the answer, then an error event."""

    answer: Part | Sequence[Part] | Answer
    events: int = 3
    kind: str = "overloaded_error"


@dataclass(frozen=True, slots=True)
class Slow:
    """Do the step after some seconds."""

    seconds: float
    then: Step


Fault = (
    Overloaded | ServerError | Unauthorized | TooLong | Rejected | CutStream | ErrorMidStream | Slow
)
Step = Part | Sequence[Part] | Answer | Fault
Script = Callable[[Request], Step | Awaitable[Step]] | Sequence[Step]


def by_turn(*steps: Step) -> Callable[[Request], Step]:
    """Return a script that gives every conversation the same steps, turn by turn.

    It remembers nothing, so a repeated request (a retry, a restarted run) gets the same step. The
    last step also answers everything after it.
    """

    def script(request: Request) -> Step:
        return steps[min(request.turn, len(steps)) - 1]

    return script


def whole(answer: Part | Sequence[Part] | Answer) -> Answer:
    """Return the answer that a script abbreviated."""
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, Say | Think | Call):
        return Answer((answer,))
    return Answer(tuple(answer))


def stop_of(answer: Answer) -> Stop:
    """Return why the answer ends."""
    if answer.stop is not None:
        return answer.stop
    return "tool_calls" if any(isinstance(part, Call) for part in answer.parts) else "end"
