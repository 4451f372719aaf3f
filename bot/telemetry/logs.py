"""Log constant sentences with fields to stderr, as JSON or for a person, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TextIO, assert_never

from bot.redaction import TOKENS_ALONE, Redactor, redactor_of, remembering
from bot.settings.environment import LogFormat, LogLevel, ServerSettings

if TYPE_CHECKING:
    from structlog.typing import Processor
import threading
import time
from collections import Counter
from collections.abc import Callable

WINDOW = 60.0
"""Seconds after which counting begins anew."""

EVERY = 100
"""Of what comes beyond the burst, every so-manieth line is written."""

_MOST_SENTENCES = 10_000
"""Counted at a time: libraries write sentences with values in them."""

Sentence = tuple[str, int, str]
"""Of which logger, how severe, and what it says."""


class Sampler:
    """Decides which lines are written. Used from any thread."""

    def __init__(self, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Write so many lines with the same sentence in each window; 0 writes all."""
        self._burst = burst
        self._clock = clock
        self._since = clock()
        self._counts: Counter[Sentence] = Counter()
        self._left_out: Counter[Sentence] = Counter()
        self._lock = threading.Lock()

    def takes(self, record: logging.LogRecord) -> bool:
        """Whether a line is written: errors always are."""
        if self._burst == 0 or record.levelno >= logging.ERROR:
            return True
        sentence = (record.name, record.levelno, _said(record))
        with self._lock:
            if len(self._counts) >= _MOST_SENTENCES and sentence not in self._counts:
                return True
            self._counts[sentence] += 1
            beyond = self._counts[sentence] - self._burst
            if beyond <= 0 or beyond % EVERY == 0:
                return True
            self._left_out[sentence] += 1
            return False

    def summaries(self, *, now: bool = False) -> list[logging.LogRecord]:
        """Return lines that say what was left out, once a window is over, or `now`."""
        if not now and self._clock() - self._since < WINDOW:
            return []
        with self._lock:
            left_out = self._left_out.copy()
            self._since = self._clock()
            self._counts.clear()
            self._left_out.clear()
        return [_summary(sentence, lines) for sentence, lines in left_out.items()]


class SampledHandler(logging.StreamHandler[TextIO]):
    """Writes what the sampler takes, and in the end what it left out."""

    def __init__(self, stream: TextIO, sampler: Sampler) -> None:
        super().__init__(stream)
        self._sampler = sampler

    def handle(self, record: logging.LogRecord) -> bool:
        """Write the line, unless it is left out."""
        self._write_summaries()
        return bool(self._sampler.takes(record) and super().handle(record))

    def close(self) -> None:
        """Say what was left out since the last window."""
        self._write_summaries(now=True)
        super().close()

    def _write_summaries(self, *, now: bool = False) -> None:
        for summary in self._sampler.summaries(now=now):
            super().handle(summary)


def _said(record: logging.LogRecord) -> str:
    """Return the constant sentence of a line, without its fields."""
    said = record.msg
    return str(said.get("event", "")) if isinstance(said, dict) else str(said)


def _summary(sentence: Sentence, lines: int) -> logging.LogRecord:
    name, level, said = sentence
    record = logging.LogRecord(name, level, "", 0, "lines left out", (), None)
    record.sentence, record.lines = said, lines
    return record


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
