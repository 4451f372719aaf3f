"""A span of a run's trace as a value, and the names of its attributes.

Names that begin with `gen_ai` are those of OpenTelemetry's conventions:
https://github.com/open-telemetry/semantic-conventions-genai
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

AttributeValue = str | bool | int | float | tuple[str, ...]

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
AGENT = "gen_ai.agent.name"
WORKFLOW = "gen_ai.workflow.name"
CONVERSATION = "gen_ai.conversation.id"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
TOOL = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
ERROR_TYPE = "error.type"


@dataclass(frozen=True, slots=True)
class SpanData:
    """Something that took time in a run.

    Attributes:
        run_id: Of the run: its trace.
        name: What it is, one of few.
        parent: Key of the span that it is a part of; "" for the run's first one.
        began: Unix time.
        ended: Unix time.
        key: Names it in its run, so that whoever tells of it twice tells of one; "" for a name
            that nobody else has to know.
        attributes: By OpenTelemetry's names, and ours with `fixpoint` in front.
        calls_out: Whether it waits for another system.
        error: What went wrong, in a word or a sentence, or "".
    """

    run_id: str
    name: str
    parent: str
    began: float
    ended: float
    key: str = ""
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    calls_out: bool = False
    error: str = ""


class Spans(Protocol):
    """Where spans go.

    Attributes:
        with_content: Whether they say what models were told and answered.
    """

    with_content: bool

    def samples(self, run_id: str) -> bool:
        """Whether the spans of a run are sent anywhere."""
        ...

    def emit(self, span: SpanData) -> None:
        """Send a span of a run that is sampled soon; returns at once and never raises."""
        ...


class NoSpans:
    """Tracing that is switched off."""

    with_content = False

    def samples(self, run_id: str) -> bool:
        """Say no."""
        del run_id
        return False

    def emit(self, span: SpanData) -> None:
        """Do nothing."""


NO_SPANS = NoSpans()
