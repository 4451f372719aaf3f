"""Open what sends spans to a collector; without one in the settings nothing of it is imported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.redaction import Redactor
from bot.settings.telemetry import TelemetrySettings
from bot.telemetry.span import NO_SPANS, Spans

_CLOSING_SECONDS = 5.0
"""For spans that are not sent yet when the server stops."""


@asynccontextmanager
async def open_spans(settings: TelemetrySettings, redactor: Redactor) -> AsyncIterator[Spans]:
    """Yield where spans go while the block lasts."""
    endpoint = settings.traces_endpoint
    if endpoint is None:
        yield NO_SPANS
        return
    from bot.telemetry.otlp import OtlpSpans

    spans = await asyncio.to_thread(
        OtlpSpans,
        endpoint,
        headers=settings.traces_headers,
        service=settings.otel_service_name,
        resource=settings.otel_resource_attributes,
        redactor=redactor,
        with_content=settings.otel_instrumentation_genai_capture_message_content,
    )
    try:
        yield spans
    finally:
        await asyncio.wait([asyncio.create_task(spans.close())], timeout=_CLOSING_SECONDS)
