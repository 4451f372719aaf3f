"""Log constant sentences with fields to stderr, as JSON or for a person, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TextIO, assert_never

from bot.redaction import TOKENS_ALONE, Redactor, redactor_of, remembering
from bot.settings.environment import LogFormat, LogLevel, ServerSettings
from bot.telemetry.sampling import SampledHandler, Sampler

if TYPE_CHECKING:
    from structlog.typing import Processor

_AGENT = ("bot.repair.proposers", "bot.llm")
"""Loggers whose lines are about models, unless they say otherwise."""

_CHATTY = ("aiohttp.access", "asyncio", "httpx", "httpx2", "httpcore", "e2b", "anthropic")
"""Loggers of libraries whose every request is not ours to report."""


def configure_logs(settings: ServerSettings) -> None:
    """Log as the server's settings say; none of its secrets appears in a line."""
    configure(
        settings.fixpoint_log_format,
        settings.fixpoint_log_level,
        redactor=redactor_of(settings, settings.fixpoint_redact),
        burst=settings.fixpoint_log_burst,
    )


def configure(
    style: LogFormat = LogFormat.JSON,
    least: LogLevel = LogLevel.INFO,
    *,
    redactor: Redactor = TOKENS_ALONE,
    stream: TextIO | None = None,
    burst: int = 0,
) -> None:
    """Send every log line of this process, those of libraries included, to one stream.

    Args:
        style: How lines are written.
        least: The least severe one that is written.
        redactor: Takes out what never appears in a line.
        stream: Where lines go; stderr when None.
        burst: How many lines with the same sentence are written in a minute; 0 writes all.
    """
    import structlog

    handler = SampledHandler(stream if stream is not None else sys.stderr, Sampler(burst))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_common(), processors=_last(style, redactor)
        )
    )
    root, level = logging.getLogger(), logging.getLevelNamesMapping()[least.upper()]
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_common(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def context(**fields: str | int) -> AbstractContextManager[None]:
    """Add fields (`run_id`, `delivery_id`) to every line inside the `with` block and its tasks."""
    import structlog

    return structlog.contextvars.bound_contextvars(**fields)


def _common() -> list[Processor]:
    import structlog

    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _categorised,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]


def _categorised(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add what a line is about, unless it says so itself."""
    if event.get("level") in {"error", "critical", "exception"}:
        event["category"] = "error"
    elif "category" not in event:
        about_models = str(event.get("logger", "")).startswith(_AGENT)
        event["category"] = "agent" if about_models else "app"
    return event


def _last(style: LogFormat, redactor: Redactor) -> list[Processor]:
    """Return what turns an event into a line; redaction comes after the traceback is text."""
    import structlog

    scrub = remembering(redactor)

    def redacted(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
        return {
            key: scrub(value) if isinstance(value, str) else _redacted(value, redactor)
            for key, value in event.items()
        }

    return [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        redacted,
        _renderer(style),
    ]


def _redacted(value: Any, redactor: Redactor) -> Any:
    plain = isinstance(value, str | bytes | bool | int | float | dict | list | tuple | None)
    return redactor.values(value if plain else repr(value))


def _renderer(style: LogFormat) -> Processor:
    import structlog

    match style:
        case LogFormat.JSON:
            return structlog.processors.JSONRenderer()
        case LogFormat.CONSOLE:
            return structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        case _:
            assert_never(style)
