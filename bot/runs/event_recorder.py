"""Keep what happens in a run while it happens, without keeping the run waiting."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import structlog

from bot.errors import StorageError
from bot.model.events import EventType, RunEvent
from bot.model.progress import CommandOutput, FirstListener, Noticed, Progress
from bot.redaction import Redactor
from bot.reporting.reasons import run_life
from bot.reporting.stored_events import told
from bot.storage.events import EventStore, KeyedEvent, Keys

EVERY_SECONDS = 0.1
"""Between two writes: what people see is no older, and a busy command is not one write per line."""

UNWATCHED_SECONDS = 0.5
"""Between two writes while nobody follows the run: whoever comes then is as little behind."""

_LINE_SECONDS = 1.0
"""How long a line that has not ended is kept back: a secret is not cut in two."""

_PIECE = 16_000
"""Characters of output in one event; of what comes faster, the middle is left out."""

_MOST_OUTPUT = 4_000_000
"""Characters of output that are kept of one run by one process."""

_MOST_WAITING = 5_000
"""Events that wait while the database is away."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Unkept:
    """An event on its way into the table; `cause` is None for output and notes of our own."""

    named: KeyedEvent
    cause: Progress | None
    at: float


class Recorder:
    """A listener that keeps the events of one run. Output is joined, bounded, and redacted.

    To take note of an event costs next to nothing: all work on it is done when it is written.
    """

    def __init__(
        self,
        store: EventStore,
        run_id: str,
        redactor: Redactor,
        first: FirstListener | None = None,
    ) -> None:
        """Say where to keep events, and who hears of each that is new in the table.

        Args:
            store: Keeps them.
            run_id: Of the run.
            redactor: Takes out what must not be kept.
            first: Is told what was kept, but for output, and not what a restarted run repeats.
        """
        self._store = store
        self._run_id = run_id
        self._redactor = redactor
        self._first = first
        self._keys = Keys()
        self._heard: list[tuple[float, Progress]] = []
        self._unkept: list[_Unkept] = []
        self._line = ""
        self._line_since = 0.0
        self._kept_output = 0
        self._said_so = False
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, event: Progress, /) -> None:
        """Take note of the event; it is kept soon."""
        if isinstance(event, CommandOutput):
            if self._kept_output > _MOST_OUTPUT:
                return
            self._kept_output += len(event.text)
        self._heard.append((time.time(), event))
        self._news.set()

    async def __aenter__(self) -> Self:
        """Begin to write."""
        self._task = asyncio.create_task(self._keep_writing())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Write what is left."""
        self._over.set()
        self._news.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        await self._write(to_the_end=True)

    async def _keep_writing(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._over.is_set():
            await self._news.wait()
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), self._pause())
            late = loop.time() - self._line_since > _LINE_SECONDS
            await self._write(to_the_end=bool(self._line) and late)
            if self._line or self._unkept:
                loop.call_later(_LINE_SECONDS, self._news.set)

    def _pause(self) -> float:
        """Return how many seconds to collect before the next write."""
        return EVERY_SECONDS if self._store.may_be_followed(self._run_id) else UNWATCHED_SECONDS

    async def _write(self, *, to_the_end: bool) -> None:
        """Keep what was heard; where the database is away, it waits on."""
        waiting = [*self._unkept, *self._told(to_the_end=to_the_end)]
        self._unkept = []
        if not waiting:
            return
        try:
            new = await self._store.append(self._run_id, [unkept.named for unkept in waiting])
        except StorageError as error:
            _log.warning("events not kept yet", problem=str(error))
            self._unkept = waiting[-_MOST_WAITING:]
        except asyncio.CancelledError:  # told again at the end; what is there already stays once
            self._unkept = waiting
            raise
        else:
            self._tell_first(unkept for unkept in waiting if unkept.named.key in new)

    def _tell_first(self, kept: Iterable[_Unkept]) -> None:
        if self._first is None:
            return
        for unkept in kept:
            if unkept.cause is not None:
                self._first(unkept.cause, unkept.at)

    def _named(self, event: RunEvent, at: float, cause: Progress | None = None) -> _Unkept:
        return _Unkept(KeyedEvent(self._keys.of(event), event, at), cause, at)

    def _told(self, *, to_the_end: bool) -> Iterator[_Unkept]:
        """Yield what was heard as events, output joined; a line that has not ended is kept back."""
        heard, self._heard = self._heard, []
        said, at = self._line, time.time()
        for at, event in heard:
            if isinstance(event, CommandOutput):
                said += event.text
                continue
            yield from self._output(said, at)
            said = ""
            kept = told(event, self._redactor)
            if kept is not None:
                yield self._named(kept, at, event)
        left_out = self._kept_output > _MOST_OUTPUT
        end = len(said) if to_the_end or left_out else said.rfind("\n") + 1
        yield from self._output(said[:end], at)
        if said[end:] != self._line:
            self._line_since = asyncio.get_running_loop().time()
        self._line = said[end:]
        if left_out and not self._said_so:
            self._said_so = True
            left = told(Noticed(run_life.OUTPUT_LEFT_OUT), self._redactor)
            if left is not None:
                yield self._named(left, at)

    def _output(self, text: str, at: float) -> Iterator[_Unkept]:
        if not text:
            return
        if len(text) > _PIECE:
            half = _PIECE // 2
            text = f"{text[:half]}\n[...]\n{text[-half:]}"
        kept = RunEvent(EventType.OUTPUT, {"text": self._redactor.text(text)})
        yield self._named(kept, at)
