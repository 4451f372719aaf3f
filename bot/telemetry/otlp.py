"""Send spans by OTLP over HTTP with OpenTelemetry's SDK."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from pydantic import SecretStr

from bot import __version__
from bot.redaction import Redactor, remembering
from bot.telemetry.place import span_id_of, trace_id_of
from bot.telemetry.span import AttributeValue, SpanData

_BILLION = 1_000_000_000
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


class OtlpSpans:
    """Spans that a thread of the SDK sends in batches; see `bot.telemetry.span.Spans`.

    The provider is ours alone: libraries that trace by themselves would record conversations.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        headers: Mapping[str, SecretStr],
        service: str,
        resource: Mapping[str, str],
        redactor: Redactor,
        with_content: bool = False,
    ) -> None:
        """Say where spans go.

        Args:
            endpoint: Whole address, such as `http://127.0.0.1:4318/v1/traces`.
            headers: Of every request, such as the key of a service.
            service: What this server is called.
            resource: More attributes of this server.
            redactor: Takes out what never leaves.
            with_content: Whether spans say what models were told and answered.
        """
        self.with_content = with_content
        self._scrub = remembering(redactor)
        self._ids = _ChosenIds()
        told = {**resource, "service.name": service, "service.version": __version__}
        self._provider = TracerProvider(
            id_generator=self._ids, resource=Resource.create(told), shutdown_on_exit=False
        )
        shown = {name: value.get_secret_value() for name, value in headers.items()}
        self._provider.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint, headers=shown))
        )
        self._tracer = self._provider.get_tracer("fixpoint", __version__)

    def samples(self, run_id: str) -> bool:
        """Whether the sampler of `OTEL_TRACES_SAMPLER` takes the run's trace."""
        trace = int(trace_id_of(run_id), 16)
        decision = self._provider.sampler.should_sample(None, trace, "run").decision
        return decision is Decision.RECORD_AND_SAMPLE

    def emit(self, span: SpanData) -> None:
        """Hand a span of a run that is sampled to the thread that sends it."""
        trace = int(trace_id_of(span.run_id), 16)
        self._ids.trace = trace
        self._ids.span = (
            int(span_id_of(span.run_id, span.key), 16) if span.key else random.getrandbits(64) or 1
        )
        parent = None
        if span.parent:
            above = int(span_id_of(span.run_id, span.parent), 16)
            context = SpanContext(trace, above, is_remote=True, trace_flags=_SAMPLED)
            parent = set_span_in_context(NonRecordingSpan(context))
        started = self._tracer.start_span(
            span.name,
            context=parent,
            kind=SpanKind.CLIENT if span.calls_out else SpanKind.INTERNAL,
            attributes={name: self._scrubbed(value) for name, value in span.attributes.items()},
            start_time=round(span.began * _BILLION),
        )
        if span.error:
            said = self._scrub(span.error)
            started.set_status(Status(StatusCode.ERROR, said))
        started.end(end_time=round(span.ended * _BILLION))

    def _scrubbed(self, value: AttributeValue) -> AttributeValue:
        if isinstance(value, str):
            return self._scrub(value)
        return tuple(map(self._scrub, value)) if isinstance(value, tuple) else value

    async def close(self) -> None:
        """Send what waits, and end the thread."""
        await asyncio.to_thread(self._provider.shutdown)


class _ChosenIds(IdGenerator):
    """Gives the ids that were chosen for the next span. Used from one thread."""

    trace = 0
    span = 0

    def generate_trace_id(self) -> int:
        """Return the chosen one."""
        return self.trace

    def generate_span_id(self) -> int:
        """Return the chosen one."""
        return self.span

    def is_trace_id_random(self) -> bool:
        """Say that ids are spread evenly, as digests are: samplers rely on it."""
        return True
