"""Watch the requests of an HTTP session to GitHub, without reading what they carry."""

from __future__ import annotations

import time
from http import HTTPStatus
from types import SimpleNamespace

import aiohttp
from yarl import URL

from bot.telemetry.call_metrics import CallMetrics
from bot.telemetry.place import here
from bot.telemetry.span import ERROR_TYPE, AttributeValue, SpanData, Spans


def watch_requests(metrics: CallMetrics, spans: Spans) -> aiohttp.TraceConfig:
    """Return what a session needs so that its requests are counted, and those of runs traced."""

    async def begin(
        _: aiohttp.ClientSession, context: SimpleNamespace, __: aiohttp.TraceRequestStartParams
    ) -> None:
        context.began, context.started = time.time(), time.perf_counter()

    def ended(context: SimpleNamespace, method: str, url: URL, status: int | None) -> None:
        seconds = time.perf_counter() - context.started
        metrics.asked_github(method, status, seconds)
        if method == "GET" and status in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
            metrics.looked_up("github_answers", found=status == HTTPStatus.NOT_MODIFIED)
        span = _span(method, url, status, context.began, seconds)
        if span is not None:
            spans.emit(span)

    async def end(
        _: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        answer = params.response
        ended(context, params.method, params.url, answer.status)
        left = answer.headers.get("X-RateLimit-Remaining", "")
        if left.isdigit():
            resource = answer.headers.get("X-RateLimit-Resource", "core")[:32]
            metrics.quota_left(resource, int(left))

    async def fail(
        _: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestExceptionParams,
    ) -> None:
        ended(context, params.method, params.url, None)

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(begin)
    trace.on_request_end.append(end)
    trace.on_request_exception.append(fail)
    return trace


def _span(
    method: str, url: URL, status: int | None, began: float, seconds: float
) -> SpanData | None:
    """Return the span of a request, by the conventions for HTTP; None outside of traced runs."""
    place = here()
    if place is None or not place.sampled:
        return None
    attributes: dict[str, AttributeValue] = {
        "http.request.method": method,
        "server.address": url.host or "",
        "url.full": str(url.with_query(None).with_user(None)),  # signed downloads have a query
    }
    error = ""
    if status is None:
        error = "Nobody answered."
        attributes[ERROR_TYPE] = "no_answer"
    else:
        attributes["http.response.status_code"] = status
        if status >= HTTPStatus.BAD_REQUEST:
            error = attributes[ERROR_TYPE] = str(status)
    return SpanData(
        place.run_id,
        method,
        place.key,
        began,
        began + seconds,
        attributes=attributes,
        calls_out=True,
        error=error,
    )
