"""Put counting, timing and tracing around what runs work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.app.measured_model import MeasuredModel
from bot.app.measured_sandbox import MeasuredSandboxes
from bot.llm.base import Model
from bot.telemetry.metrics import Metrics
from bot.telemetry.span import NO_SPANS, Spans
from sandbox.base import SandboxProvider


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
