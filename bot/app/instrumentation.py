"""Put counting, timing and tracing around what runs work with."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, assert_never

from bot.errors import ProviderError
from bot.llm.base import (
    Ask,
    Block,
    Conversation,
    Message,
    Model,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)
from bot.model.money.accounts import Amount
from bot.model.untrusted import clip
from bot.telemetry import span
from bot.telemetry.metrics import Metrics
from bot.telemetry.place import RunPlace, here
from bot.telemetry.span import ERROR_TYPE, NO_SPANS, AttributeValue, SpanData, Spans
from sandbox.base import (
    CommandResult,
    Sandbox,
    SandboxError,
    SandboxProvider,
    SandboxSpec,
)
from sandbox.proxy import SandboxProxy

_MESSAGES = 20
"""Of a conversation, the last ones: those before them are in the spans of earlier turns."""

_CHARACTERS = 8_000
"""Of one text in them."""

_FINISH = {
    StopReason.END: "stop",
    StopReason.TOOL_CALLS: "tool_call",
    StopReason.MAX_TOKENS: "length",
    StopReason.REFUSAL: "content_filter",
}


def answered_call(
    place: RunPlace,
    turn: Turn,
    ask: Ask,
    told: Conversation | None,
    began: float,
    seconds: float,
) -> SpanData:
    """Return the span of a call that was answered.

    Args:
        place: Where in a run it was made.
        turn: The answer.
        ask: How it was asked for.
        told: What the model was told, where the span is to say that; else None.
        began: Unix time.
        seconds: Until the answer was there.
    """
    usage = turn.usage
    attributes: dict[str, AttributeValue] = {
        **_asked(place, ask, turn.model),
        span.PROVIDER: turn.provider,
        span.RESPONSE_MODEL: turn.model,
        span.FINISH_REASONS: (_FINISH[turn.stop],),
        # by the conventions it includes what came from the provider's cache
        span.INPUT_TOKENS: usage.input + usage.cache_read + usage.cache_write,
        span.OUTPUT_TOKENS: usage.output,
        span.CACHE_READ_TOKENS: usage.cache_read,
        span.CACHE_WRITE_TOKENS: usage.cache_write,
    }
    if usage.cost_usd is not None:
        attributes["fixpoint.cost_usd"] = float(usage.cost_usd)
    if turn.notes:
        attributes["fixpoint.notes"] = turn.notes
    if told is not None:
        finish = {"finish_reason": _FINISH[turn.stop]}
        answer = {**_message(Message("assistant", turn.blocks)), **finish}
        attributes[span.SYSTEM_INSTRUCTIONS] = _json(_parts([Text(told.system)]))
        attributes[span.INPUT_MESSAGES] = _json(list(map(_message, told.messages[-_MESSAGES:])))
        attributes[span.OUTPUT_MESSAGES] = _json([answer])
    return _chat(place, turn.model, attributes, began, seconds)


def failed_call(
    place: RunPlace,
    model: str,
    ask: Ask,
    error: ProviderError,
    began: float,
    seconds: float,
) -> SpanData:
    """Return the span of a call that nobody answered; see `answered_call`."""
    attributes = {**_asked(place, ask, model), span.ERROR_TYPE: type(error).__name__}
    return _chat(place, model, attributes, began, seconds, str(error))


def _chat(
    place: RunPlace,
    model: str,
    attributes: dict[str, AttributeValue],
    began: float,
    seconds: float,
    error: str = "",
) -> SpanData:
    return SpanData(
        place.run_id,
        f"chat {model}",
        place.key,
        began,
        began + seconds,
        attributes=attributes,
        calls_out=True,
        error=error,
    )


def _asked(place: RunPlace, ask: Ask, model: str) -> dict[str, AttributeValue]:
    return {
        span.OPERATION: "chat",
        span.CONVERSATION: f"{place.run_id} {place.attempt or 0}",
        span.REQUEST_MODEL: ask.model or model,
        span.REQUEST_MAX_TOKENS: ask.max_tokens,
    }


def _message(message: Message) -> dict[str, Any]:
    """Return a message as the conventions' JSON schema has it."""
    return {"role": message.role, "parts": _parts(message.blocks)}


def _parts(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [part for block in blocks if (part := _part(block)) is not None]


def _part(block: Block) -> dict[str, Any] | None:
    match block:
        case Text(text):
            return {"type": "text", "content": clip(text, _CHARACTERS)}
        case ToolCall(id=call, name=name, input=given):
            arguments = {
                key: clip(item, _CHARACTERS) if isinstance(item, str) else item
                for key, item in given.items()
            }
            return {"type": "tool_call", "id": call, "name": name, "arguments": arguments}
        case ToolResult(call_id=call, text=text):
            response = clip(text, _CHARACTERS)
            return {"type": "tool_call_response", "id": call, "response": response}
        case Opaque():
            thought = clip(block.thought, _CHARACTERS)
            return {"type": "reasoning", "content": thought} if thought else None
        case _:
            assert_never(block)


def _json(value: list[dict[str, Any]]) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


T = TypeVar("T")

_SANDBOX = "fixpoint.sandbox"
_KIND = "fixpoint.sandbox.kind"
_COUNTED = frozenset({"run", "snapshot"})


class _Watch:
    """Counts calls of one kind of sandbox, and tells of them where the run is traced."""

    def __init__(self, kind: str, metrics: Metrics, spans: Spans) -> None:
        self._kind = kind
        self._metrics = metrics
        self._spans = spans

    async def __call__(
        self, operation: str, sandbox: str, call: Awaitable[T], command: str = ""
    ) -> T:
        """Return what the call returns."""
        place = here()  # before it: others may move on meanwhile
        key = place.key if place is not None and place.sampled else ""
        began, started = time.time(), time.perf_counter()
        outcome, error, result = "cancelled", "", None
        try:
            result = await call
        except SandboxError as problem:
            outcome, error = type(problem).__name__, str(problem)
            raise
        else:
            outcome = _outcome(result)
            return result
        finally:
            seconds = time.perf_counter() - started
            self._metrics.calls.used_sandbox(self._kind, operation, outcome, seconds)
            if place is not None and key:
                attributes = {_KIND: self._kind, _SANDBOX: sandbox, **_ending(result, error)}
                if command and self._spans.with_content:
                    attributes["process.command_line"] = command
                name, ended = f"sandbox {operation}", began + seconds
                if outcome == "cancelled":
                    error = "It was cancelled."
                self._spans.emit(
                    SpanData(
                        place.run_id, name, key, began, ended, attributes=attributes, error=error
                    )
                )


def _outcome(result: object) -> str:
    if not isinstance(result, CommandResult) or result.ok:
        return "ok"
    return "timed_out" if result.timed_out else "failed"


def _ending(result: object, error: str) -> dict[str, AttributeValue]:
    if isinstance(result, CommandResult):
        return {"process.exit.code": result.exit_code, "fixpoint.timed_out": result.timed_out}
    return {ERROR_TYPE: "SandboxError"} if error else {}


class MeasuredSandboxes:
    """A provider whose calls are counted; see `SandboxProvider`."""

    def __init__(
        self, provider: SandboxProvider, metrics: Metrics, spans: Spans = NO_SPANS
    ) -> None:
        self.kind = provider.kind
        self.takes_templates = provider.takes_templates
        self.snapshots_cost = provider.snapshots_cost
        self.filters_indexes = provider.filters_indexes
        self._provider = provider
        self._watch = _Watch(provider.kind, metrics, spans)

    async def check(self) -> None:
        """Raise what keeps this kind from running here."""
        await self._provider.check()

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Attach to the sandbox of that name, or create it."""
        sandbox = await self._watch("open", spec.name, self._provider.open(spec))
        return _MeasuredSandbox(sandbox, self._watch)

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name."""
        await self._provider.remove(name)

    async def tidy(self) -> None:
        """Remove what nobody uses any more."""
        await self._provider.tidy()

    async def close(self) -> None:
        """Release connections."""
        await self._provider.close()


class _MeasuredSandbox(SandboxProxy):
    """A sandbox whose commands and snapshots are counted: files are read and written in no time."""

    def __init__(self, sandbox: Sandbox, watch: _Watch) -> None:
        super().__init__(sandbox)
        self._watch = watch

    async def around(self, operation: str, call: Awaitable[T], command: str = "", /) -> T:
        """Return what the call returns, and count it if it takes time."""
        if operation not in _COUNTED:
            return await call
        return await self._watch(operation, self.name, call, command)


class MeasuredModel:
    """A model whose calls are counted, and a part of their run's trace."""

    def __init__(self, model: Model, metrics: Metrics, spans: Spans = NO_SPANS) -> None:
        self._model = model
        self._metrics = metrics
        self._spans = spans
        self.name = model.name

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        """Return the model's turn."""
        began, started = time.time(), time.perf_counter()
        place = here()
        if place is not None and not place.sampled:
            place = None
        try:
            turn = await self._model.respond(conversation, ask)
        except ProviderError as error:
            seconds = time.perf_counter() - started
            self._metrics.calls.not_called(self.name, error, seconds)
            if place is not None:
                self._spans.emit(failed_call(place, self.name, ask, error, began, seconds))
            raise
        seconds = time.perf_counter() - started
        self._metrics.calls.called(turn.model, turn.usage, seconds)
        if place is not None:
            asked = conversation if self._spans.with_content else None
            self._spans.emit(answered_call(place, turn, ask, asked, began, seconds))
        return turn

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        """Return the most that one try can cost."""
        return self._model.worst_case(conversation, ask)

    async def warm(self) -> None:
        """Do ahead what would make the first answer slow."""
        await self._model.warm()

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()


@dataclass(frozen=True, slots=True)
class Measuring:
    """Where what is measured goes.

    Attributes:
        metrics: Of the server.
        spans: Of its runs' traces.
    """

    metrics: Metrics
    spans: Spans = NO_SPANS

    def model(self, model: Model) -> Model:
        """Return the model, measured."""
        return MeasuredModel(model, self.metrics, self.spans)

    def sandboxes(self, provider: SandboxProvider) -> SandboxProvider:
        """Return the provider, measured."""
        return MeasuredSandboxes(provider, self.metrics, self.spans)

    def looked_up(self, cache: str) -> Callable[[bool], None]:
        """Return what counts looks into a cache."""

        def count(found: bool) -> None:  # noqa: FBT001 - the only thing to say
            self.metrics.calls.looked_up(cache, found=found)

        return count
