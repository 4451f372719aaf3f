"""Write a part of what repeats itself in the log, and say how much was left out."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TextIO

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
