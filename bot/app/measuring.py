"""Put counting, timing and tracing around what runs work with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.app.measured_sandbox import MeasuredSandboxes
from bot.app.model_spans import answered, failed
from bot.errors import ProviderError
from bot.llm.base import Ask, Conversation, Model, Turn
from bot.model.money.accounts import Amount
from bot.telemetry.metrics import Metrics
from bot.telemetry.place import here
from bot.telemetry.span import NO_SPANS, Spans
from sandbox.base import SandboxProvider


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
                self._spans.emit(failed(place, self.name, ask, error, began, seconds))
            raise
        seconds = time.perf_counter() - started
        self._metrics.calls.called(turn.model, turn.usage, seconds)
        if place is not None:
            asked = conversation if self._spans.with_content else None
            self._spans.emit(answered(place, turn, ask, asked, began, seconds))
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
